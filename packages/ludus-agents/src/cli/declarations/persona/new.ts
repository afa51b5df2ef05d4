/** @file What `ludus persona new` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const create: CommandDeclaration = {
  declare(command) {
    command
      .argument('[name]', 'who it is (a drafted persona may bring its own name)')
      .option('--like <persona>', 'begin as a copy of somebody: a file or a name of the gallery')
      .option('--describe <text>', 'have a model draft it from a description')
      .option(...flag('model', 'it writes the draft'))
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
