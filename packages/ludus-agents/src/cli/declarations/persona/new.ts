/** @file What `ludus persona new` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const create: CommandDeclaration = {
  declare(command) {
    command
      .argument('[name]', 'the name (a drafted persona may choose its own)')
      .option('--like <persona>', 'copy this persona: a file or a gallery name')
      .option('--describe <text>', 'let a model draft it from a description')
      .option(...flag('model', 'the model that writes the draft'))
      .option(...flag('output', '(default: NAME.json)'));
    withJson(withSpending(command));
    examples(command, {
      'ludus persona new "Ann Archer"': 'ann-archer.json, every part with an example to change',
      'ludus persona new "Ann Archer" --like innkeeper': 'a copy of the innkeeper under another name',
      'ludus persona new --describe "a ferryman who …" --model openai/gpt-5-mini': 'drafted by a model, checked and repaired',
    });
  },

  load: async () => (await import('../../commands/persona/new.ts')).create,
};
