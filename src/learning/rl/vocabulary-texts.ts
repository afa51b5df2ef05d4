/**
 * @file Collects what can be read and written in an environment, by playing it at random: the texts from which a language model learns its
 * vocabulary.
 */

import { type AnyEnvironment, type Json, rng, type Seed, scriptedPolicy, textOf } from '../../core/index.ts';
import { rollout } from '../../engine/rollout.ts';

/** Broken in each of the ways a move can be, so that the environment's feedback is read too. */
export const nonsense: readonly string[] = ['?', '[', '[?]', '[[?]'];

export async function textsOf(
  environment: AnyEnvironment,
  { games, seed, task = {} }: { readonly games: number; readonly seed: Seed; readonly task?: Json },
): Promise<readonly string[]> {
  const texts: string[] = [];
  const policy = scriptedPolicy('random', ({ view, ask, rng: dice }) => {
    const text = dice.pick(dice.int(10) === 0 || ask.choices === undefined ? nonsense : ask.choices);
    texts.push(`${textOf(view)}${view.seat}: `, text);
    return { text };
  });
  const dice = rng(seed, 'texts');
  const seats: readonly string[] = environment.seats(environment.task(task));
  await rollout(environment, Object.fromEntries(seats.map((seat) => [seat, policy])), {
    seeds: Array.from({ length: games }, () => dice.int(2 ** 32)),
    task,
  });
  return texts;
}
