/** @file Routes of the training page: runs with growing curves, league and checkpoints, checkpoint results, and starting a training. */

import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Json, JsonObject, RunRecord, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';
import { recipeKind } from '@ludus-agents/learning/internal/kinds';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import { withGames } from '@ludus-agents/learning/internal/recipes';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import type { LeagueState } from '@ludus-agents/learning/internal/training/league-schedule';
import { policyTable } from '@ludus-agents/learning/internal/training/policy-table';
import { checkpointNames, isRunFolder, readCheckpoint, readRun, runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { createTrainingRun, type TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import { environmentsOf, type TrainingRun, taskOf } from '@ludus-agents/learning/internal/training/training-run';
import { readMarks } from '@ludus-agents/store/internal/marks';
import { Hono, type Context as HonoCall } from 'hono';
import { NotFound } from '../../app.ts';
import { listKind } from '../../describe.ts';
import type { PolicyShown, TrainingDetail, TrainingLine, TrainingShown, TrainRequest } from '../api.ts';
import type { JobContext } from '../background-jobs.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import { PurseDesk } from '../distant-purse.ts';
import { reply } from '../request.ts';
import { checkpointQuery, curveQuery, trainBody, trainingsQuery } from '../requests.ts';
import { readableRows } from '../rows.ts';
import { compareTrainings } from '../training-comparison.ts';
import type { TraineeWord, TrainingRequest } from '../training-thread.ts';

export function training(studio: StudioContext) {
  const { store, place } = studio;
  return new Hono()
    .get('/', async (call) => reply(call, await listTrainings(studio)))
    .post('/', trainBody, async (call) => reply(call, await beginTraining(studio, call.req.valid('json'))))
    .get('/compare', trainingsQuery, async (call) => {
      const runs = await Promise.all(call.req.valid('query').runs.map((id) => trainingOf(store, id)));
      return reply(call, await compareTrainings(store, runs, place.cwd));
    })
    .get('/of/:run', curveQuery, async (call) => {
      const { from } = call.req.valid('query');
      return reply(call, await detail(studio, await runOf(store, call), from));
    })
    .get('/of/:run/policy', checkpointQuery, async (call) => {
      const run = await runOf(store, call);
      checkFolder(run, place.cwd);
      const { name } = workOf(run);
      const { at } = call.req.valid('query');
      // Read before the table: a checkpoint written in the meantime is found by the next request.
      const update = readCheckpoint(runFolder(place.cwd, name), at)?.update ?? 0;
      return reply<PolicyShown>(call, { ...(await policyTable(name, at, place.cwd, Trust.runFolder)), at, update });
    })
    .get('/of/:run/checkpoint', checkpointQuery, async (call) => {
      const run = await runOf(store, call);
      checkFolder(run, place.cwd);
      const { name } = workOf(run);
      const { at } = call.req.valid('query');
      const stored = readCheckpoint(runFolder(place.cwd, name), at);
      if (stored === null) throw new NotFound(`The training "${run.id}" has no checkpoint "${at}" in this folder.`);
      return download(call, JSON.stringify({ ...readRun(runFolder(place.cwd, name)), name, at, ...stored }), `${name}@${at}.json`);
    })
    .get('/of/:run/metrics', async (call) => {
      const run = await runOf(store, call);
      const metrics = (await store.notes(run.id, 'metrics')) as readonly JsonObject[];
      const columns = [...new Set(metrics.flatMap((at) => Object.keys(at)))].filter((name) => name !== 'acts' && name !== 'mechanism');
      const lines = metrics.map((at) => columns.map((name) => at[name] ?? '').join(','));
      return download(call, `${[columns.join(','), ...lines].join('\n')}\n`, `${workOf(run).name}.csv`);
    })
    .post('/of/:run/resume', async (call) => {
      const run = await runOf(store, call);
      checkFolder(run, place.cwd);
      const { name } = workOf(run);
      const wanted = readRun(runFolder(place.cwd, name));
      for (const name of environmentsOf(wanted.recipe)) await resolveEnvironment(name, place.cwd, Trust.request);
      return reply(call, await going(studio, { id: run.id, name, wanted }));
    })
    .post('/of/:run/stop', async (call) => {
      stops.get((await runOf(store, call)).id)?.();
      return reply(call, {});
    });
}

function download(call: HonoCall, text: string, file: string): Response {
  const type = file.endsWith('.csv') ? 'text/csv' : 'application/json';
  return call.body(text, 200, {
    'content-type': `${type}; charset=utf-8`,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file)}`,
  });
}

type TrainingWork = {
  readonly recipe: Recipe;
  readonly seed: number;
  readonly name: string;
};

function workOf({ work }: RunRecord): TrainingWork {
  return work as unknown as TrainingWork;
}

/** Rejects a folder that contains another training of the same name: its checkpoints are not those of an imported run. */
function checkFolder(run: RunRecord, cwd: string): void {
  const { recipe, seed, name } = workOf(run);
  const folder = runFolder(cwd, name);
  if (!isRunFolder(folder)) return;
  const trainingRun = readRun(folder);
  const hashOf = (of: Json) => hash(JSON.parse(JSON.stringify(of)));
  if (hashOf([recipe, seed]) === hashOf([trainingRun.recipe, trainingRun.seed])) return;
  throw new Fault(
    'input',
    `.ludus/training/${name} is another training run with the same name (${trainingRun.recipe.name}, seed ${trainingRun.seed}), so its checkpoints are not shown here. Train this one with another name.`,
  );
}

function runOf(store: Store, call: HonoCall): Promise<RunRecord> {
  return trainingOf(store, call.req.param('run') ?? '');
}

async function trainingOf(store: Store, id: string): Promise<RunRecord> {
  const run = await store.run(id);
  if (run?.work?.kind !== 'train') throw new NotFound(`Training run "${id.slice(0, 80)}" not found in this store.`);
  return run;
}

async function listTrainings(studio: StudioContext): Promise<TrainingShown> {
  const all = (await studio.store.runs()).filter(({ work }) => work?.kind === 'train');
  const [marks, times] = await Promise.all([readMarks(studio.store, 'run'), studio.store.catalog?.runTimes()]);
  return {
    runs: await readableRows(
      studio.store,
      all.toReversed(),
      ({ id }) => `training "${id}"`,
      (run) => lineOf(studio, run, { marks: marks.get(run.id) ?? {}, created: times?.get(run.id)?.created ?? null }),
    ),
    recipes: Object.fromEntries((await listKind(recipeKind, studio.place.cwd)).map(({ name, about }) => [name, about])),
  };
}

async function lineOf(
  { store, jobs }: StudioContext,
  run: RunRecord,
  { marks, created }: Pick<TrainingLine, 'marks' | 'created'>,
): Promise<TrainingLine> {
  const { recipe, seed, name } = workOf(run);
  const { metrics = 0 } = await store.journals(run.id);
  const [last] = metrics === 0 ? [] : await store.notes(run.id, 'metrics', metrics - 1);
  return {
    ...{ id: run.id, name, recipe: recipe.name, method: recipe.method, seed, environments: environmentsOf(recipe) },
    last: (last ?? null) as TrainingProgress | null,
    going: jobs.list().some((job) => job.run === run.id),
    ...{ marks, created },
  };
}

async function detail(studio: StudioContext, run: RunRecord, from: number): Promise<TrainingDetail> {
  const folder = runFolder(studio.place.cwd, workOf(run).name);
  const stranger = strangerIn(run, studio.place.cwd);
  const metrics = (await studio.store.notes(run.id, 'metrics', from)) as readonly TrainingProgress[];
  const checkpoints = (stranger === null ? checkpointNames(folder) : []).flatMap((name) => {
    const stored = readCheckpoint(folder, name);
    return stored === null ? [] : [{ name, update: stored.update, seconds: stored.seconds }];
  });
  const [marks, times] = await Promise.all([readMarks(studio.store, 'run'), studio.store.catalog?.runTimes()]);
  // A training with checkpoints in this folder was run here, so its environment may be a file of the folder; any other recipe is data.
  const seats = await seatsOf(workOf(run).recipe, studio.place.cwd, checkpoints.length > 0 ? Trust.runFolder : Trust.storedData);
  return {
    ...(await lineOf(studio, run, { marks: marks.get(run.id) ?? {}, created: times?.get(run.id)?.created ?? null })),
    from,
    metrics,
    checkpoints,
    seats,
    league: stranger === null ? leagueIn(folder) : null,
    stranger,
    failed: failures.get(run.id) ?? null,
  };
}

/** The reason why the folder of a run's name belongs to another training; null if it is its own, or missing. */
function strangerIn(run: RunRecord, cwd: string): string | null {
  try {
    checkFolder(run, cwd);
    return null;
  } catch (thrown) {
    return sentenceOf(thrown);
  }
}

/** The seats of the first environment in the training; empty if it is no longer available. */
async function seatsOf(recipe: Recipe, cwd: string, trust: Trust): Promise<readonly Seat[]> {
  const [name = ''] = environmentsOf(recipe);
  try {
    const environment = await resolveEnvironment(name, cwd, trust);
    return environment.seats(environment.task(taskOf(recipe)));
  } catch {
    return [];
  }
}

/** Ratings of a league in its last checkpoint, best first. */
function leagueIn(folder: string): TrainingDetail['league'] {
  const last = readCheckpoint(folder, 'last')?.checkpoint as { readonly league?: LeagueState } | undefined;
  const ratings = (last?.league?.standing['ratings'] ?? {}) as Readonly<Record<string, number>>;
  const matches = Object.entries(ratings)
    .map(([name, rating]) => ({ name, rating }))
    .sort((a, b) => b.rating - a.rating);
  return matches.length === 0 ? null : matches;
}

export async function beginTraining(
  studio: StudioContext,
  request: Omit<TrainRequest, 'seed'> & { readonly seed: number; readonly set?: readonly string[] },
): Promise<{ readonly run: string }> {
  const { games, seed, set = [] } = request;
  const loaded = await loadRecipe(request.recipe, studio.place.cwd, Trust.request);
  const recipe = override(withGames(loaded, games === 0 ? undefined : games), set);
  const wished = request.name ?? `${recipe.name}-${seed}`;
  let name = wished;
  const isTaken = async (item: string) => existsSync(runFolder(studio.place.cwd, item)) || (await studio.store.run(item)) !== null;
  for (let n = 2; await isTaken(name); n++) name = `${wished}-${n}`;
  const wanted: TrainingRun = { recipe, seed };
  return going(studio, { id: await createTrainingRun(studio.store, { name, resumed: false }, wanted), name, wanted });
}

interface Going {
  readonly id: string;
  readonly name: string;
  readonly wanted: TrainingRun;
}

const stops = new Map<string, () => void>();
const failures = new Map<string, string>();

async function going(studio: StudioContext, { id, name, wanted }: Going): Promise<{ readonly run: string }> {
  failures.delete(id);
  const job = { run: id, title: `Training ${name}`, cast: [wanted.recipe.name], planned: null };
  studio.jobs.start(job, (desk) => followTraining(studio, { id, name, wanted }, desk));
  return { run: id };
}

/** The number of concurrent trainings: others wait, so a sweep does not block the machine. */
const total = Math.max(1, availableParallelism() - 1);
let learning = 0;
const waiting: (() => void)[] = [];

async function followTraining(studio: StudioContext, wanted: Going, desk: JobContext): Promise<void> {
  const stop = new AbortController();
  stops.set(wanted.id, () => stop.abort());
  const ends = AbortSignal.any([desk.signal, stop.signal]);
  while (learning >= total && !ends.aborted)
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      ends.addEventListener('abort', () => resolve(), { once: true });
    });
  if (ends.aborted) {
    stops.delete(wanted.id);
    waiting.shift()?.();
    return;
  }
  learning++;
  try {
    await runTraining(studio, wanted, desk);
  } finally {
    learning--;
    waiting.shift()?.();
  }
}

/** Runs a training in its own process and writes its messages into the journal. */
async function runTraining({ store, place }: StudioContext, { id, name, wanted }: Going, desk: JobContext): Promise<void> {
  const file = fileURLToPath(new URL(`../training-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));
  const child = fork(file, [], { cwd: place.cwd, execArgv: threadFlags, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const stop = () => child.connected && child.send('stop', () => {});
  stops.set(id, stop);
  desk.signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  let written: Promise<unknown> = Promise.resolve();
  const { purse, allowance } = walletOf(place);
  const purseDesk = new PurseDesk(purse, (answer) => child.connected && child.send(answer, () => {}));
  const takeWord = (word: TraineeWord) => {
    if ('purse' in word) {
      void purseDesk.take(word);
      return;
    }
    if ('failed' in word) failures.set(id, word.failed);
    if (!('progress' in word)) return;
    const progress = word.progress as JsonObject;
    desk.tell(progress['games'] as number);
    written = written.then(async () => {
      const { metrics = 0 } = await store.journals(id);
      await store.note(id, 'metrics', metrics, [progress]);
    });
    // Reported below. Until then, an unhandled rejection would end the process.
    written.catch(() => {});
  };
  child.on('message', safely('A training', takeWord));
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.on(
      'error',
      safely('A training', (thrown: Error) => {
        failures.set(id, sentenceOf(thrown));
        // A process that never started has no exit event.
        if (child.pid === undefined) resolve();
      }),
    );
  });
  const { money } = allowance;
  child.send({ run: wanted, name, cwd: place.cwd, ...(money !== undefined && { money }) } satisfies TrainingRequest, () => {});
  try {
    await ended;
    await written;
  } finally {
    purseDesk.close();
    stops.delete(id);
  }
}
