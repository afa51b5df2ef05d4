/**
 * @file Rollouts on workers for a learner on one machine. The store has every version of the weights in a journal of the
 * training; workers play the episodes of an update with the version that the job names, and every model call in their logs names that
 * version. So the age of the weights behind each token is known, and tokens that are too old are rejected instead of trained on.
 */

import { hash as digest } from 'node:crypto';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type {
  AnyEnvironment,
  EpisodeEvent,
  Json,
  Learner,
  Lease,
  Limits,
  Lot,
  ModelCall,
  Policy,
  Seat,
  Seed,
  Store,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, rng, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { Tabular } from '@ludus-agents/learning/internal/learners/index';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { memberPolicy, type RolloutBatch, type Rollouts } from '@ludus-agents/learning/internal/rl/rollouts';
import { createSparring } from '@ludus-agents/learning/internal/training/sparring';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';
import { version } from '@ludus-agents/store/internal/version';
import type { RunContext } from './run-context.ts';

/** Throws when a job of the run has died, with its reason. */
export async function waitForRun({ jobs }: SharedStore, run: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { waiting, leased, dead } = await jobs.standing(run);
    if (dead > 0) throw new Fault('agent', `A worker failed for ${run}: ${(await jobs.dead(run))[0]?.reason}`);
    if (waiting + leased === 0) return;
    await jobs.wait(100, signal);
  }
}

/** The maximum age of the weights behind a token, in updates: how far play may run ahead of the gradient; 1 by default. */
function oldestWeights({ training }: Recipe): number {
  return Math.max(1, Number(training.ahead ?? 1));
}

const journal = 'weights';
/** Episodes per job. */
const slice = 32;

type RolloutPayload = Omit<RolloutBatch, 'limits'> & { readonly weights: Weights; readonly from: number; readonly limits: Json };

/** Weights by their hash, their position in the journal, and their age in updates. */
type Weights = { readonly mark: string; readonly at: number; readonly age: number };
type Work = { readonly recipe: Recipe; readonly seed: Seed };

export interface FarOptions {
  readonly sharedStore: SharedStore;
  /** The training's run in the store. */
  readonly run: string;
  readonly seed: Seed;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
  readonly signal: AbortSignal;
}

/** The learner's side: sends weights and jobs, and receives logs. */
export function rolloutsBy(options: FarOptions): (recipe: Recipe, learner: Learner) => Rollouts {
  const { sharedStore, run, seed, signal } = options;
  const { store, jobs } = sharedStore;
  return (recipe, learner) => {
    const oldest = oldestWeights(recipe);
    let newest: { readonly update: number; readonly weights: Promise<Weights> } | null = null;
    let last: Promise<unknown> = Promise.resolve();
    const playBatch = async (batch: RolloutBatch, underway: () => void) => {
      const { update, member, seeds, task, turns, limits = null } = batch;
      if (newest?.update !== update) newest = { update, weights: publish(store, run, { learner, update, oldest }) };
      const weights = await newest.weights;
      const lot = lotOf(run, { recipe, seed }, (await options.environment(recipe.training.environment)).id);
      const starts = Array.from({ length: Math.ceil(seeds.length / slice) }, (_, i) => i * slice);
      const offered = starts.map((from) => {
        const part = { seeds: seeds.slice(from, from + slice), ...(turns !== undefined && { turns: turns.slice(from, from + slice) }) };
        const payload = { update, member, task, weights, from, ...part, limits: limits as Json };
        const id = `${run}/${update}/${member}/${from}/${weights.mark}`;
        return { id, kind: 'rollout', payload: payload satisfies RolloutPayload };
      });
      await jobs.offer(lot, offered);
      underway();
      await waitForRun(sharedStore, run, signal);
      const logs = await Promise.all(seeds.map((_, i) => store.events(idOf(run, { batch, weights, game: i }))));
      for (const log of logs) checkAge(log, learner.id, { ...weights, oldest });
      return logs;
    };
    return (batch, underway) => {
      const before = last;
      const logs = playBatch(batch, underway);
      // In the order of requests, not of completion, so a table is numbered the same each time.
      const read = before
        .then(() => logs)
        .then((matches) => (learner instanceof Tabular ? matches.map((log) => renumberSets(learner, log)) : matches));
      last = read.catch(() => {});
      return read;
    };
  };
}

/** The worker's side: one job, several episodes at once. */
export function rolloutWork(store: Store): (lease: Lease, lot: Lot, runContext: RunContext) => Promise<void> {
  const promiseCache = new PromiseCache<Seated>();
  return async (lease, lot, runContext) => {
    const environment = await runContext.environment(lot);
    const { recipe, seed } = lot.work as Work;
    const table = await promiseCache.get(lot.id, async () => ({
      ...(await createSparring(recipe, seed, { environment, cwd: process.cwd(), trust: Trust.job })),
      mark: '',
    }));
    const { weights, from, limits, ...batch } = lease.payload as RolloutPayload;
    await load(table, { store, run: lease.run, weights });
    const others = table.others(batch.update);
    const mine = memberPolicy(table.learner.policy(), recipe, batch);
    const seats: readonly Seat[] = environment.seats(environment.task(batch.task)).filter((seat: Seat) => !Object.hasOwn(others, seat));
    const cast: Record<Seat, Policy> = { ...others, ...Object.fromEntries(seats.map((seat) => [seat, mine])) };
    const logs = await playSlice(environment, cast, batch, limits as Limits | null);
    const ids = logs.map((_, i) => idOf(lease.run, { batch, weights, game: from + i }));
    const stored = await Promise.all(ids.map((id) => store.episode(id)));
    // A worker that had the job before may have written some of them: the same episodes, with the same seeds. The others share a commit.
    const fresh = ids.flatMap((id, i) => (stored[i] === null ? [{ id, log: logs[i]! }] : []));
    await Promise.all(fresh.map(({ id, log }) => store.append(id, 0, withMark(log, table.learner.id, weights.mark), lease.run)));
  };
}

/** The episodes of a job, grouped by length. */
async function playSlice(
  environment: AnyEnvironment,
  cast: Readonly<Record<Seat, Policy>>,
  { seeds, task, turns }: Pick<RolloutBatch, 'seeds' | 'task' | 'turns'>,
  limits: Limits | null,
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const logs: (readonly EpisodeEvent[])[] = [];
  for (const [most, places] of Map.groupBy(seeds.keys(), (i) => turns?.[i] ?? null)) {
    const ownLimits = most === null ? limits : { ...limits, turns: Math.min(most, limits?.turns ?? most) };
    const options = { seeds: places.map((i) => seeds[i]!), task, ...(ownLimits !== null && { limits: ownLimits }) };
    (await rollout(environment, cast, options)).forEach((log, at) => {
      logs[places[at]!] = log;
    });
  }
  return logs;
}

type Seated = Awaited<ReturnType<typeof createSparring>> & { mark: string };

type Entry = { readonly mark: string; readonly update: number; readonly weights: string };

/** Adds the learner's weights to the journal if they are new. Unchanged weights remain the newest, and do not age. */
async function publish(
  store: Store,
  run: string,
  { learner, update, oldest }: { readonly learner: Learner; readonly update: number; readonly oldest: number },
): Promise<Weights> {
  const weights = (await learner.weights?.()) ?? (await learner.save());
  // Uses Node's digest because weights are megabytes in size.
  const mark = digest('sha256', weights).slice(0, 12);
  const { [journal]: count = 0 } = await store.journals(run);
  const last = count === 0 ? undefined : ((await store.notes(run, journal, count - 1))[0] as Entry);
  if (last?.mark !== mark) {
    await store.note(run, journal, count, [{ mark, update, weights } satisfies Entry]);
    return { mark, at: count, age: 0 };
  }
  return { mark, at: count - 1, age: Math.min(update - last.update, oldest) };
}

async function load(
  table: Seated,
  { store, run, weights }: { readonly store: Store; readonly run: string; readonly weights: Weights },
): Promise<void> {
  if (table.mark === weights.mark) return;
  const entry = (await store.notes(run, journal, weights.at))[0] as Entry | undefined;
  if (entry?.mark !== weights.mark) throw new Fault('store', `The training ${run} has no weights ${weights.mark} in its journal.`);
  await table.learner.load(entry.weights);
  table.mark = weights.mark;
}

function lotOf(run: string, work: Work, environment: string): Lot {
  const { environment: environmentName, task = {} } = work.recipe.training;
  const scene = { run, environmentName, environment, task, casts: [], models: [], version, work: work };
  return { id: hash(scene).slice(0, 20), ...scene };
}

interface RolloutEpisode {
  readonly batch: Pick<RolloutBatch, 'update' | 'member'>;
  readonly weights: Weights;
  readonly game: number;
}

/** The same episode with the same weights has the same id, regardless of how often it is requested. */
function idOf(run: string, { batch: { update, member }, weights: { mark }, game }: RolloutEpisode): string {
  return hash([run, update, member, game, mark]).slice(0, 20);
}

/** A log whose calls name the weights that sampled them. */
function withMark(log: readonly EpisodeEvent[], learner: string, mark: string): readonly EpisodeEvent[] {
  const withLearnerMark = (call: ModelCall): ModelCall => (call.model === learner ? { ...call, model: `${learner}@${mark}` } : call);
  return log.map((event) =>
    event.kind === 'action' && event.calls !== undefined ? { ...event, calls: event.calls.map(withLearnerMark) } : event,
  );
}

/** Rejects a log with tokens of other weights than requested, since their age is unknown. */
export function checkAge(
  log: readonly EpisodeEvent[],
  learner: string,
  { mark, age, oldest }: Weights & { readonly oldest: number },
): void {
  if (age > oldest)
    throw new Fault('agent', `Weights can be at most ${oldest} updates old, but ${mark} are ${age} updates old.`, { code: 'E_TOO_LARGE' });
  for (const event of log)
    for (const { model } of event.kind === 'action' ? (event.calls ?? []) : [])
      if (model.startsWith(learner) && model !== `${learner}@${mark}`)
        throw new Fault('agent', `Expected all tokens to be from ${learner}@${mark}, but some are from ${model}.`);
}

/** A table numbers entries as it encounters them, so each worker has its own numbers; here they are converted to the learner's. */
function renumberSets(learner: Tabular, log: readonly EpisodeEvent[]): readonly EpisodeEvent[] {
  let asks: readonly Turn['ask'][] = [];
  return log.map((event, i) => {
    if (event.kind === 'turn') asks = event.asks;
    if (event.kind !== 'action' || event.calls === undefined) return event;
    const ask = asks.find(({ seat }) => seat === event.seat) as Turn['ask'];
    const { tokens } = learner.rowOf({ view: viewOf(log.slice(0, i), event.seat), ask, rng: rng(0) }, event.action.text);
    const calls = event.calls.map((call) => ({ ...call, promptTokenIds: [tokens[0]!], tokenIds: [tokens[1]!] }));
    return { ...event, calls };
  });
}
