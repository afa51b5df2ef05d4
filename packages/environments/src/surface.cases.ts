/** @file Checks what the switches of an environment must not change, for a short test and a long one. */

import { type AnyEnvironment, type EpisodeEvent, type Json, type Seat, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect } from 'vitest';
import { builtInEnvironment } from './built-in.ts';

const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: ask.choices === undefined ? 'hello' : rng.pick(ask.choices) }));

export async function randomPlay(
  environment: AnyEnvironment,
  task: Json,
  seeds = [1, 2, 3],
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const policies = Object.fromEntries(environment.seats(environment.task(task)).map((seat: Seat) => [seat, random]));
  return rollout(environment, policies, { seeds, task, limits: { turns: 60 } });
}

export interface Effort {
  readonly episodes: number;
  readonly steps: number;
  readonly seeds: number[];
}

/** An environment with its switches on keeps the rules of all environments, and its logs replay. */
export async function conforms(name: string, { episodes, steps, seeds }: Effort): Promise<void> {
  const environment = await builtInEnvironment(name);
  const dressed = { ...environment, about: { ...environment.about, tasks: [{ legal: true, disguise: 3 }] } };
  expect(await check(dressed, { episodes, steps })).toEqual([]);
  for (const log of await randomPlay(environment, { legal: true, window: 3, disguise: 9 }, seeds))
    expect(replay(environment, log)).toBeNull();
}
