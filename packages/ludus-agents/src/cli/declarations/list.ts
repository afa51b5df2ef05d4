/** @file Declares the options, help, and examples of `ludus list`. */

import type { EpisodeRecord } from '@ludus-agents/kernel/internal/core/index';
import { kinds } from '@ludus-agents/servers/internal/kinds';
import { otherLists } from '../../library/list-names.ts';
import { type CommandDeclaration, examples, oneOf, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

const statuses: readonly EpisodeRecord['status'][] = ['running', 'over', 'limit', 'error', 'abort'];

export const list: CommandDeclaration = {
  declare(command) {
    command
      .argument('[what]', `what to list: ${[...kinds.map(({ name }) => name), ...otherLists].join(', ')} (default: an overview)`)
      .option(...flag('run', 'only episodes of this run'))
      .option(...flag('environment', 'only episodes of this environment'))
      .option(...flag('agent', 'only episodes with this agent'))
      .option('--status <status>', `only episodes with this status: ${statuses.join(', ')}`, oneOf('--status', statuses))
      .option(...flag('limit', 'maximum number of runs or episodes, newest first (default: 20)'), whole('--limit', 1));
    withJson(withStore(command));
    examples(command, {
      'ludus list kinds': 'all kinds, with a description of each',
      'ludus list scorers': 'all scorers, including yours from ludus.config',
      'ludus list environments': 'all environments, yours first',
      'ludus list episodes --run baseline --limit 50': 'the newest episodes of a run',
      'ludus list sandboxes': 'sandboxes available on this machine, and what they isolate',
      'ludus list runs --json': 'as JSON',
    });
  },

  load: async () => (await import('../commands/list.ts')).list,
};
