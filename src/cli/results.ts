/** @file What a run came to: for every world, seat and agent the mean return with its standard error. */

import { grouped, signed } from '../company/amounts.ts';
import { type EpisodeRecord, printable, type Seat, type Store } from '../core/index.ts';
import { inkFor } from './ink.ts';
import { tinted } from './scene.ts';
import { type Column, table } from './table.ts';
import { columnsOf, type Terminal } from './terminal.ts';

export interface Result {
  readonly environment: string;
  readonly seat: Seat;
  readonly agent: string;
  /** Episodes that came to an end by their rules or a limit; the mean is over these. */
  readonly episodes: number;
  readonly mean: number;
  /** Standard error of the mean; null for a single episode. */
  readonly error: number | null;
}

interface Tally {
  readonly environment: string;
  readonly seat: Seat;
  readonly agent: string;
  n: number;
  mean: number;
  /** Sum of squared distances from the mean, kept up to date one return at a time (Welford). */
  squares: number;
}

const page = 1000;

/** Reads a run page by page: a run of a million episodes needs no more memory than one of ten. */
export async function resultsOf(store: Store, run: string): Promise<readonly Result[]> {
  const tallies = new Map<string, Tally>();
  let before: number | undefined;
  for (;;) {
    const rows = await store.episodes({ run, limit: page, ...(before === undefined ? {} : { before }) });
    for (const row of rows) if (row.status === 'over' || row.status === 'limit') add(tallies, row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) break;
    before = last.order;
  }
  return [...tallies.values()]
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

function add(tallies: Map<string, Tally>, { environment, cast, returns }: EpisodeRecord): void {
  for (const [seat, agent] of Object.entries(cast)) {
    const key = JSON.stringify([environment, seat, agent]);
    let tally = tallies.get(key);
    if (tally === undefined) {
      tally = { environment, seat, agent, n: 0, mean: 0, squares: 0 };
      tallies.set(key, tally);
    }
    const value = returns?.[seat] ?? 0;
    const off = value - tally.mean;
    tally.n++;
    tally.mean += off / tally.n;
    tally.squares += off * (value - tally.mean);
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function resultsTable(results: readonly Result[], terminal: Terminal): string {
  const ink = inkFor(terminal.stdout, terminal.env);
  if (results.length === 0) return ink.faint('No episode has ended yet.');
  const rows = results.map(({ environment, seat, agent, episodes, mean, error }) => [
    printable(environment),
    printable(agent),
    printable(seat),
    grouped(episodes),
    tinted(ink, mean),
    error === null ? '' : ink.faint(`± ${signed(error).replace('+', '')}`),
  ]);
  const columns: readonly Column[] = [
    { title: 'environment' },
    { title: 'agent', flexible: 'cut' },
    { title: 'seat', flexible: 'cut' },
    { title: 'episodes', align: 'right' },
    { title: 'mean return', align: 'right' },
    { title: '' },
  ];
  return table(columns, rows, { ink, columns: terminal.stdout.isTTY === true ? columnsOf(terminal.stdout) : undefined });
}
