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
      .option('--older-than <age>', 'stored more than 30d, 12h, 6w, or 2y ago')
      .option('--person <name>', 'conversations that involve or mention this name')
      .option(...flag('run', 'only episodes of this run'))
      .option(...flag('environment', 'only episodes of this environment'))
      .option(...flag('agent', 'only episodes with this agent'))
      .option(...flag('where'), (text: string, before: readonly Bound[] = []) => [...before, readBound(text, '--where')])
      .option(...flag('dryRun'))
      .option(...flag('yes'));
    withJson(withStore(command));
    examples(command, {
      'ludus store forget 3f2a': 'one conversation',
      'ludus store forget --older-than 30d --yes': 'a 30-day retention, run every night',
      'ludus store forget --person "Ada Archer" --dry-run': 'list conversations that name her',
      'ludus store forget baseline': 'a run with everything it holds',
    });
    command.addHelpText('after', `\nFilters narrow each other.\n${wrap(notCovered, 78).join('\n')}`);
  },

  load: async () => (await import('../../commands/store/forget.ts')).forget,
};
