/**
 * @file Advantages over the chain of all seats of a game (MARFT, 2504.16129): the next value of a turn is that of the seat that acts next,
 * so the credit of an early role includes a later role's value of the state it received.
 */

import type { EpisodeSample, TurnSample } from '../samples.ts';
import { gae } from './gae.ts';

/** One critic for all seats. */
export interface JointCritic {
  value(turn: TurnSample): number;
  learn(turn: TurnSample, target: number): void;
}

/** One advantage for each turn of each episode. The mean return of a game's seats is paid at the end of its chain. */
export function jointAdvantages(
  episodes: readonly EpisodeSample[],
  returns: readonly number[],
  { discount, trace, critic }: { readonly discount: number; readonly trace: number; readonly critic: JointCritic },
): readonly (readonly number[])[] {
  const out = episodes.map(({ turns }) => turns.map(() => 0));
  const games = Map.groupBy(
    episodes.map((episode, e) => ({ episode, e })),
    ({ episode }) => episode.game,
  );
  for (const seats of games.values()) {
    const chain = seats.flatMap(({ episode, e }) => episode.turns.map((turn, t) => ({ turn, e, t }))).sort((a, b) => a.turn.at - b.turn.at);
    const team = seats.reduce((sum, { e }) => sum + returns[e], 0) / seats.length;
    const rewards = chain.map((_, i) => (i === chain.length - 1 ? team : 0));
    const values = chain.map(({ turn }) => critic.value(turn));
    const beyond = seats.some(({ episode }) => episode.truncated) ? (values.at(-1) ?? 0) : 0;
    const match = gae({ rewards, values, discount, trace, beyond });
    for (const [i, { turn, e, t }] of chain.entries()) {
      out[e][t] = match[i];
      critic.learn(turn, match[i] + values[i]);
    }
  }
  return out;
}
