/** @file Finds the two sides of a comparison, each an agent with stored episodes or a run. */

import { listWords } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { agentNames, findRun, runNames } from '@ludus-agents/store/internal/stores';
import type { AgentInRuns } from './agent-in-runs.ts';
import { readScoredRows, type ScoredRows, scoredRowsIn } from './score-run.ts';
import { type ContestSide, type ScoreRow, sharedRows } from './scoring/evaluation/index.ts';
import type { KeptCard } from './scoring/trust/use.ts';
import { CurrentRuns, readStoredRun, type StoredQuery } from './stored-run.ts';

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
  /** Rows of tasks, seats, or other agents that only one of them has. */
  readonly leftOut: number;
  /** Episodes of earlier versions of the two, which are excluded. */
  readonly earlier: number;
  /** The runs that the rows come from. */
  readonly runs: readonly string[];
}

/** An agent or a run by its name, or an agent that is a file. */
export type Side = string | AgentInRuns;

/** Each is an agent with episodes in the store or, if there is none of that name, a run. */
export async function sides(store: Store, named: readonly [Side, Side], { run, score, card }: SideQuery): Promise<ComparedSides> {
  const pair = [await storedName(store, named[0]), await storedName(store, named[1])] as const;
  const queries = run === undefined ? pair.flatMap(queriesFor) : [{ run }];
  const stored = await readStoredRun(store, queries);
  const sidesBy = async (by: string | undefined) => {
    const played = await scoredRowsIn(stored, { score: by, card });
    const rows = pair.map((side) => played.rows.filter((row) => isRowOf(side, row, played)));
    const isPlayed = rows.map(({ length }) => length > 0);
    return {
      isPlayed,
      agents: isPlayed.includes(false) ? null : await agentSides(store, played, { pair, rows, isOneRun: run !== undefined }),
    };
  };
  const { isPlayed, agents } = await sidesBy(score);
  if (agents !== null) return agents.sides;
  // Otherwise one of them may have suite results that the shared episodes lack.
  const returns = score === undefined ? await sidesBy('return') : null;
  if (returns?.agents?.isShared === true) return returns.agents.sides;
  const names = pair.map((side) => (typeof side === 'string' ? side : side.word));
  if (returns !== null && !returns.isPlayed.includes(false) && isPlayed.includes(true))
    throw new Fault('input', `${listWords(names)} have not played the same tasks. Play both with --on SUITE.`);
  const wholeRuns = await Promise.all(
    pair.map((side) => (typeof side === 'string' ? rowsOfRun(store, side, { score, card }) : Promise.resolve(null))),
  );
  const missing = pair.findIndex((_, i) => !isPlayed[i] && wholeRuns[i] === null);
  const [left, right] = wholeRuns;
  if (missing >= 0 || left === null || right === null) throw await nobody(store, pair[Math.max(0, missing)], { run, words: names });
  checkSameAgents([left, right].map(({ run: id, rows }) => ({ run: id, agents: rows.map(({ agent }) => agent) })));
  return {
    a: { name: left.run, rows: left.rows },
    b: { name: right.run, rows: right.rows },
    leftOut: 0,
    score: left.score,
    earlier: left.earlier + right.earlier,
    runs: [left.run, right.run],
  };
}

/** A run is compared by its agents. Runs of several agents must have tested the same ones, or their means are not comparable. */
export function checkSameAgents(runs: readonly { readonly run: string; readonly agents: readonly string[] }[]): void {
  const names = runs.map(({ agents }) => [...new Set(agents)].sort());
  const several = names.findIndex(({ length }) => length > 1);
  if (several < 0 || names.every((list) => list.join('\n') === names[0].join('\n'))) return;
  const { run } = runs[several];
  throw new Fault(
    'input',
    `${run} tested several agents: ${listWords(names[several])}. Name the two agents to compare instead of their runs.`,
    {
      code: 'E_AMBIGUOUS_NAME',
      details: { kind: 'agents', name: run, matches: names[several] },
    },
  );
}

/** A player selected by its kind is stored under its full name: "scripted" played Kuhn poker as "scripted:equilibrium". */
async function storedName(store: Store, side: Side): Promise<Side> {
  if (typeof side !== 'string' || side.includes(':')) return side;
  if ((await store.episodes({ agent: side, limit: 1 })).length > 0 || (await findRun(store, side)) !== null) return side;
  const full = (await agentNames(store)).filter((name) => name.startsWith(`${side}:`));
  if (full.length === 0) return side;
  if (full.length === 1) return full[0];
  throw new Fault(
    'input',
    `"${side}" could be any of ${full.length} agents of this store: ${full.slice(0, 8).join(', ')}. Use a full name.`,
    {
      code: 'E_AMBIGUOUS_NAME',
      details: { kind: 'agents', name: side, matches: full },
    },
  );
}

function queriesFor(side: Side): readonly StoredQuery[] {
  if (typeof side === 'string') return [{ agent: side }];
  const outside = side.others.length === 0 ? [{ run: null, agent: side.name }] : [];
  return [...outside, ...[...side.names].map(([run, agent]) => ({ run, agent }))];
}

function isRowOf(side: Side, { agent, episode }: ScoreRow, { records }: Pick<ScoredRows, 'records'>): boolean {
  if (typeof side === 'string') return agent === side;
  const run = records.get(episode)?.run ?? null;
  return run === null ? side.others.length === 0 && agent === side.name : side.names.get(run) === agent;
}

/** Two sides, and whether they have played the same tasks. */
interface PairedSides {
  readonly sides: ComparedSides;
  readonly isShared: boolean;
}

interface AgentRows {
  readonly pair: readonly [Side, Side];
  readonly rows: readonly (readonly ScoreRow[])[];
  readonly isOneRun: boolean;
}

/**
 * The two sides of agents, by what they were in their newest episodes, on the newest version of each suite. Where that leaves nothing that both
 * have played, by what they were in the runs that both took part in.
 */
async function agentSides(store: Store, played: ScoredRows, { pair, rows, isOneRun }: AgentRows): Promise<PairedSides> {
  const runOf = ({ episode }: ScoreRow) => played.records.get(episode)?.run ?? null;
  const episodesOf = (lists: readonly (readonly ScoreRow[])[]) => new Set(lists.flat().map(({ episode }) => episode));
  const runsOf = (list: readonly ScoreRow[]) => new Set(list.map(runOf));
  const [runsOfA, runsOfB] = rows.map(runsOf);
  const current = new CurrentRuns(store);
  let compared: ComparedSides | null = null;
  const isCommon = (row: ScoreRow) => runsOfA.has(runOf(row)) && runsOfB.has(runOf(row));
  const choices = [
    { isCandidate: () => true, isNewestSuite: true },
    { isCandidate: isCommon, isNewestSuite: true },
    { isCandidate: () => true, isNewestSuite: false },
  ];
  for (const { isCandidate, isNewestSuite } of choices) {
    const lists: (readonly ScoreRow[])[] = [];
    for (const [i, side] of pair.entries()) {
      const candidates = rows[i].filter(isCandidate);
      lists.push(isOneRun ? candidates : await newestRows(candidates, side, { played, current }));
    }
    const both = { ...played, rows: lists.flat() };
    const { rows: present } = isOneRun || !isNewestSuite ? both : await newestVersions(store, both, current);
    const isPresent = new Set(present);
    const [a, b] = lists.map((list) => list.filter((row) => isPresent.has(row)));
    if (a.length === 0 || b.length === 0) continue;
    const names = namesOf(pair, [a, b]);
    const [left, right]: readonly [ContestSide, ContestSide] = [
      { name: names[0], rows: a },
      { name: names[1], rows: b },
    ];
    const runs = new Set([...a, ...b].map(runOf));
    // In one run both were given the same to do, and the comparison is that of its table. Over several, only what both have done compares.
    const shared = runs.size > 1 ? sharedRows(left, right) : { a: left, b: right, leftOut: 0 };
    const earlier = played.earlier + episodesOf(rows).size - episodesOf([a, b]).size;
    const candidate = { ...shared, score: played.score, earlier, runs: [...runs].filter((id) => id !== null) };
    if (runs.size === 1 || shared.a !== left) return { sides: candidate, isShared: true };
    compared ??= candidate;
  }
  return { sides: compared!, isShared: false };
}

/**
 * The rows in which an agent was what its files are now or, where it has none such, what it was in its newest episode. Where it has no
 * fingerprints, nobody can tell, and all are taken for the same.
 */
async function newestRows(
  rows: readonly ScoreRow[],
  side: Side,
  { played, current }: { readonly played: ScoredRows; readonly current: CurrentRuns },
): Promise<readonly ScoreRow[]> {
  const ids = new Map<ScoreRow, string | undefined>();
  let newest: { readonly order: number; readonly id: string | undefined; readonly isPresent: boolean } | null = null;
  for (const row of rows) {
    const record = played.records.get(row.episode)!;
    const isNow = typeof side !== 'string' && side.current.has(record.versions?.agents[row.seat] ?? '');
    const id = isNow ? 'now' : await current.identify(record, row.seat);
    ids.set(row, id);
    const isPresent = isNow || (await current.isPresent(record, row.seat));
    if (newest === null || (isPresent === newest.isPresent ? record.order > newest.order : isPresent))
      newest = { order: record.order, id, isPresent };
  }
  return rows.filter((row) => ids.get(row) === newest?.id);
}

/** The names of the sides: a file by its name in the run, and with its file if the other has that name. */
function namesOf(pair: readonly [Side, Side], rows: readonly (readonly ScoreRow[])[]): readonly [string, string] {
  const [a, b] = pair.map((side, i) => (typeof side === 'string' ? side : rows[i].at(-1)!.agent));
  if (a !== b || pair[0] === pair[1]) return [a, b];
  const [left, right] = pair.map((side, i) => (typeof side === 'string' ? side : `${rows[i].at(-1)!.agent} (${side.word})`));
  return [left, right];
}

async function nobody(
  store: Store,
  side: Side,
  { run, words }: { readonly run: string | undefined; readonly words: readonly string[] },
): Promise<Fault> {
  const where = run === undefined ? '' : ` under ${run}`;
  if (typeof side !== 'string') {
    const others = side.others.length === 0 ? '' : ` The name "${side.name}" belongs to ${listWords(side.others)}.`;
    return new Fault(
      'input',
      `${side.word} has no stored episodes${where}.${others} Play it with "ludus eval", or compare ${listWords(words)} with --on SUITE.`,
    );
  }
  const agents = (await agentNames(store)).filter((name) => name !== side);
  const meant = didYouMean(side, [...agents, ...(await runNames(store))]);
  const played = agents.length === 0 ? '' : ` Agents with episodes: ${agents.slice(0, 8).join(', ')}${agents.length > 8 ? ', …' : ''}.`;
  return new Fault(
    'input',
    `No agent and no run called "${side}" has played in this store${where}.${meant}${played} Let it play with "ludus eval SUITE --agents ${words.join(',')}".`,
    { code: 'E_UNKNOWN_NAME', details: { kind: 'agents or runs', name: side } },
  );
}

/**
 * The rows without those of other versions of a suite: one that was edited has a run for each of its versions. The one that its file is now
 * counts or, where that was not played, the newest.
 */
async function newestVersions(store: Store, scored: ScoredRows, current: CurrentRuns): Promise<ScoredRows> {
  const runOf = ({ episode }: ScoreRow) => scored.records.get(episode)?.run ?? null;
  const runs = new Set(scored.rows.map(runOf));
  const newest = new Map<string, { readonly id: string; readonly uses: number; readonly isPresent: boolean }>();
  for (const { id } of await store.runs()) {
    const name = versionedName(id);
    if (name === null || !runs.has(id)) continue;
    const [uses, isPresent] = [await usesOf(store, id), await current.isPlanPresent(id)];
    const before = newest.get(name);
    if (before === undefined || (isPresent === before.isPresent ? uses >= before.uses : isPresent))
      newest.set(name, { id, uses, isPresent });
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

/** The version number of the run's suite: the one that was evaluated last has the highest number. */
async function usesOf(store: Pick<Store, 'notes'>, run: string): Promise<number> {
  return Number((await store.notes(run, useJournal)).at(-1) ?? 0);
}

/** Records that this version of a suite is the current one, if another was evaluated after it: an edit was undone. */
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

/** The base name of a suite's run, without the hash of its contents; null for other runs. */
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
  // The results of null agents say nothing about a run.
  const tested = testedAmong(
    scoredRows.rows.map((row) => row.agent),
    undefined,
    await readNulls(store, run.id),
  );
  const rows = scoredRows.rows.filter((row) => tested.includes(row.agent));
  return { run: run.id, rows, score: scoredRows.score, earlier: scoredRows.earlier };
}

/** The selected agents among these names: the named one, or all but the null agents. `nulls` are those of the suite. */
export function testedAmong(names: readonly string[], agent: string | undefined, nulls: readonly string[] = []): readonly string[] {
  const all = [...new Set(names)];
  if (agent !== undefined && all.includes(agent)) return [agent];
  const others = all.filter((name) => !nulls.includes(name));
  const trying = others.filter((name) => !/^(?:random|passive|scripted(?::.*)?)$/.test(name));
  if (trying.length > 0) return trying;
  return others.length > 0 ? others : all;
}

const nullJournal = 'nulls';

/** Records the null agents of a suite with its run, once. */
export async function noteNulls(store: Pick<Store, 'note' | 'notes'>, run: string, nulls: readonly string[]): Promise<void> {
  if (nulls.length === 0 || (await store.notes(run, nullJournal)).length > 0) return;
  // Another process that plays the same suite has recorded the same.
  await store.note(run, nullJournal, 0, nulls).catch(() => {});
}

/** The null agents of a run, as defined by its suite. */
export async function readNulls(store: Pick<Store, 'notes'>, run: string): Promise<readonly string[]> {
  return (await store.notes(run, nullJournal)).filter((name) => typeof name === 'string');
}
