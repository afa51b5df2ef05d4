/** @file What `ludus chat` takes: its options, help and examples. */

import { speakingOrders } from '@ludus-agents/environments/internal/turn-taking';
import { chatHelp } from '../chat-wish.ts';
import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const chat: CommandDeclaration = {
  declare(command) {
    command
      .argument('<persona...>', 'files in any known format, or names of the gallery; several form a group')
      .option(
        ...flag(
          'model',
          'it plays the character (default: that of ludus.config, or the one that "ludus models pull" fetched; else, or with "none", a script with the lines on the card)',
        ),
      )
      .option(...flag('user', '(default: "user" of ludus.config, or the visitor)'))
      .option('--greeting <n>', 'the greeting it starts with; 0 for none (default: 1)', whole('--greeting', 0, 1000))
      .option('--order <order>', `who answers in a group: ${[...speakingOrders, 'director'].join(', ')} (default: named)`)
      .option('--note <text>', "the author's note: instructions at a depth of the conversation")
      .option('--note-depth <n>', 'messages that come after the note (default: 4)', whole('--note-depth', 0, 1000))
      .option('--no-memory', 'do not remember, here or from earlier conversations')
      .option(...flag('turns', '(default: 1000)'), whole('--turns', 1, 1000))
      .option('--resume [episode]', 'take up an earlier conversation with it: the one that is named, or the last')
      .option(...flag('seed', '(default: a new one)'), whole('--seed', 0));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus chat innkeeper': 'offline, in the lines on the card',
      'ludus chat villain --model openai/gpt-5-mini': 'with a model, word by word as it is written',
      'ludus chat card.png --model ollama/qwen3:8b': 'any character card',
      'ludus chat innkeeper --resume': 'go on where you left',
      'ludus chat ann.json ben.json --order talkative': 'a group; who speaks next depends on the cards',
    });
    command.addHelpText('after', `\nWhile you talk:\n${chatHelp}`);
  },

  load: async () => (await import('../commands/chat.ts')).chat,
};
