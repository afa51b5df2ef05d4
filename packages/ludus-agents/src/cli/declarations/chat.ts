/** @file What `ludus chat` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson, withStore } from '../command.ts';
import { withModelOptions } from '../model-options.ts';
import { withSpending } from '../spending.ts';

export const chat: CommandDeclaration = {
  declare(command) {
    command
      .argument('<persona>', 'a file in any known format, or a name of the gallery')
      .option(
        '--model <model>',
        'the model that plays it (default: that of ludus.config, or the one "ludus models pull" brought; where there is none, or with "none", a script with the lines on the card)',
      )
      .option('--user <name>', 'what the character calls you (default: the visitor)')
      .option('--turns <n>', 'answers before the conversation ends (default: 1000)', whole('--turns', 1, 1000))
      .option('--resume [episode]', 'take up an earlier conversation with it: the one that is named, or the last')
      .option('--seed <n>', 'dice (default: new ones)', whole('--seed', 0));
    withJson(withStore(withModelOptions(withSpending(command))));
    examples(command, {
      'ludus chat innkeeper': 'offline, in the lines on the card',
      'ludus chat villain --model openai/gpt-5-mini': 'with a model, word by word as it is written',
      'ludus chat card.png --model ollama/qwen3:8b': 'any character card',
      'ludus chat innkeeper --resume': 'go on where you left',
    });
    command.addHelpText('after', '\nWhile you talk: /why, /mood, /undo, /fork, /save FILE, /quit; /help tells more.');
  },

  load: async () => (await import('../commands/chat.ts')).chat,
};
