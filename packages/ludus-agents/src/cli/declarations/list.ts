/** @file What `ludus list` takes: its options, help and examples. */

import type { EpisodeRecord } from '@ludus-agents/kernel/internal/core/index';
import { kinds } from '@ludus-agents/servers/internal/kinds';
import { type CommandDeclaration, examples, oneOf, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

/** What can be listed besides kinds. */
export const otherLists = ['kinds', 'sandboxes', 'runs', 'episodes'] as const;

const statuses: readonly EpisodeRecord['status'][] = ['running', 'over', 'limit', 'error', 'abort'];

export const list: CommandDeclaration = {
  declare(command) {
    command
      .argument('[what]', `kinds, or one of them: ${[...kinds.map(({ name }) => name), ...otherLists].join(', ')}; without it, an overview`)
      .option(...flag('run', 'only its episodes'))
      .option(...flag('environment', 'only its episodes'))
      .option(...flag('agent', 'only episodes in which it plays'))
      .option('--status <status>', `episodes that are ${statuses.join(', ')}`, oneOf('--status', statuses))
      .option(...flag('limit', '(default: 20)'), whole('--limit', 1));
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
