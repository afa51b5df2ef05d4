/** @file What `ludus persona align` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withSpending } from '../../spending.ts';

export const align: CommandDeclaration = {
  declare(command) {
    command
      .argument('<run>', 'a run with personas, by name or the start of its ID')
      .option(...flag('judge', 'the model that reads each sentence, or onnx:FOLDER (default: shared words, a stand-in)'))
      .option(...flag('output', 'the folder to write (default: RUN-aligned)'));
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus persona align scene-supper --judge openai/gpt-5.4-mini -o aligned':
        'alignments.jsonl, train.jsonl, and an adjusted profile for each character',
    });
  },

  load: async () => (await import('../../commands/persona/align.ts')).align,
};
