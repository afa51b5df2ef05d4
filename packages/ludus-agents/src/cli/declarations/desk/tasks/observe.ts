/** @file What `ludus desk tasks observe` takes: its options, help and examples. */

import { type CommandDeclaration, examples, whole, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';

export const observe: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'conversations of people: JSON lines with "turns" of {"speaker", "text"}, or anything "ludus data import" reads')
      .option(...flag('limit', 'use at most this many, spread over the conversations'), whole('--limit', 1, 100_000), 200)
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus desk tasks observe people.jsonl -o observe.json': 'two turns of one speaker in a row mean that the user only watched',
      'ludus eval observe.json --agents llm:MODEL':
        'F-score of when it speaks, and agreement with people, compared with a user who always speaks',
    });
  },

  load: async () => (await import('../../../commands/desk/tasks/observe.ts')).observe,
};
