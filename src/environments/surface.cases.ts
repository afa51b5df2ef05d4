/** @file What the switches of an environment must not change, for a short test and a long one. */

import { expect } from 'vitest';
import { type AnyEnvironment, type EpisodeEvent, type Json, type Seat, scriptedPolicy } from '../core/index.ts';
import { check } from '../engine/check.ts';
import { replay } from '../engine/replay.ts';
import { rollout } from '../engine/rollout.ts';
import { builtInEnvironment } from './index.ts';

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
