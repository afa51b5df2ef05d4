/** @file Declares the options, help, and examples of `ludus chat`. */

import { speakingOrders } from '@ludus-agents/environments/internal/turn-taking';
import { chatHelp } from '../chat-wish.ts';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const chat: CommandDeclaration = {
  declare(command) {
    command
      .argument('<persona...>', 'a persona file in any supported format, or a gallery name; several form a group')
      .option(
        ...flag(
          'model',
          'the model that plays the character, such as ollama/NAME (default: the one in ludus.config, or the last one pulled; "none" uses the lines on the card)',
        ),
      )
      .option(...flag('user', 'your name, which replaces {{user}} in the card (default: "user" in ludus.config)'))
      .option('--greeting <n>', 'the greeting to start with; 0 for none (default: 1)', whole('--greeting', 0, 1000))
      .option('--order <order>', `who answers in a group: ${[...speakingOrders, 'director'].join(', ')} (default: named)`)
      .option('--note <text>', "the author's note: instructions at a depth of the conversation")
      .option('--note-depth <n>', 'number of messages after the note (default: 4)', whole('--note-depth', 0, 1000))
      .option('--no-memory', 'turn memory off')
      .option(...flag('turns', '(default: 1000)'), whole('--turns', 1, 1000))
      .option('--resume [episode]', 'continue the last conversation, or the given one')
      .option(...flag('seed', '(default: a new one)'), whole('--seed', 0));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus chat innkeeper': 'offline, from the lines on the card',
      'ludus chat villain --model openai/gpt-5-mini': 'with a model, streamed',
      'ludus chat card.png --model ollama/qwen3:8b': 'any character card',
      'ludus chat innkeeper --resume': 'continue where you left off',
      'ludus chat ann.json ben.json --order talkative': 'a group; who speaks next depends on the cards',
    });
    command.addHelpText('after', `\nWhile you talk:\n${chatHelp}`);
  },

  load: async () => (await import('../commands/chat.ts')).chat,
};
