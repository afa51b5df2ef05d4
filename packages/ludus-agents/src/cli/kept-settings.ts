/** @file Kept episodes that the options of a command name, as settings of a recipe. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { KeptSource } from '@ludus-agents/learning/internal/rl/recipe';
import { traceName } from '@ludus-agents/learning/internal/rl/trace-game';
import { keptGround } from '@ludus-agents/learning/internal/training/kept-source';
import { storeExists, withExistingStore } from '@ludus-agents/store/internal/stores';
import type { KeptOptions } from './kept-options.ts';
import type { Terminal } from './terminal.ts';

/** The options as settings of a recipe: the source, and where it was played unless that is said. */
export async function keptSettings(options: KeptOptions, terminal: Terminal, recipeEnvironment = ''): Promise<readonly string[]> {
  const { from, where, mask, maskQuotes, environment } = options;
  if (from === undefined) {
    if (where !== undefined || mask !== undefined || maskQuotes !== undefined)
      throw new Fault('input', '--where, --mask, and --mask-quotes select stored episodes. Add --from RUN.');
    return [];
  }
  const keptSource: KeptSource = {
    from,
    ...(where !== undefined && { where }),
    ...(mask !== undefined && { mask }),
    ...(maskQuotes !== undefined && { maskQuotes }),
  };
  const source = Object.entries(keptSource).map(([name, value]) => `kept.${name}=${JSON.stringify(value)}`);
  if (environment !== undefined) return source;
  const { cwd } = terminal;
  const ground = storeExists(terminal, options)
    ? await withExistingStore(terminal, options, (store) => keptGround(keptSource, { trust: Trust.commandLine, cwd, store }))
    : await keptGround(keptSource, { trust: Trust.commandLine, cwd, store: undefined });
  if (ground === null) throw new Fault('input', `${from} has no episode to learn from. Run "ludus list runs" to see all runs.`);
  const [task, ...more] = ground.tasks;
  // A conversation from elsewhere has no end of its own: a learner that plays one may take as long as the longest that is kept.
  const limit = ground.environment.startsWith('relay') ? [`training.turns=${Math.max(1, ground.turns)}`] : [];
  return [
    ...source,
    ...limit,
    `training.environment=${JSON.stringify(traceName(recipeEnvironment, ground.environment))}`,
    more.length > 0 ? `training.tasks=${JSON.stringify(ground.tasks)}` : `training.task=${JSON.stringify(task ?? {})}`,
  ];
}
