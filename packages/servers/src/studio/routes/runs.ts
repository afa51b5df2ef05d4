/** @file Routes of the runs page: runs and their results, episodes page by page, reports, and comparisons. */

import { studioRun } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { readGate } from '@ludus-agents/desk/internal/play-gate';
import { diffRuns, runDiffSummary, sideBySide } from '@ludus-agents/desk/internal/run-diff';
import { readCard } from '@ludus-agents/evaluation/internal/probes/kept-card';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { type EpisodeQuery, type EpisodeTally, Fault, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { readAttack } from '@ludus-agents/learning/internal/improving/kept-attack';
import { archiveRuns, readMarks } from '@ludus-agents/store/internal/marks';
import { Hono, type Context as HonoCall } from 'hono';
import { NotFound } from '../../app.ts';
import type { CaseChangeShown, CaseChangesShown, ComparedSide, DamagedShown, EpisodesShown, RunNow, RunSummary } from '../api.ts';
import type { StudioContext } from '../context.ts';
import { countsOf, talliesOfRuns } from '../episode-counts.ts';
import { exploreEpisodes, exploring, withTimes } from '../explore.ts';
import { reply } from '../request.ts';
import {
  archiveBody,
  type CompareAsked,
  casesQuery,
  compareQuery,
  type EpisodesAsked,
  episodesQuery,
  reportQuery,
  runsBody,
} from '../requests.ts';
import { damagedRecords, readableRows } from '../rows.ts';
import { RunFiguresReader } from '../run-figures.ts';
import { attackView, lineOf, namesIn, readDetail } from '../run-view.ts';
import { titleEpisodes } from '../task-names.ts';

/** The maximum number of episodes for reports and comparisons here, which read them all; use the command line beyond it. */
const most = 20_000;

export function runs({ store, reports, jobs, place }: StudioContext) {
  const figures = new RunFiguresReader(store, place);
  return new Hono()
    .get('/', async (call) => reply(call, await summaries(store, figures)))
    .post('/delete', runsBody, async (call) => {
      const { runs: ids } = call.req.valid('json');
      const going = ids.find((id) => id === studioRun || jobs.list().some((job) => job.run === id));
      if (going !== undefined) throw new Fault('input', `Run "${going.slice(0, 80)}" is in use and was not deleted. Stop it first.`);
      if (store.catalog === undefined) throw new Fault('input', 'This store cannot delete runs.');
      return reply(call, { episodes: await store.catalog.deleteRuns(ids) });
    })
    .post('/archive', archiveBody, async (call) => {
      const { runs: ids, archived } = call.req.valid('json');
      await archiveRuns(store, ids, archived);
      return reply(call, {});
    })
    .get('/damaged', (call) => reply<DamagedShown>(call, { records: damagedRecords(store) }))
    .get('/episodes', episodesQuery, async (call) => reply(call, await episodes(store, call.req.valid('query'))))
    .get('/agents', async (call) => reply(call, await knownNames(store)))
    .get('/compare', compareQuery, async (call) => {
      const compare = call.req.valid('query');
      await checkSides(store, compare);
      return reply(call, await reports.comparison({ compare }));
    })
    .get('/cases', casesQuery, async (call) => {
      const { before, after } = call.req.valid('query');
      await checkSides(store, { a: before, b: after });
      return reply<CaseChangesShown>(call, await caseChanges(store, before, after));
    })
    .get('/of/:run', async (call) => {
      const run = await runOf(store, call);
      const detail = await readDetail(run, await countsOf(store).of({ run: run.id }), { store, cwd: place.cwd });
      const job = jobs.list().find((job) => job.run === run.id);
      const [attack, card, gate] = await Promise.all([readAttack(store, run.id), readCard(store, run.id), readGate(store, run.id)]);
      return reply<RunNow>(call, {
        ...detail,
        marks: (await readMarks(store, 'run')).get(run.id) ?? {},
        created: (await store.catalog?.runTimes())?.get(run.id)?.created ?? null,
        // A run keeps the plan that it was stored with; what is played now may have more seeds or agents.
        ...(job === undefined ? {} : { planned: job.planned ?? 0 }),
        going: job !== undefined,
        attack: attack === null ? null : attackView(attack),
        ...{ card, gate, failure: jobs.ended().findLast((job) => job.run === run.id)?.error ?? null },
      });
    })
    .post('/of/:run/stop', async (call) => {
      jobs.stop((await runOf(store, call)).id);
      return reply(call, {});
    })
    .get('/of/:run/report', reportQuery, async (call) => {
      const { id } = await runOf(store, call);
      checkSize(await countsOf(store).of({ run: id }), `ludus report ${id} -o report.html`);
      return reply(call, await reports.report({ run: id, asked: call.req.valid('query') }));
    });
}

/** The number of changed cases shown on a page. */
const mostChanges = 40;

/** The cases whose verdict differs between two runs. */
async function caseChanges(store: Store, before: string, after: string): Promise<CaseChangesShown> {
  try {
    const diff = await diffRuns(store, before, after);
    const isSeveral = new Set(diff.changes.map(({ agent }) => agent)).size > 1;
    const changes = diff.changes.flatMap((item): readonly CaseChangeShown[] => {
      const { change, seed } = item;
      if (change === 'reworded') return [];
      const verdictOf = ({ episode, passed, reason }: ComparedSide) => ({ episode, passed, reason });
      const pairs = sideBySide(item).map(([was, is]) => [was ?? null, is ?? null] as const);
      return [
        {
          name: item.case,
          agent: isSeveral ? item.agent : '',
          seed,
          change,
          before: verdictOf(item.before),
          after: verdictOf(item.after),
          pairs,
        },
      ];
    });
    return { summary: runDiffSummary(diff), changes: changes.slice(0, mostChanges), more: Math.max(0, changes.length - mostChanges) };
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.boundary === 'input') return { summary: null, changes: [], more: 0 };
    throw thrown;
  }
}

/** Newest first. Runs of an earlier edition have no times, and are listed in storage order. */
async function summaries(store: Store, figures: RunFiguresReader): Promise<readonly RunSummary[]> {
  const [all, marks, times] = await Promise.all([store.runs(), readMarks(store, 'run'), store.catalog?.runTimes()]);
  const counted = await talliesOfRuns(
    store,
    all.map(({ id }) => id),
  );
  const rows = await readableRows(
    store,
    all.toReversed(),
    ({ id }) => `run "${id}"`,
    async (run): Promise<RunSummary> => {
      const tallies = counted.get(run.id) ?? (await countsOf(store).of({ run: run.id }));
      const { created = null, last = null } = times?.get(run.id) ?? {};
      return { ...lineOf(run, tallies), marks: marks.get(run.id) ?? {}, created, last, figures: figures.of(run, tallies) };
    },
  );
  return rows.toSorted((a, b) => (b.last ?? b.created ?? 0) - (a.last ?? a.created ?? 0));
}

/** The agents of each run, from counts that are read anyway. */
async function knownNames(store: Store): Promise<ReturnType<typeof namesIn>> {
  const ids = (await store.runs()).map(({ id }) => id);
  return namesIn([...(await talliesOfRuns(store, ids)).values()].flat());
}

/** A page of filtered episodes. Tasks may be long, so the table omits them. */
async function episodes(store: Store, request: EpisodesAsked): Promise<EpisodesShown> {
  const { limit, run, environment, agent, status, before } = request;
  const query: EpisodeQuery = {
    ...(run === undefined ? {} : { run }),
    ...(environment === undefined ? {} : { environment }),
    ...(agent === undefined ? {} : { agent }),
    ...(status === undefined ? {} : { status }),
    ...(before === undefined ? {} : { before }),
  };
  if (exploring(request)) return exploreEpisodes(store, query, request);
  const rows = await store.episodes({ ...query, limit: limit + 1 });
  const [marks, titles] = await Promise.all([readMarks(store, 'episode'), titleEpisodes(store, rows.slice(0, limit))]);
  return {
    rows: await withTimes(
      store,
      rows.slice(0, limit).map(({ task, ...row }) => ({ ...row, title: titles.get(row.id) ?? null, marks: marks.get(row.id) ?? {} })),
    ),
    more: rows.length > limit,
  };
}

async function runOf(store: Store, call: HonoCall): Promise<RunRecord> {
  const id = call.req.param('run') ?? '';
  const run = await store.run(id);
  if (run === null) throw new NotFound(`Run "${id.slice(0, 80)}" not found in this store.`);
  return run;
}

function checkSize(tallies: readonly EpisodeTally[], command: string): void {
  const count = tallies.reduce((sum, episodeTally) => sum + episodeTally.count, 0);
  if (count > most)
    throw new Fault(
      'input',
      `There are ${formatGrouped(count)} episodes, but this page reads at most ${formatGrouped(most)}. Run "${command}" to use all of them.`,
      { code: 'E_TOO_LARGE' },
    );
}

async function checkSides(store: Store, { a, b, run }: CompareAsked): Promise<void> {
  if (a === b) throw new Fault('input', `"${a.slice(0, 60)}" cannot be compared with itself.`, { code: 'E_UNSUPPORTED' });
  for (const name of [a, b]) {
    const isRun = (await store.run(name)) !== null;
    const query = { ...(isRun ? { run: name } : { agent: name }), ...(run === undefined || isRun ? {} : { run }) };
    checkSize(await countsOf(store).of(query), `ludus compare ${a} ${b}`);
  }
}
