/** @file What `ludus store forget` takes: its options, help and examples. */

import { type Bound, readBound } from '@ludus-agents/store/internal/exports/bounds';
import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { wrap } from '../../render/width.ts';

/** What lies outside the store and is not looked for. */
export const notCovered =
  'Not covered: exports, reports, copies and backups, the answer cache (LUDUS_CACHE), quarantined records, and logs of model providers.';

export const forget: CommandDeclaration = {
  declare(command) {
    command
      .argument('[ids...]', 'episodes or runs, by id or its first letters')
      .option('--older-than <age>', 'stored longer ago than 30d, 12h, 6w or 2y')
      .option('--person <name>', 'conversations in which this name sits on a seat or is spoken')
      .option(...flag('run', 'only its episodes'))
      .option(...flag('environment', 'only its episodes'))
      .option(...flag('agent', 'only episodes in which it plays'))
      .option(...flag('where'), (text: string, before: readonly Bound[] = []) => [...before, readBound(text, '--where')])
      .option(...flag('dryRun'))
      .option(...flag('yes'));
    withJson(withStore(command));
    examples(command, {
      'ludus store forget 3f2a': 'one conversation',
      'ludus store forget --older-than 30d --yes': 'a retention of 30 days, run every night',
      'ludus store forget --person "Ada Archer" --dry-run': 'which conversations name her',
      'ludus store forget baseline': 'a run with everything it holds',
    });
    command.addHelpText('after', `\nFilters narrow each other.\n${wrap(notCovered, 78).join('\n')}`);
  },

  load: async () => (await import('../../commands/store/forget.ts')).forget,
};
