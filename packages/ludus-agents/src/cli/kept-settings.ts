/** @file Converts the options for stored episodes to settings of a recipe. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault, isObject } from '@ludus-agents/kernel/internal/core/index';
import { comparesKept } from '@ludus-agents/learning/internal/rl/kept-pairs';
import type { KeptSource, Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { traceName } from '@ludus-agents/learning/internal/rl/trace-game';
import { type KeptGround, keptGround } from '@ludus-agents/learning/internal/training/kept-source';
import { storeExists, withExistingStore } from '@ludus-agents/store/internal/stores';
import type { KeptOptions } from './kept-options.ts';
import type { Terminal } from './terminal.ts';

/** The options as settings of a recipe: the source, and its environment unless given. */
export async function keptSettings(options: KeptOptions, terminal: Terminal, recipe?: Recipe): Promise<readonly string[]> {
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
  if (environment !== undefined || recipe?.training.environments !== undefined) return source;
  const { cwd } = terminal;
  const ground = storeExists(terminal, options)
    ? await withExistingStore(terminal, options, (store) => keptGround(keptSource, { trust: Trust.commandLine, cwd, store }))
    : await keptGround(keptSource, { trust: Trust.commandLine, cwd, store: undefined });
  if (ground === null) throw new Fault('input', `${from} has no episode to learn from. Run "ludus list runs" to see all runs.`);
  // Episodes of several environments are learned in all of them, each with its usual task.
  if (ground.environments.length > 1)
    return [
      ...source,
      `training.environments=${JSON.stringify(ground.environments.map((name) => ({ environment: name, task: {}, scale: 1 })))}`,
    ];
  const [task, ...more] = ground.tasks;
  return [
    ...source,
    ...(ground.environment.startsWith('relay') ? conversationSettings(ground, recipe) : []),
    `training.environment=${JSON.stringify(traceName(recipe?.training.environment ?? '', ground.environment))}`,
    more.length > 0 ? `training.tasks=${JSON.stringify(ground.tasks)}` : `training.task=${JSON.stringify(task ?? {})}`,
  ];
}

/**
 * An external conversation has no opponents to play with: the assistant's answers are learned, games are as long as the longest stored one,
 * and a recipe that learns only from stored episodes plays one game per update.
 */
function conversationSettings({ turns, tasks }: KeptGround, recipe: Recipe | undefined): readonly string[] {
  const [task] = tasks;
  const seats = isObject(task) && Array.isArray(task['seats']) ? task['seats'] : [];
  const [games, batch] = [recipe?.training.games ?? 0, recipe?.training.batch ?? 1];
  const isIdle = recipe !== undefined && recipe.rounds === undefined && (recipe.loss.kind === 'imitation' || comparesKept(recipe));
  const size = recipe !== undefined && 'size' in recipe.rollout ? recipe.rollout.size : 1;
  return [
    `training.turns=${Math.max(1, turns)}`,
    'training.opponents="self"',
    ...(seats.includes('assistant') ? ['kept.seats=["assistant"]'] : []),
    ...(isIdle ? [`training.batch=${size}`, `training.games=${size * Math.ceil(games / batch)}`] : []),
  ];
}
