/** @file What `ludus list` takes: its options, help and examples. */

import type { EpisodeRecord } from '@ludus-agents/kernel/internal/core/index';
import { kinds } from '@ludus-agents/servers/internal/kinds';
import { type CommandDeclaration, examples, oneOf, whole, withJson, withStore } from '../command.ts';

/** What can be listed besides kinds. */
export const otherLists = ['kinds', 'sandboxes', 'runs', 'episodes'] as const;

const statuses: readonly EpisodeRecord['status'][] = ['running', 'over', 'limit', 'error', 'abort'];

export const list: CommandDeclaration = {
  declare(command) {
    command
      .argument('[what]', `kinds, or one of them: ${[...kinds.map(({ name }) => name), ...otherLists].join(', ')}; without it, an overview`)
      .option('--run <id>', 'episodes of this run')
      .option('--environment <name>', 'episodes of this world')
      .option('--agent <name>', 'episodes in which this agent plays')
      .option('--status <status>', `episodes that are ${statuses.join(', ')}`, oneOf('--status', statuses))
      .option('--limit <n>', 'the newest so many episodes (default: 20)', whole('--limit', 1));
    withJson(withStore(command));
    examples(command, {
      'ludus list kinds': 'what kinds of things there are',
      'ludus list scorers': 'everything of a kind, your own of ludus.config included',
      'ludus list environments': 'every world, your own of ludus.config first',
      'ludus list episodes --run baseline --limit 50': 'the newest episodes of a run',
      'ludus list sandboxes': 'where code of models can run on this machine, and what that holds',
      'ludus list runs --json': 'for machines',
    });
  },

  load: async () => (await import('../commands/list.ts')).list,
};
