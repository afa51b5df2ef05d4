/** @file Finds the two sides of a comparison, each an agent with stored episodes or a run. */

import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { agentNames, findRun, runNames } from '@ludus-agents/store/internal/stores';
import { readScoredRows } from './score-run.ts';
import { type ContestSide, type ScoreRow, sharedRows } from './scoring/evaluation/index.ts';
import type { KeptCard } from './scoring/trust/use.ts';

export interface SideQuery {
  readonly run: string | undefined;
  readonly score: string | undefined;
  readonly card: KeptCard | undefined;
}

export interface ComparedSides {
  readonly a: ContestSide;
  readonly b: ContestSide;
  /** The name of the score that decides. */
  readonly score: string;
  /** Rows of tasks, seats or other agents that only one of them has had. */
  readonly leftOut: number;
  /** Episodes of earlier versions of the two, which do not count. */
  readonly earlier: number;
  /** The runs that the rows come from. */
  readonly runs: readonly string[];
}

/** Each word is an agent with episodes in the store or, where there is none of that name, a run. */
export async function sides(store: Store, [a, b]: readonly [string, string], { run, score, card }: SideQuery): Promise<ComparedSides> {
  const wanted = { agents: [a, b], card, ...(run === undefined ? {} : { run }), ...(score === undefined ? {} : { score }) };
  const agents = await readScoredRows(store, wanted);
  const of = (name: string) => agents.rows.filter((row) => row.agent === name);
  if (of(a).length > 0 && of(b).length > 0) {
    const [left, right]: readonly [ContestSide, ContestSide] = [
      { name: a, rows: of(a) },
      { name: b, rows: of(b) },
    ];
    const runs = new Set([...left.rows, ...right.rows].map(({ episode }) => agents.records.get(episode)?.run ?? null));
    // In one run both were given the same to do, and the comparison is that of its table. Over several, only what both have done compares.
    const shared = runs.size > 1 ? sharedRows(left, right) : { a: left, b: right, leftOut: 0 };
    return { ...shared, score: agents.score, earlier: agents.earlier, runs: [...runs].filter((id) => id !== null) };
  }
  const [left, right] = [await rowsOfRun(store, a, { score, card }), await rowsOfRun(store, b, { score, card })];
  const missing = [a, b].filter((name, i) => of(name).length === 0 && (i === 0 ? left : right) === null);
  if (missing[0] !== undefined || left === null || right === null) {
    const name = missing[0] ?? a;
    const meant = didYouMean(name, [...(await agentNames(store)), ...(await runNames(store))]);
    throw new Fault(
      'input',
      `No agent and no run called "${name}" has played in this store${run === undefined ? '' : ` under ${run}`}. Run "ludus list episodes" to see who has.${meant}`,
    );
  }
  return {
    a: { name: left.run, rows: left.rows },
    b: { name: right.run, rows: right.rows },
    leftOut: 0,
    score: left.score,
    earlier: left.earlier + right.earlier,
    runs: [left.run, right.run],
  };
}

async function rowsOfRun(
  store: Store,
  typed: string,
  { score, card }: Pick<SideQuery, 'score' | 'card'>,
): Promise<{ run: string; rows: readonly ScoreRow[]; score: string; earlier: number } | null> {
  const run = await findRun(store, typed);
  if (run === null) return null;
  const scoredRows = await readScoredRows(store, { run: run.id, card, ...(score === undefined ? {} : { score }) });
  return { run: run.id, rows: scoredRows.rows, score: scoredRows.score, earlier: scoredRows.earlier };
}
