/**
 * @file Advantages alone, on bandits whose best policy is known. Options: game, by, seed.
 *
 * "seats": two seats share prompts, and one is paid twenty times as much. With by "seat", each seat is normalized separately; with
 * "prompt", both together. Prints the probability of the right move for the seat that is paid less.
 *
 * "turns": four decisions in a row, each rewarded immediately, with noise. With by "turn", a decision is credited with the rewards
 * after it and compared within its turn; with "episode", with the whole return. Prints the mean probability of the right move.
 */

import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { groupAdvantages } from '@ludus-agents/learning/internal/rl/baselines/group';
import type { ProgramOptions } from '../arms.ts';

const moves = 4;
const size = 16;
const rule = { center: 'mean', scale: 'std', single: 'zero' } as const;

export default function run({ game = 'seats', by = 'seat', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), String(game));
  return game === 'seats' ? seats(String(by), random) : turns(String(by), random);
}

function seats(by: string, random: Rng): Json {
  const scales = [1, 20];
  const logits = scales.map(() => new Array<number>(moves).fill(0));
  for (let update = 0; update < 60; update++) {
    const played = scales.flatMap((scale, seat) =>
      Array.from({ length: size }, () => {
        const move = random.weighted(chances(logits[seat]));
        return { seat, move, reward: scale * ((move === seat ? 1 : 0) + 0.5 * bell(random)) };
      }),
    );
    const groups = played.map(({ seat }) => (by === 'seat' ? seat : 0));
    descend(
      logits,
      played.map(({ seat, move }) => ({ at: seat, move })),
      groupAdvantages(
        played.map(({ reward }) => reward),
        groups,
        rule,
      ),
    );
  }
  return { right: chances(logits[0])[0] };
}

function turns(by: string, random: Rng): Json {
  const count = 4;
  const logits = Array.from({ length: count }, () => new Array<number>(moves).fill(0));
  for (let update = 0; update < 40; update++) {
    const played = Array.from({ length: size }, () => {
      const used = logits.map((options) => random.weighted(chances(options)));
      return { taken: used, rewards: used.map((move, turn) => (move === turn ? 1 : 0) + bell(random)) };
    });
    const steps = played.flatMap(({ taken: moves }) => moves.map((move, turn) => ({ at: turn, move })));
    const returns = played.flatMap(({ rewards }) =>
      rewards.map((_, turn) => (by === 'turn' ? rewards.slice(turn) : rewards).reduce((sum, reward) => sum + reward, 0)),
    );
    const groups = steps.map(({ at }) => (by === 'turn' ? at : 0));
    descend(logits, steps, groupAdvantages(returns, groups, rule));
  }
  return { right: logits.reduce((sum, options, turn) => sum + chances(options)[turn], 0) / count };
}

/** One step of the policy gradient, averaged over the batch. */
function descend(
  logits: readonly number[][],
  steps: readonly { readonly at: number; readonly move: number }[],
  advantages: ArrayLike<number>,
): void {
  const before = logits.map((options) => chances(options));
  for (const [i, { at, move }] of steps.entries())
    for (let other = 0; other < moves; other++)
      logits[at][other] += ((0.1 * 4) / size) * advantages[i] * ((other === move ? 1 : 0) - before[at][other]);
}

function chances(logits: readonly number[]): readonly number[] {
  const weights = logits.map((logit) => Math.exp(logit));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function bell(random: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
