/** @file Two sides to be compared, each an agent that has played or a run. */

import { Fault, type Store } from '../core/index.ts';
import type { Row, Side } from '../scoring/evaluation/index.ts';
import type { KeptCard } from '../scoring/trust/use.ts';
import { gather } from './scored.ts';
import { runBy } from './stores.ts';

export interface Where {
  readonly run: string | undefined;
  readonly score: string | undefined;
  readonly card: KeptCard | undefined;
}

/** Each word is an agent that has played or, where none of that name has, a run. */
export async function sides(
  store: Store,
  [a, b]: readonly [string, string],
  { run, score, card }: Where,
): Promise<{ a: Side; b: Side; score: string }> {
  const wanted = { agents: [a, b], card, ...(run === undefined ? {} : { run }), ...(score === undefined ? {} : { score }) };
  const agents = await gather(store, wanted);
  const of = (name: string) => agents.rows.filter((row) => row.agent === name);
  if (of(a).length > 0 && of(b).length > 0) return { a: { name: a, rows: of(a) }, b: { name: b, rows: of(b) }, score: agents.score };
  const [left, right] = [await rowsOfRun(store, a, { score, card }), await rowsOfRun(store, b, { score, card })];
  const missing = [a, b].filter((name, i) => of(name).length === 0 && (i === 0 ? left : right) === null);
  if (missing[0] !== undefined || left === null || right === null)
    throw new Fault(
      'input',
      `No agent and no run called "${missing[0] ?? a}" has played in this store${run === undefined ? '' : ` under ${run}`}; "ludus list episodes" shows who has.`,
    );
  return { a: { name: left.run, rows: left.rows }, b: { name: right.run, rows: right.rows }, score: left.score };
}

async function rowsOfRun(
  store: Store,
  typed: string,
  { score, card }: Pick<Where, 'score' | 'card'>,
): Promise<{ run: string; rows: readonly Row[]; score: string } | null> {
  const run = await runBy(store, typed);
  if (run === null) return null;
  const found = await gather(store, { run: run.id, card, ...(score === undefined ? {} : { score }) });
  return { run: run.id, rows: found.rows, score: found.score };
}
