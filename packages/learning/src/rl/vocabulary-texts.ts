/**
 * @file Collects the texts of an environment by playing it at random or by a script, as training data for a language model's vocabulary.
 */

import type { AnyEnvironment, Json, Policy, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy, textOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { type ScriptErrors, scriptCast } from './script-play.ts';

/** Invalid moves of each kind, so that the environment's error messages are included. */
export const nonsense: readonly string[] = ['?', '[', '[?]', '[[?]'];

export interface TextOptions {
  readonly games: number;
  readonly seed: Seed;
  readonly task?: Json;
  /** The policies on the other seats, and the script on the learner's; random on all of them if unset. */
  readonly others?: Readonly<Record<Seat, Policy>>;
  readonly script?: string | undefined;
  readonly errs?: ScriptErrors | undefined;
  /** The maximum turns of a game; the environment's limit if unset. */
  readonly turns?: number | undefined;
}

export async function textsOf(
  environment: AnyEnvironment,
  { games, seed, task = {}, others = {}, script, errs, turns }: TextOptions,
): Promise<readonly string[]> {
  const texts: string[] = [];
  const dice = rng(seed, 'texts');
  const seeds = Array.from({ length: games }, () => dice.int(2 ** 32));
  const limits = turns === undefined ? {} : { limits: { turns } };
  if (script !== undefined) {
    const cast = scriptCast(
      { environment, task, others },
      { script, errs },
      ({ view }, text) => void texts.push(`${textOf(view)}${view.seat}: `, text),
    );
    await rollout(environment, cast, { seeds, task, ...limits });
    return texts;
  }
  const policy = scriptedPolicy('random', ({ view, ask, rng: dice }) => {
    const text = dice.pick(dice.int(10) === 0 || ask.choices === undefined ? nonsense : ask.choices);
    texts.push(`${textOf(view)}${view.seat}: `, text);
    return { text };
  });
  const seats: readonly string[] = environment.seats(environment.task(task));
  await rollout(environment, Object.fromEntries(seats.map((seat) => [seat, policy])), {
    seeds,
    task,
    ...limits,
  });
  return texts;
}
