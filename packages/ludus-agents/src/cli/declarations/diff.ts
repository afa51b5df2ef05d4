/** @file What `ludus diff` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../command.ts';

export const diff: CommandDeclaration = {
  declare(command) {
    command.argument('<a>', 'a candidate, RUN:CANDIDATE, a run, or a file with a spec').argument('<b>', 'another one');
    command
      .option('--html <file>', 'write the conversations of two runs at a desk side by side to a page')
      .option('--words', 'also show cases of two runs that differ in words only');
    withJson(withStore(command));
    examples(command, {
      'ludus diff bot-v1 bot-v2 --html diff.html': 'two runs of "ludus test ./desk --run NAME": the cases that changed',
      'ludus diff 599d3d1c 4c2b5475': 'two candidates of any improvement in the store',
      'ludus diff 599d3d1c instruction-demo-gepa-1-3fa2': 'a candidate, and where a run stands',
      'ludus diff spec.json instruction-demo-gepa-1-3fa2:4c2b': 'a file, and a candidate of one run',
    });
  },

  load: async () => (await import('../commands/diff.ts')).diff,
};
