/** @file Routes of the runs page: runs and what they came to, episodes page by page, reports, and two sides held against each other. */

import { Hono, type Context as HonoCall } from 'hono';
import {
  type EpisodeQuery,
  type EpisodeRecord,
  type EpisodeTally,
  Fault,
  type RunRecord,
  type Score,
  type Store,
} from '../../../core/index.ts';
import { sides } from '../../../evaluation/comparison.ts';
import { reportFor } from '../../../evaluation/report.ts';
import { playersIn, resultsIn } from '../../../evaluation/results.ts';
import { contest, differencesOf } from '../../../scoring/evaluation/index.ts';
import { failureText } from '../../../scoring/failures.ts';
import type { Report } from '../../../scoring/report/index.ts';
import { scopeText } from '../../../scoring/statistics/verdict.ts';
import { gradeOf, readTrustCards } from '../../../workspace/trust-cards.ts';
import { NotFound } from '../../app.ts';
import type { CompareShown, DamagedShown, EpisodesShown, Grades, ReportShown, RunDetail, RunLine, SpreadShown } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { countsOf } from '../episode-counts.ts';
import { reply } from '../request.ts';
import { type CompareAsked, compareQuery, type EpisodesAsked, episodesQuery, type ReportAsked, reportQuery } from '../requests.ts';
import { leftOut, readableRows } from '../rows.ts';

/** Reports and comparisons read every episode; past this many they are for the command line. */
const most = 20_000;

export function runs({ store, place }: StudioContext) {
  return new Hono()
    .get('/', async (call) => reply(call, await lines(store)))
    .get('/damaged', (call) => reply<DamagedShown>(call, { records: leftOut(store) }))
    .get('/episodes', episodesQuery, async (call) => reply(call, await episodes(store, call.req.valid('query'))))
    .get('/agents', async (call) => reply(call, await known(store)))
    .get('/compare', compareQuery, async (call) => reply(call, await compared(store, call.req.valid('query'))))
    .get('/of/:run', async (call) => reply(call, await detail(store, await runOf(store, call))))
    .get('/of/:run/report', reportQuery, async (call) =>
      reply(call, await report(await runOf(store, call), call.req.valid('query'), { store, cwd: place.cwd })),
    );
}

/** Newest first. */
async function lines(store: Store): Promise<readonly RunLine[]> {
  const all = await store.runs();
  return readableRows(
    store,
    all.toReversed(),
    ({ id }) => `run "${id}"`,
    async (run) => lineOf(run, await countsOf(store).of({ run: run.id })),
  );
}

function lineOf({ id, plan, episodes: planned, work }: RunRecord, tallies: readonly EpisodeTally[]): RunLine {
  return {
    ...{ id, planned, kind: work?.kind ?? null, ends: endsIn(tallies) },
    environments: plan.environments.map(({ environment }) => environment),
    agents: namesIn(tallies).agents,
  };
}

/** Who has played in some run, and where: told from what is counted anyway. */
async function known(store: Store): Promise<ReturnType<typeof namesIn>> {
  const all = await Promise.all((await store.runs()).map(({ id }) => countsOf(store).of({ run: id })));
  return namesIn(all.flat());
}

function endsIn(tallies: readonly EpisodeTally[]): RunLine['ends'] {
  const ends: Partial<Record<EpisodeRecord['status'], number>> = {};
  for (const { status, count } of tallies) ends[status] = (ends[status] ?? 0) + count;
  return ends;
}

function namesIn(tallies: readonly EpisodeTally[]): { agents: readonly string[]; environments: readonly string[] } {
  const agents = new Set(tallies.flatMap(({ environment, cast }) => playersIn({ environment, cast }).map((seat) => cast[seat]!)));
  return { agents: [...agents].sort(), environments: [...new Set(tallies.map(({ environment }) => environment))].sort() };
}

/** A page of episodes under filters. Tasks may be long, and a table shows none. */
async function episodes(store: Store, { limit, run, environment, agent, status, before }: EpisodesAsked): Promise<EpisodesShown> {
  const query: EpisodeQuery = {
    ...(run === undefined ? {} : { run }),
    ...(environment === undefined ? {} : { environment }),
    ...(agent === undefined ? {} : { agent }),
    ...(status === undefined ? {} : { status }),
    ...(before === undefined ? {} : { before }),
  };
  const rows = await store.episodes({ ...query, limit: limit + 1 });
  return { rows: rows.slice(0, limit).map(({ task: _, ...row }) => row), more: rows.length > limit };
}

async function runOf(store: Store, call: HonoCall): Promise<RunRecord> {
  const id = call.req.param('run') ?? '';
  const run = await store.run(id);
  if (run === null) throw new NotFound(`There is no run "${id.slice(0, 80)}" in this store.`);
  return run;
}

async function detail(store: Store, run: RunRecord): Promise<RunDetail> {
  const tallies = await countsOf(store).of({ run: run.id });
  return {
    ...lineOf(run, tallies),
    plan: run.plan,
    work: run.work ?? null,
    results: resultsIn(tallies),
    spreads: spreadsIn(tallies),
    journals: await store.journals(run.id),
  };
}

const bins = 24;

/** How the returns of each agent are spread: the values themselves where they are few, else in bins of the same width. */
function spreadsIn(tallies: readonly EpisodeTally[]): readonly SpreadShown[] {
  const values = new Map<string, Map<number, number>>();
  for (const { status, environment, cast, returns, count } of tallies) {
    if (status !== 'over' && status !== 'limit') continue;
    for (const seat of playersIn({ environment, cast })) {
      const agent = cast[seat]!;
      const own = values.get(agent) ?? new Map<number, number>();
      const value = returns?.[seat] ?? 0;
      values.set(agent, own.set(value, (own.get(value) ?? 0) + count));
    }
  }
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([agent, own]) => ({ agent, bars: barsOf([...own]) }));
}

function barsOf(counted: readonly (readonly [number, number])[]): SpreadShown['bars'] {
  const sorted = [...counted].sort(([a], [b]) => a - b);
  const [low, high] = [sorted[0]?.[0] ?? 0, sorted.at(-1)?.[0] ?? 0];
  if (sorted.length <= bins) return sorted.map(([value, count]) => ({ from: value, to: value, count }));
  const width = (high - low) / bins;
  const counts = new Array<number>(bins).fill(0);
  for (const [value, count] of sorted) {
    const bin = Math.min(bins - 1, Math.floor((value - low) / width));
    counts[bin] = counts[bin]! + count;
  }
  return counts.map((count, i) => ({ from: low + i * width, to: low + (i + 1) * width, count }));
}

interface ReportPlace {
  readonly store: Store;
  readonly cwd: string;
}

async function report(run: RunRecord, { score, over: wanted }: ReportAsked, { store, cwd }: ReportPlace): Promise<ReportShown> {
  checkSize(await countsOf(store).of({ run: run.id }), `ludus report ${run.id} -o report.html`);
  const { report: made } = await reportFor(run, { score, over: wanted }, { store, cwd });
  const { rows: _, ...shown } = made;
  const { over, tasks } = made.standings;
  const words = { scope: scopeText(over, tasks), failed: made.failures.map(failureText) };
  return { ...shown, ...words, grades: await gradesIn(made, store, cwd) };
}

/** The grade of the judge behind each judged score of a report, found on one episode that has it. */
async function gradesIn({ lines: scored, score, rows }: Report, store: Store, cwd: string): Promise<Grades> {
  const wanted = new Set([score, ...scored.map(({ name }) => name)].filter((name) => name.startsWith('judge/')));
  const cards = readTrustCards(cwd);
  const grades: Record<string, Grades[string]> = {};
  for (const { episode } of rows) {
    if (wanted.size === 0) break;
    const given: readonly Score[] = await store.scores(episode);
    for (const one of given) {
      const grade = wanted.delete(one.name) ? gradeOf(one, cards) : null;
      if (grade !== null) grades[one.name] = grade;
    }
  }
  return grades;
}

function checkSize(tallies: readonly EpisodeTally[], command: string): void {
  const count = tallies.reduce((sum, one) => sum + one.count, 0);
  if (count > most)
    throw new Fault('input', `These are ${count} episodes, and this page reads ${most} at most; "${command}" takes the time for all.`);
}

async function compared(store: Store, { a, b, run, score, over }: CompareAsked): Promise<CompareShown> {
  if (a === b) throw new Fault('input', `"${a.slice(0, 60)}" cannot be compared with itself.`);
  const command = `ludus compare ${a} ${b}`;
  for (const name of [a, b]) {
    const isRun = (await store.run(name)) !== null;
    checkSize(
      await countsOf(store).of({ ...(isRun ? { run: name } : { agent: name }), ...(run === undefined || isRun ? {} : { run }) }),
      command,
    );
  }
  const found = await sides(store, [a, b], { run, score, card: undefined });
  const differences = differencesOf(found.a, found.b);
  const counted = new Map<number, number>();
  for (const one of differences) counted.set(one, (counted.get(one) ?? 0) + 1);
  return { score: found.score, ...contest(found.a, found.b, { over }), differences: barsOf([...counted]) };
}
