/** @file Routes of the improving page: candidates with their ancestry, changes, gate verdicts, and cost; and rollback. */

import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import type { ImproveRequest } from '@ludus-agents/learning/internal/improving/improve';
import { createImproveServices, improveRun, saveImproveRun, workOf } from '@ludus-agents/learning/internal/improving/improve';
import { settleImproveFiles } from '@ludus-agents/learning/internal/improving/improve-files';
import { candidateIn, type Descendant, improveReport, lineageOf, rollBack } from '@ludus-agents/learning/internal/improving/lineage';
import { improveRecipes } from '@ludus-agents/learning/internal/improving/targets';
import { engineKind } from '@ludus-agents/learning/internal/kinds';
import { type ArchiveEntry, restoreSpec } from '@ludus-agents/learning/internal/prompts/archive';
import type { Candidate } from '@ludus-agents/learning/internal/prompts/candidate';
import { changeBetween, touchedNames } from '@ludus-agents/learning/internal/prompts/components';
import { diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import { improve } from '@ludus-agents/learning/internal/prompts/improve';
import { Hono, type Context as HonoCall } from 'hono';
import { NotFound } from '../../app.ts';
import { listKind } from '../../describe.ts';
import type { CandidateDetail, CandidateLine, CandidateNumbers, ImproveDetail, ImproveLine, ImproveShown } from '../api.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { improveBody, rollBackBody } from '../requests.ts';
import { readableRows } from '../rows.ts';

export function improving(studio: StudioContext) {
  const { store } = studio;
  return new Hono()
    .get('/', async (call) => reply(call, await listImprovements(studio)))
    .get('/numbers', async (call) => reply(call, await candidateNumbers(store)))
    .post('/', improveBody, async (call) => reply(call, await beginImproving(studio, call.req.valid('json'))))
    .get('/of/:run', async (call) => reply(call, await detail(studio, await runOf(store, call))))
    .get('/of/:run/:candidate', async (call) => reply(call, await candidate(store, await runOf(store, call), call.req.param('candidate'))))
    .post('/of/:run/rollback', rollBackBody, async (call) => {
      const locatedCandidate = await candidateIn(store, await runOf(store, call), call.req.valid('json').candidate);
      await rollBack(store, locatedCandidate, restoreSpec(locatedCandidate.archive, locatedCandidate.candidate.id));
      return reply(call, { head: locatedCandidate.candidate.id });
    });
}

async function runOf(store: Store, call: HonoCall): Promise<RunRecord> {
  const id = call.req.param('run') ?? '';
  const run = await store.run(id);
  if (run?.work?.kind !== 'improve') throw new NotFound(`Improvement "${id.slice(0, 80)}" not found in this store.`);
  return run;
}

async function listImprovements(studio: StudioContext): Promise<ImproveShown> {
  const all = (await studio.store.runs()).filter(({ work }) => work?.kind === 'improve');
  return {
    runs: await readableRows(
      studio.store,
      all.toReversed(),
      ({ id }) => `improvement "${id}"`,
      (run) => lineOf(studio, run),
    ),
    recipes: improveRecipes.map(({ name, about }) => ({ name, about })),
    engines: (await listKind(engineKind, studio.place.cwd)).map(({ name }) => name),
  };
}

async function lineOf({ store, jobs }: StudioContext, run: RunRecord): Promise<ImproveLine> {
  const { recipe, engine, seed, model, budget } = workOf(run);
  const report = await improveReport(store, run.id);
  const { candidates = 0 } = await store.journals(run.id);
  return {
    ...{ id: run.id, recipe, engine, seed: Number(seed), model, calls: budget.calls ?? 0, entries: candidates },
    going: jobs.list().some((job) => job.run === run.id),
    words: report?.words[0] ?? null,
    created: (await store.catalog?.runTimes())?.get(run.id)?.created ?? null,
  };
}

async function detail(studio: StudioContext, run: RunRecord): Promise<ImproveDetail> {
  const { archives, descendants } = await lineageOf(studio.store, run);
  const numbers = await numbersIn(studio.store, run.id);
  return {
    ...(await lineOf(studio, run)),
    candidates: descendants.map((candidate) => candidateLine(candidate, numbers)),
    head: archives.head,
    report: await improveReport(studio.store, run.id),
    cells: ((await studio.store.notes(run.id, 'cells')).at(-1) ?? null) as ImproveDetail['cells'],
  };
}

/** The index of every candidate of every improvement, by run and by the id prefix that names it in episodes; 0 is an initial candidate. */
async function candidateNumbers(store: Store): Promise<CandidateNumbers> {
  const improvements = (await store.runs()).filter(({ work }) => work?.kind === 'improve');
  return Object.fromEntries(await Promise.all(improvements.map(async ({ id }) => [id, await numbersIn(store, id)] as const)));
}

/** In the run's order of creation. */
async function numbersIn(store: Store, run: string): Promise<Readonly<Record<string, number>>> {
  const numbers: Record<string, number> = {};
  let last = 0;
  for (const { kind, id } of (await store.notes(run, 'candidates')) as readonly Pick<ArchiveEntry, 'kind' | 'id'>[])
    if (kind === 'start') numbers[id.slice(0, 8)] = 0;
    else if (kind === 'candidate') numbers[id.slice(0, 8)] ??= ++last;
  return numbers;
}

function candidateLine(
  { candidate: { id, parents, origin }, engine, verdicts, select, clade }: Descendant,
  numbers: Readonly<Record<string, number>>,
): CandidateLine {
  const last = verdicts.at(-1)?.verdict ?? null;
  const verdict = last === null ? null : { accept: last.accept, words: last.words };
  return {
    id,
    number: numbers[id.slice(0, 8)] ?? 0,
    engine,
    parents,
    step: origin.step,
    proposer: origin.proposer,
    words: origin.words ?? '',
    verdict,
    select,
    clade: clade.size,
  };
}

/** The texts of a candidate, and the differences from its parent. */
async function candidate(store: Store, run: RunRecord, id: string): Promise<CandidateDetail> {
  const { archive, candidate: matchingCandidate } = await candidateIn(store, run, id);
  const [parent] = matchingCandidate.parents;
  const before: Candidate['components'] = parent === undefined ? {} : archive.get(parent).components;
  const names = parent === undefined ? [] : touchedNames(changeBetween(before, matchingCandidate.components));
  return {
    id: matchingCandidate.id,
    components: matchingCandidate.components,
    changes: names.map((name) => ({ name, lines: diffLines(before[name] ?? '', matchingCandidate.components[name] ?? '') })),
    verdicts: archive.tried.flatMap(({ candidate: tried, parent: against, verdict }) =>
      tried === matchingCandidate.id ? [{ against, accept: verdict.accept, words: verdict.words }] : [],
    ),
  };
}

/** Starts an improvement. Its models, if any, are paid from the studio's budget. */
export async function beginImproving(studio: StudioContext, wish: ImproveRequest): Promise<{ readonly run: string }> {
  const { cwd } = studio.place;
  const run = await improveRun(wish, cwd, Trust.request);
  await saveImproveRun(studio.store, run, { cwd, trust: Trust.request });
  const { engine, recipe, budget } = run.work;
  const agents = { ...createAgentServices(cwd, Trust.request), model: walletOf(studio.place).modelOf };
  studio.jobs.start(
    { run: run.id, title: `Optimizing ${recipe} with ${engine}`, cast: [engine], planned: budget.calls ?? null },
    async (desk) => {
      const services = await createImproveServices(studio.store, run, {
        cwd,
        trust: Trust.request,
        agents,
        concurrency: 4,
        signal: desk.signal,
      });
      try {
        for await (const { spent } of improve(run.work, services)) {
          desk.tell(spent.calls);
          // Scripts never wait, so this yields to requests of the page.
          await new Promise(setImmediate);
        }
      } finally {
        await settleImproveFiles(studio.store, run, { cwd, trust: Trust.request });
      }
    },
  );
  return { run: run.id };
}
