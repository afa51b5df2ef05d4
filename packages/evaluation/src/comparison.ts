/** @file Finds the two sides of a comparison, each an agent with stored episodes or a run. */

import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { agentNames, findRun, runNames } from '@ludus-agents/store/internal/stores';
import { readScoredRows, type ScoredRows } from './score-run.ts';
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
  const agents = await newestVersions(store, await readScoredRows(store, wanted));
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

/** The rows without those of runs that have a newer version: a suite or a file of cases that was edited has a run for each of its versions. */
async function newestVersions(store: Store, scored: ScoredRows): Promise<ScoredRows> {
  const runOf = ({ episode }: ScoreRow) => scored.records.get(episode)?.run ?? null;
  const runs = new Set(scored.rows.map(runOf));
  const newest = new Map<string, { readonly id: string; readonly uses: number }>();
  for (const { id } of await store.runs()) {
    const name = versionedName(id);
    if (name === null || !runs.has(id)) continue;
    const uses = await usesOf(store, id);
    if (uses >= (newest.get(name)?.uses ?? 0)) newest.set(name, { id, uses });
  }
  const isOld = (run: string | null) => {
    const name = run === null ? null : versionedName(run);
    return name !== null && newest.get(name)?.id !== run;
  };
  const rows = scored.rows.filter((row) => !isOld(runOf(row)));
  if (rows.length === scored.rows.length) return scored;
  const left = new Set(scored.rows.filter((row) => isOld(runOf(row))).map(({ episode }) => episode));
  return { ...scored, rows, earlier: scored.earlier + left.size };
}

const useJournal = 'uses';

/** Where the run stands among the versions of its suite: the one that was evaluated last has the highest number. */
async function usesOf(store: Pick<Store, 'notes'>, run: string): Promise<number> {
  return Number((await store.notes(run, useJournal)).at(-1) ?? 0);
}

/** Notes that this version of a suite is the current one, where another was evaluated after it: an edit was undone. */
export async function noteUse(store: Pick<Store, 'note' | 'notes' | 'runs'>, run: string): Promise<void> {
  const name = versionedName(run);
  if (name === null) return;
  const versions = (await store.runs()).map(({ id }) => id).filter((id) => versionedName(id) === name);
  const uses = await Promise.all(versions.map((id) => usesOf(store, id)));
  const most = Math.max(0, ...uses);
  if (versions.findLast((_, i) => uses[i] === most) === run) return;
  const entries = await store.notes(run, useJournal);
  // Another process that evaluates the same notes the same.
  await store.note(run, useJournal, entries.length, [most + 1]).catch(() => {});
}

/** What the run of a suite is named after, without the hash of its contents; null for other runs. */
function versionedName(run: string): string | null {
  const [, name] = /^(?!arena-)(.+)-[0-9a-f]{8}$/.exec(run) ?? [];
  return name ?? null;
}

async function rowsOfRun(
  store: Store,
  typed: string,
  { score, card }: Pick<SideQuery, 'score' | 'card'>,
): Promise<{ run: string; rows: readonly ScoreRow[]; score: string; earlier: number } | null> {
  const run = await findRun(store, typed);
  if (run === null) return null;
  const scoredRows = await readScoredRows(store, { run: run.id, card, ...(score === undefined ? {} : { score }) });
  // What the agents that do not try came to says nothing about a run.
  const tested = testedAmong(
    scoredRows.rows.map((row) => row.agent),
    undefined,
    await readNulls(store, run.id),
  );
  const rows = scoredRows.rows.filter((row) => tested.includes(row.agent));
  return { run: run.id, rows, score: scoredRows.score, earlier: scoredRows.earlier };
}

/** The agents among these names that are meant: the one that is named, else all that try. `nulls` are those of the suite that do not. */
export function testedAmong(names: readonly string[], agent: string | undefined, nulls: readonly string[] = []): readonly string[] {
  const all = [...new Set(names)];
  if (agent !== undefined && all.includes(agent)) return [agent];
  const others = all.filter((name) => !nulls.includes(name));
  const trying = others.filter((name) => !/^(?:random|passive|scripted(?::.*)?)$/.test(name));
  if (trying.length > 0) return trying;
  return others.length > 0 ? others : all;
}

const nullJournal = 'nulls';

/** Notes the agents of a suite that do not try with its run, once. */
export async function noteNulls(store: Pick<Store, 'note' | 'notes'>, run: string, nulls: readonly string[]): Promise<void> {
  if (nulls.length === 0 || (await store.notes(run, nullJournal)).length > 0) return;
  // Another process that plays the same has noted the same.
  await store.note(run, nullJournal, 0, nulls).catch(() => {});
}

/** The agents of a run that do not try, as its suite says. */
export async function readNulls(store: Pick<Store, 'notes'>, run: string): Promise<readonly string[]> {
  return (await store.notes(run, nullJournal)).filter((name) => typeof name === 'string');
}
