/**
 * @file What a run came to: for every environment, seat and agent the mean return with its standard error, folded from counts of what ended
 * alike.
 */

import type { EpisodeTally, Seat, Store } from '../core/index.ts';
import { testedSeats } from '../scoring/evaluation/row.ts';
import { currentTally } from '../workspace/versions.ts';

export interface RunResult {
  readonly environment: string;
  readonly seat: Seat;
  readonly agent: string;
  /** Episodes that came to an end by their rules or a limit; the mean is over these. */
  readonly episodes: number;
  readonly mean: number;
  /** Standard error of the mean; null for a single episode. */
  readonly error: number | null;
}

interface Sums {
  readonly environment: string;
  readonly seat: Seat;
  readonly agent: string;
  n: number;
  mean: number;
  /** Sum of squared distances from the mean, kept up to date group by group (Chan, Golub and LeVeque). */
  squares: number;
}

/** What the present versions of a run's agents came to. A run of a million episodes is counted by the store: only what differs is read. */
export async function resultsOf(store: Store, run: string): Promise<readonly RunResult[]> {
  return resultsIn((await currentTally(store, run)).tallies);
}

export function resultsIn(tallies: readonly EpisodeTally[]): readonly RunResult[] {
  const sums = new Map<string, Sums>();
  for (const tally of tallies) if (tally.status === 'over' || tally.status === 'limit') add(sums, tally);
  return [...sums.values()]
    .map(({ environment, seat, agent, n, mean, squares }) => ({
      environment,
      seat,
      agent,
      episodes: n,
      mean,
      error: n < 2 ? null : Math.sqrt(squares / (n - 1) / n),
    }))
    .sort((a, b) => order(a.environment, b.environment) || order(a.agent, b.agent) || order(a.seat, b.seat));
}

function add(sums: Map<string, Sums>, { environment, cast, returns, count }: EpisodeTally): void {
  for (const seat of playersIn({ environment, cast })) {
    const agent = cast[seat]!;
    const key = JSON.stringify([environment, seat, agent]);
    const sum = sums.get(key) ?? { environment, seat, agent, n: 0, mean: 0, squares: 0 };
    sums.set(key, sum);
    const off = (returns?.[seat] ?? 0) - sum.mean;
    const total = sum.n + count;
    sum.mean += (off * count) / total;
    sum.squares += (off * off * sum.n * count) / total;
    sum.n = total;
  }
}

/** Every seat; in a conversation from elsewhere, neither what ran the environment nor the user. */
export function playersIn({ environment, cast }: Pick<EpisodeTally, 'environment' | 'cast'>): readonly Seat[] {
  return environment.startsWith('relay@') ? testedSeats({ environment, cast }) : Object.keys(cast);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
