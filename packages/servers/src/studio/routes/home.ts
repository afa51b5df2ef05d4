/** @file Routes of the home page: running activities, recent results, and examples to start. */

import { studioRun } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { readCard } from '@ludus-agents/evaluation/internal/probes/kept-card';
import { type RunResults, resultsOf } from '@ludus-agents/evaluation/internal/results';
import { figure, span, unscoredText } from '@ludus-agents/evaluation/internal/scoring/report/index';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { type EpisodeRecord, type EpisodeTally, nameOf, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { exploitabilityText } from '@ludus-agents/kernel/internal/core/legal-words';
import { readAttack } from '@ludus-agents/learning/internal/improving/kept-attack';
import type { TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import { readMarks } from '@ludus-agents/store/internal/marks';
import { Hono } from 'hono';
import type { HomeShown, RunningShown, RunShown } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { beginDemo, demosShown } from '../demos.ts';
import { countsOf } from '../episode-counts.ts';
import { reply } from '../request.ts';
import { spendingOf } from '../run-figures.ts';
import { attackView } from '../run-view.ts';
import { titleEpisodes } from '../task-names.ts';

const runsShown = 8;
const runningShown = 12;
const episodesShown = 8;
/** The number of episodes read for a sparkline, and for the cost of models. */
const looked = 40;
/** The number of rows of the episode list searched for the latest runs. */
const rowsLooked = 500;
const pages = 4;
/** A verdict reads every episode of a run; beyond this many, only the page of the run shows means. */
const mostJudged = 2000;

export function home(studio: StudioContext) {
  const glances: Glances = new Map();
  return new Hono()
    .get('/home', async (call) => reply(call, await readHome(studio, glances)))
    .post('/demos/:id', async (call) => reply(call, await beginDemo(call.req.param('id'), studio)));
}

async function readHome(studio: StudioContext, glances: Glances): Promise<HomeShown> {
  const { store } = studio;
  const runs = await latestRuns(store);
  const [times, marks] = await Promise.all([store.catalog?.runTimes(), readMarks(store, 'run')]);
  const lastOf = ({ id }: RunRecord) => times?.get(id)?.last ?? times?.get(id)?.created ?? null;
  return {
    running: await running(studio),
    runs: await Promise.all(
      runs.map(async (run) => ({ ...(await glance(studio, run, glances)), name: marks.get(run.id)?.name ?? '', last: lastOf(run) })),
    ),
    episodes: await recentEpisodes(store),
    demos: demosShown,
  };
}

async function recentEpisodes(store: Store): Promise<HomeShown['episodes']> {
  const records = await store.episodes({ run: studioRun, limit: episodesShown });
  const titles = await titleEpisodes(store, records);
  return records.map((record) => ({ ...record, title: titles.get(record.id) ?? null }));
}

/** The latest runs by the store's times; without them, the last played ones. Chats have their own page. */
async function latestRuns(store: Store): Promise<readonly RunRecord[]> {
  const listed = (await store.runs()).filter(({ id }) => id !== studioRun && !id.startsWith('chat-'));
  if (store.catalog !== undefined) {
    const times = await store.catalog.runTimes();
    const latest = ({ id }: RunRecord) => Math.max(times.get(id)?.last ?? 0, times.get(id)?.created ?? 0);
    return listed
      .toReversed()
      .toSorted((a, b) => latest(b) - latest(a))
      .slice(0, runsShown);
  }
  const all = new Map(listed.map((run) => [run.id, run]));
  const played = new Set<string>();
  let before: number | undefined;
  // A busy run may fill a page of the list by itself.
  for (let page = 0; page < pages && played.size < runsShown; page++) {
    const rows = await store.episodes({ limit: rowsLooked, ...(before === undefined ? {} : { before }) });
    for (const { run } of rows) if (run !== null && all.has(run)) played.add(run);
    before = rows.at(-1)?.order;
    if (before === undefined || rows.length < rowsLooked) break;
  }
  const waiting = [...all.keys()].reverse().filter((id) => !played.has(id));
  return [...played, ...waiting].slice(0, runsShown).map((id) => all.get(id) as RunRecord);
}

/** A cached verdict and its episodes: valid while they are the newest and the counts are unchanged. */
type Glance = Omit<RunShown, 'last' | 'name'>;
type Glances = Map<
  string,
  { readonly of: string; readonly tallies: readonly EpisodeTally[]; readonly until: number; readonly shown: Promise<Glance> }
>;
/** Milliseconds after which a run is checked again: scores may arrive after its episodes, also from another process. */
const heldFor = 30_000;

async function glance(studio: StudioContext, run: RunRecord, glances: Glances): Promise<Glance> {
  const { store, jobs } = studio;
  const newest = await store.episodes({ run: run.id, limit: looked });
  const going = jobs.list().some((job) => job.run === run.id);
  const of = `${going} ${newest.map(({ order, status }) => `${order}${status}`).join()}`;
  // Counts may lag behind the newest episodes for seconds, and change once they have caught up.
  const tallies = await countsOf(store).of({ run: run.id });
  const before = glances.get(run.id);
  if (before?.of === of && before.tallies === tallies && performance.now() < before.until) return before.shown;
  const nextGlance = runShown(studio, run, { newest, tallies });
  nextGlance.catch(() => glances.delete(run.id));
  glances.set(run.id, { of, tallies, until: performance.now() + heldFor, shown: nextGlance });
  return nextGlance;
}

async function running({ store, live, jobs }: StudioContext): Promise<readonly RunningShown[]> {
  const played: RunningShown[] = [];
  for (const { entry, waiting } of live.playing()) {
    const record = await store.episode(entry.episode);
    const cast = Object.values(entry.cast).map((spec) => (typeof spec === 'string' ? spec : spec.name));
    played.push({
      episode: entry.episode,
      title: nameOf({ id: entry.environment }),
      cast,
      done: record?.events ?? 0,
      planned: null,
      waiting,
    });
  }
  return [...jobs.list().map((job) => ({ ...job, waiting: [] })), ...played.reverse().slice(0, runningShown)];
}

interface Counted {
  readonly newest: readonly EpisodeRecord[];
  readonly tallies: readonly EpisodeTally[];
}

/** The result of a learning run does not fit a sentence about episodes; null for other runs. */
async function learnedText(store: Store, { id, work }: RunRecord): Promise<string | null> {
  if (work?.kind === 'improve') return 'Prompt optimization. Open it to compare the candidates.';
  if (work?.kind !== 'train') return null;
  const { metrics = 0 } = await store.journals(id);
  const [last] = (metrics === 0 ? [] : await store.notes(id, 'metrics', metrics - 1)) as unknown as readonly TrainingProgress[];
  if (last === undefined) return 'Training. No metrics yet.';
  const measured = exploitabilityText(last, 3);
  const figures = [
    ...(measured === null ? [] : [`exploitability ${measured}`]),
    ...(last.returned === null ? [] : [`return ${Number(last.returned.toFixed(2)).toString().replace('-', '−')}`]),
  ];
  return `Trained for ${count(last.games, 'game')}${figures.length === 0 ? '' : `: ${figures.join(', ')}`}.`;
}

async function runShown({ store, place }: StudioContext, run: RunRecord, { newest, tallies }: Counted): Promise<Glance> {
  const ended = tallies.filter(({ status }) => status !== 'running').reduce((sum, episodeTally) => sum + episodeTally.count, 0);
  const first = newest.at(0)?.cast;
  const agent = first === undefined ? undefined : Object.values(first)[0];
  const returns = newest.flatMap(({ cast, returns: seatReturns }) =>
    seatReturns === null ? [] : Object.entries(cast).flatMap(([seat, name]) => (name === agent ? [seatReturns[seat] ?? 0] : [])),
  );
  const environments = [...new Set(run.plan.environments.map(({ environment }) => nameOf({ id: environment })))];
  return {
    id: run.id,
    kind: run.work?.kind ?? null,
    title: environments.slice(0, 3).join(', ') + (environments.length > 3 ? ' …' : ''),
    planned: run.episodes,
    ended,
    returns: returns.slice(0, looked).reverse(),
    ...(await costOf(store, run, newest)),
    verdict:
      (await learnedText(store, run)) ??
      (await probedText(store, run)) ??
      (await attackText(store, run)) ??
      verdictOf(tallies, ended > mostJudged ? null : await resultsOf(run, { store, cwd: place.cwd, trust: Trust.request })),
  };
}

/** A character's fidelity to its card, if the run is a finished probe. */
async function probedText(store: Store, { id }: RunRecord): Promise<string | null> {
  const card = id.startsWith('probe-') ? await readCard(store, id) : null;
  if (card === null) return null;
  const { persona, score } = card;
  return score === null ? `No answer of ${persona.name} could be read.` : `${persona.name} scores ${(100 * score).toFixed(1)} of 100.`;
}

/** The success rate of a finished attack. */
async function attackText(store: Store, { id }: RunRecord): Promise<string | null> {
  const attack = id.startsWith('attack-') ? await readAttack(store, id) : null;
  if (attack === null) return id.startsWith('attack-') ? 'No result: the attack has not ended, or found nothing to test.' : null;
  const { through, of, target } = attackView(attack);
  return `${through === 0 ? 'None' : formatGrouped(through)} of ${count(of, 'attack')} got through to ${target}.`;
}

/** The cost of the newest episodes: zero without model seats, which needs no log. */
async function costOf(store: Store, { plan }: RunRecord, newest: readonly EpisodeRecord[]): Promise<Pick<RunShown, 'cost' | 'costOf'>> {
  const spending = spendingOf(plan);
  if (spending !== 'models') return { cost: spending === 'none' ? 0 : null, costOf: 0 };
  let cost: number | null = 0;
  for (const { id } of newest)
    for (const event of await store.events(id))
      if (event.kind === 'action')
        for (const call of event.calls ?? []) cost = cost === null || call.cost === null ? null : cost + call.cost;
  return { cost, costOf: newest.length };
}

/** The leading agent, among agents with the same seats of the same scenes; `results` is null if there are too many episodes. */
function verdictOf(tallies: readonly EpisodeTally[], results: RunResults | null): string {
  const sumOf = (of: readonly EpisodeTally[]) => of.reduce((sum, episodeTally) => sum + episodeTally.count, 0);
  const errors = sumOf(tallies.filter(({ status }) => status === 'error'));
  const failed = errors === 0 ? '' : ` ${failedText(tallies, errors)}`;
  const isIn = (name: string) => tallies.length > 0 && tallies.every(({ environment }) => nameOf({ id: environment }) === name);
  if (isIn('survey')) return `${sumOf(tallies.filter(({ status }) => status === 'over'))} people answered.${failed}`;
  if (isIn('relay')) return `${count(sumOf(tallies), 'conversation')} imported.${failed}`;
  if (results === null) return `${count(sumOf(tallies), 'episode')}. Open the run for the means.${failed}`;
  return `${meansText(results, isPaid(tallies))}${failed}`;
}

/** The number of episodes that ended in an error, and the agents that always fail. */
function failedText(tallies: readonly EpisodeTally[], errors: number): string {
  const finishing = new Set(tallies.flatMap(({ status, cast }) => (status === 'error' ? [] : Object.values(cast))));
  const failing = new Set(
    tallies.flatMap(({ cast }) => Object.values(cast).filter((name) => !finishing.has(name) && !name.startsWith('house:'))),
  );
  const all = failing.size === 0 ? '' : `: all episodes of ${[...failing].slice(0, 3).join(', ')}${failing.size > 3 ? ' …' : ''}`;
  return `${count(errors, 'episode')} ended in an error${all}.`;
}

function isPaid(tallies: readonly EpisodeTally[]): boolean {
  return tallies.some(({ returns }) => Object.values(returns ?? {}).some((payment) => payment !== 0));
}

function meansText({ score, standings, seats, points, unscored }: RunResults, hasReturns: boolean): string {
  const valued = standings.agents.filter(({ values }) => values > 0);
  if (valued.length === 0) return unscored === 0 ? 'No finished episodes yet.' : unscoredText(unscored, score);
  if (!hasReturns && !points) return 'All finished episodes returned 0.';
  const seatsOf = (name: string) => seats.filter(({ agent }) => agent === name).map(({ scene, seat }) => JSON.stringify([scene, seat]));
  const places = new Set(seats.map(({ scene, seat }) => JSON.stringify([scene, seat])));
  if (valued.some(({ agent, value }) => value === null || seatsOf(agent).length !== places.size))
    return 'Agents had different seats. Open the run for the mean of each.';
  const meanText = ({ value, interval }: (typeof valued)[number]) =>
    `${figure(value, points)}${interval === null ? '' : ` (95% ${span(interval, points)})`}`;
  // Baselines are for comparison: the best one comes after the agents under test.
  const baseline = valued.find(({ isNull }) => isNull);
  const tested = baseline === undefined ? valued : valued.filter(({ isNull }) => !isNull);
  const ranked = tested.length === 0 ? valued : tested;
  const [best, next] = ranked;
  const last = ranked.at(-1);
  if (best === undefined || last === undefined) return 'No finished episodes yet.';
  const floor = baseline === undefined || ranked === valued ? '' : ` The best baseline, ${baseline.agent}, has ${meanText(baseline)}.`;
  if (next === undefined) return `${best.agent} has a mean of ${meanText(best)}.${floor}`;
  if (Math.abs((best.value ?? 0) - (last.value ?? 0)) < 1e-9)
    return `${ranked.length === 2 ? 'Both' : `All ${ranked.length}`} have the same mean, ${meanText(best)}.${floor}`;
  const lowest = ranked.length > 2 ? `, ${last.agent} the lowest, ${meanText(last)}` : '';
  return `${best.agent} has the highest mean, ${meanText(best)}; ${next.agent} has ${meanText(next)}${lowest}.${floor}`;
}
