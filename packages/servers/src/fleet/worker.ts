/**
 * @file A worker: leases jobs from the store, plays them, and renews its leases. It may be killed at any moment: what was acknowledged is
 * stored, its jobs go to other workers when the leases expire, and the next worker continues each log from its end.
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { routed } from '@ludus-agents/agents/internal/models/routed';
import type { Claim, Lease, Lot, WorkerNote } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isFault, sentenceOf, withBudget } from '@ludus-agents/kernel/internal/core/index';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';
import { version } from '@ludus-agents/store/internal/version';
import { ClaimAhead, spareOf } from './claim-ahead.ts';
import type { EpisodePayload } from './enqueue-plan.ts';
import type { Meter, SharedPace } from './metered-models.ts';
import { playJobEpisode } from './play-job.ts';
import { RunContext, type StageOptions } from './run-context.ts';

/** The options of a worker: its store, its limits, and how many jobs it takes at once. */
export interface WorkerOptions extends Pick<StageOptions, 'environment' | 'services' | 'checkVersions'> {
  readonly sharedStore: SharedStore;
  /** Episodes at once. */
  readonly concurrency: number;
  /** Milliseconds of a job's lease without a renewal. */
  readonly lease?: number;
  /** Only jobs of these environments, and only those whose models are all in this list; all jobs by default. */
  readonly environments?: readonly string[] | undefined;
  readonly models?: readonly string[] | undefined;
  readonly pace?: SharedPace;
  /** Milliseconds that episodes may continue after a stop request. */
  readonly grace?: number;
  /** Stop when the queue is empty. */
  readonly untilEmpty?: boolean;
  /** Receives messages about failures outside of episodes. */
  readonly tell?: (sentence: string) => void;
  /** Handlers for jobs other than episodes, by kind. */
  readonly other?: Readonly<Record<string, (lease: Lease, lot: Lot, runContext: RunContext, signal: AbortSignal) => Promise<void>>>;
}

interface Held {
  readonly lease: Lease;
  readonly stop: AbortController;
}

/** The number of attempts to write a log before the job goes to another worker. */
const tries = 3;

/** Takes jobs of a shared store under leases, and plays or scores them. */
export class Worker {
  readonly id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly #options: WorkerOptions;
  readonly #lease: number;
  readonly #held = new Map<string, Held>();
  readonly #runContexts = new Map<string, RunContext>();
  /** Runs that were stopped and got a larger budget: their running calls are still to be settled. */
  readonly #retired: Meter[] = [];
  readonly #lots = new Map<string, Lot>();
  /** Pending reads of lots, by run: a lot may have thousands of casts, and many jobs request it at once. */
  readonly #readings = new Map<string, Promise<void>>();
  readonly #claimAhead: ClaimAhead;
  #ready: Held[] = [];
  #running = 0;
  /** How many additional jobs may run at the end of a queue. */
  #beyond = 0;
  /** Played episodes that are being stored. */
  #storing = 0;
  #finished = 0;
  #failed = 0;
  #state: WorkerNote['state'] = 'working';
  #wake: () => void = () => {};
  #events = 0;
  #breath: Promise<void> | null = null;
  #beaten = 0;
  #read = Number.NEGATIVE_INFINITY;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#lease = options.lease ?? 30_000;
    this.#claimAhead = new ClaimAhead(options.concurrency);
  }

  get note(): WorkerNote {
    const { concurrency, environments = null, models = null } = this.#options;
    const done = { running: this.#running, finished: this.#finished, failed: this.#failed };
    return { id: this.id, host: hostname(), version, concurrency, environments, models, state: this.#state, ...done };
  }

  /** Milliseconds since the last report to the store. */
  get silent(): number {
    return this.#beaten === 0 ? 0 : performance.now() - this.#beaten;
  }

  /** The spending of this worker, by run. */
  spendings(): ReadonlyMap<string, RunContext['meter']['total']> {
    return new Map([...this.#runContexts].map(([run, { meter }]) => [run, meter.total]));
  }

  /** Works until the signal, or until nothing is left if `untilEmpty` is set; then releases everything. */
  async run(signal: AbortSignal): Promise<void> {
    const { jobs } = this.#options.sharedStore;
    const over = new AbortController();
    const forget = jobs.onStop((run) => this.#runContexts.get(run)?.halt.abort());
    const signs = Promise.all([
      this.#every(Math.min(this.#lease / 3, 5000), over.signal, () => this.#beat()),
      this.#every(500, over.signal, () => this.#account()),
    ]);
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    await this.#quietly(() => this.#beat());
    while (!signal.aborted && !(await this.#look(signal)));
    signal.removeEventListener('abort', wake);
    await this.#drain();
    over.abort();
    await signs;
    forget();
    this.#state = 'gone';
    await this.#quietly(() => this.#account());
    await this.#quietly(() => this.#beat());
  }

  /** Claims jobs, or waits for some; true when there is nothing left to wait for. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const { concurrency, untilEmpty = false, sharedStore, pace } = this.#options;
    const ahead = this.#claimAhead.count;
    const free = concurrency - this.#running - this.#ready.length;
    const wanted = Math.max(0, free + ahead);
    const more = spareOf({ places: concurrency, calls: pace?.atOnce }, this.#held.values(), this.#lots);
    const spare = Math.max(0, more + Math.min(0, free));
    // At the end of a queue it also claims ahead.
    if ((wanted === 0 && (this.#beyond === 0 || spare === 0)) || this.#ready.length > ahead / 2) {
      if (!signal.aborted) await this.#slot();
      return false;
    }
    const began = performance.now();
    const leases = await this.#quietly(async () =>
      sharedStore.jobs.claim({ worker: this.id, limit: wanted, spare, lease: this.#lease, ...(await this.#mine()) }),
    );
    if (leases === undefined) {
      await sleep(500, undefined, { signal }).catch(() => {});
      return false;
    }
    if (leases.length > 0) this.#claimAhead.noteClaim(performance.now() - began);
    this.#beyond = leases.length > wanted ? Math.max(0, leases.length - free) : 0;
    for (const lease of leases) {
      const current: Held = { lease, stop: new AbortController() };
      this.#held.set(lease.id, current);
      this.#ready.push(current);
    }
    this.#start();
    if (leases.length === 0 && untilEmpty && this.#held.size === 0) return this.#empty();
    if (leases.length === 0) await this.#idle(signal);
    return false;
  }

  /** Resolves when there may be work, or a free slot. */
  async #idle(signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    await Promise.race([this.#options.sharedStore.jobs.wait(1000, AbortSignal.any([signal, enough.signal])), this.#slot()]);
    enough.abort();
  }

  /** No waiting job matches this worker, and no leased job can return. */
  async #empty(): Promise<boolean> {
    const runs = await this.#quietly(() => this.#options.sharedStore.jobs.overview());
    if (runs === undefined) return false;
    const accounts = await Promise.all(
      runs
        .filter(({ waiting, leased }) => waiting + leased > 0)
        .map(({ run }) => this.#quietly(() => this.#options.sharedStore.ledger.account(run))),
    );
    if (accounts.every((account) => account !== undefined && account.stopped !== null)) return true;
    await sleep(200);
    return false;
  }

  /** Resolves when an episode has ended or the worker is to stop. */
  #slot(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #start(): void {
    const { concurrency } = this.#options;
    // The next episode starts while the last one is being committed, but a worker does not run further ahead of the store.
    while (this.#running < concurrency + this.#beyond && this.#running + this.#storing < 2 * concurrency) {
      const current = this.#ready.shift();
      if (current === undefined) return;
      if (current.stop.signal.aborted) continue;
      this.#running++;
      const began = performance.now();
      let isPlaying = true;
      const leave = () => {
        if (!isPlaying) return;
        isPlaying = false;
        this.#claimAhead.notePlay(performance.now() - began);
        this.#running--;
        this.#storing++;
        this.#start();
        this.#wake();
      };
      void this.#work(current, leave).finally(() => {
        leave();
        this.#storing--;
        this.#start();
        this.#wake();
      });
    }
  }

  /** Never rejects: a failure is reported to the store, or, if that is unreachable, left to the lease. */
  async #work(current: Held, leave: () => void): Promise<void> {
    const { lease } = current;
    const { jobs } = this.#options.sharedStore;
    try {
      const result = await this.#perform(current, leave).finally(() =>
        this.#quietly(async () => this.#runContexts.get(lease.run)?.meter.flush()),
      );
      if (result === null) await jobs.giveBack([lease]);
      else {
        // The next episode starts while this one's completion is being sent.
        void jobs
          .finish(lease, result)
          .catch(() => {})
          .finally(() => this.#let(current));
        this.#finished++;
        return;
      }
    } catch (thrown) {
      this.#failed++;
      await this.#quietly(async () => {
        // An input may be invalid on this machine only: a few other workers get a chance.
        const hopeless = isFault(thrown) && thrown.boundary === 'input' && lease.attempt >= 3;
        const state = await jobs.fail(lease, sentenceOf(thrown), hopeless ? null : Math.min(30_000, 50 * 2 ** lease.attempt));
        if (state !== 'lost')
          this.#tell(`${lease.id} of ${lease.run}: ${sentenceOf(thrown)}${state === 'dead' ? ' It is not tried again.' : ''}`);
      });
    }
    this.#let(current);
  }

  #let(current: Held): void {
    if (this.#held.get(current.lease.id) === current) this.#held.delete(current.lease.id);
    this.#wake();
  }

  /** `leave` is called when an episode has been played and is ready to be stored. */
  async #perform({ lease, stop }: Held, leave: () => void): Promise<{ outcome: string; turns: number } | null> {
    const lot = await this.#lot(lease);
    const runContext = this.#runContext(lease.run);
    const signal = AbortSignal.any([stop.signal, runContext.halt.signal]);
    const other = this.#options.other?.[lease.kind];
    if (other !== undefined) {
      await withBudget(runContext.meter, () => other(lease, lot, runContext, signal));
      return signal.aborted ? null : { outcome: 'done', turns: 0 };
    }
    if (lease.kind !== 'episode') throw new Fault('input', `This worker cannot run jobs of the kind "${lease.kind}".`);
    const { seed, cast, begun: open = false } = lease.payload as EpisodePayload;
    const [environment, agents] = [await runContext.environment(lot), await runContext.cast(lot, cast)];
    for (let tried = 1; ; tried++) {
      try {
        const { id, run } = lease;
        const part = {
          store: this.#options.sharedStore.store,
          id,
          run,
          environment,
          agents,
          seed,
          task: lot.task,
          limits: lot.limits,
          versions: lot.versions?.[cast],
        };
        const begun = open || tried > 1 || !lease.fresh;
        const playing = { ...part, signal, begun, onPlayed: leave, breathe: (events: number) => this.#breathe(events) };
        const end = await withBudget(runContext.meter, () => routed(id, () => playJobEpisode(playing)));
        return end === null ? null : { outcome: end.reason, turns: end.turns };
      } catch (thrown) {
        // Another worker has written, or the store was unreachable: the log shows where to continue, if the lease is still ours.
        if (tried === tries || signal.aborted) throw thrown;
      }
    }
  }

  async #lot({ lot: id, run }: Lease): Promise<Lot> {
    // A pending read may have started before the lot existed.
    for (let reads = 0; reads < 2 && !this.#lots.has(id); reads++) {
      const reading = this.#readings.get(run) ?? this.#readLots(run).finally(() => this.#readings.delete(run));
      this.#readings.set(run, reading);
      await reading;
    }
    const lot = this.#lots.get(id);
    if (lot === undefined) throw new Fault('store', `Lot ${id} not found.`, { code: 'E_NOT_FOUND' });
    return lot;
  }

  #runContext(run: string): RunContext {
    const knownRunContext = this.#runContexts.get(run);
    // A run that was stopped and got a larger budget starts with a new signal.
    if (knownRunContext !== undefined && !knownRunContext.halt.signal.aborted) return knownRunContext;
    const { sharedStore, services, environment, checkVersions, pace = {} } = this.#options;
    const runContext = new RunContext(run, {
      ledger: sharedStore.ledger,
      worker: `${this.id}${knownRunContext === undefined ? '' : `+${this.#retired.length + 1}`}`,
      ...{ pace, services, environment, checkVersions },
    });
    this.#runContexts.set(run, runContext);
    if (knownRunContext !== undefined) this.#retired.push(knownRunContext.meter);
    return runContext;
  }

  /** The jobs that this worker may take: those of its version, and if restricted, of matching lots. */
  async #mine(): Promise<Pick<Claim, 'version' | 'lots'>> {
    const { environments, models } = this.#options;
    if (environments === undefined && models === undefined) return { version };
    if (performance.now() - this.#read > 1000) {
      this.#read = performance.now();
      await this.#readLots();
    }
    const isKnown = (name: string) => environments === undefined || environments.includes(name);
    const fits = ({ environmentName, environment, models: needed }: Lot) =>
      (isKnown(environmentName) || isKnown(environment) || isKnown(environment.split('@', 1)[0]!)) &&
      (models === undefined || needed.every((model) => models.includes(model)));
    return { version, lots: [...this.#lots.values()].filter(fits).map(({ id }) => id) };
  }

  async #readLots(run?: string): Promise<void> {
    for (const lot of await this.#options.sharedStore.jobs.lots(run)) this.#lots.set(lot.id, lot);
  }

  async #beat(): Promise<void> {
    const leases = [...this.#held.values()].map(({ lease }) => lease);
    const { lost, stopped } = await this.#options.sharedStore.jobs.beat(this.note, leases, this.#lease);
    this.#beaten = performance.now();
    for (const id of lost) {
      const current = this.#held.get(id);
      // A job that was just finished or leased again is not lost.
      if (current !== undefined && leases.includes(current.lease)) current.stop.abort();
    }
    for (const run of stopped) this.#runContexts.get(run)?.halt.abort();
  }

  /** Reports spending, and detects an exhausted budget within half a second. */
  async #account(): Promise<void> {
    const runs = new Set([...this.#held.values()].map(({ lease }) => lease.run));
    for (const [run, { meter, halt }] of this.#runContexts)
      if (runs.has(run) || meter.isUnsaid || (!halt.signal.aborted && meter.total.calls > 0)) await meter.report();
    for (const meter of this.#retired) if (meter.isUnsaid) await meter.report();
  }

  /** Gives episodes time to finish, then cancels them and returns the remaining jobs. */
  async #drain(): Promise<void> {
    this.#state = 'draining';
    const waiting = this.#ready;
    this.#ready = [];
    for (const current of waiting) this.#held.delete(current.lease.id);
    await this.#quietly(() => this.#options.sharedStore.jobs.giveBack(waiting.map(({ lease }) => lease)));
    const until = performance.now() + (this.#options.grace ?? 30_000);
    while (this.#held.size > 0 && performance.now() < until) await Promise.race([this.#slot(), sleep(100)]);
    for (const current of this.#held.values()) current.stop.abort();
    const last = performance.now() + 10_000;
    while (this.#held.size > 0 && performance.now() < last) await Promise.race([this.#slot(), sleep(100)]);
  }

  async #every(milliseconds: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await sleep(milliseconds, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.#quietly(act);
    }
  }

  /** The store may be temporarily unreachable; the worker continues afterwards. */
  async #quietly<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (thrown) {
      this.#tell(sentenceOf(thrown));
      return undefined;
    }
  }

  #tell(sentence: string): void {
    this.#options.tell?.(sentence);
  }

  /** Agents that answer synchronously never let timers, signals, or the store run. */
  #breathe(events: number): Promise<void> | null {
    this.#events += events;
    if (this.#events >= 2048)
      this.#breath ??= turn().then(() => {
        this.#events = 0;
        this.#breath = null;
      });
    return this.#breath;
  }
}
