/**
 * @file Plays a whole plan into a store: bounded concurrency, hard budgets, and a re-run plays only what is missing.
 *
 * An episode's id is the hash of its run and its cell, so nothing is played or stored twice. A log cut off by a crash or a stop is
 * continued where it ended: answers that were paid for are not paid for again. Several processes may play one plan into one store at once:
 * they share its episodes, and each ends when all of them are settled.
 */

import type { Agent, AnyEnvironment, Budget, Cell, EndReason, EpisodeEvent, EpisodeRecord, Plan, Store } from '../core/index.ts';
import { BudgetCounter, currentBudget, withBudget } from '../core/index.ts';
import { pause } from '../core/pause.ts';
import { AgentCache, type LoadAgent } from './agent-cache.ts';
import { cells, loadPlanTasks, openId, type PlanTasks, runId, type VersionsOf } from './plan.ts';
import { play, resume } from './play.ts';
import { EpisodeRecorder, recordEpisode } from './record.ts';

export interface RunOptions {
  readonly store: Store;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
  readonly agent: LoadAgent;
  /** Concurrent episodes. */
  readonly concurrency?: number;
  readonly budget?: Budget | undefined;
  /** Stops gracefully: no new work starts, running calls are canceled, and interrupted episodes can be resumed. */
  readonly signal?: AbortSignal | undefined;
  /** Plays episodes that ended in an error again. */
  readonly retry?: boolean;
  /** Seconds without a new event after which episodes started by another run of the plan are continued here; 30 by default. */
  readonly patience?: number;
  /**
   * Fingerprints of environments and agents: an episode is played again if they change. Without them, an episode depends only on its task,
   * its seed, and its specs.
   */
  readonly versions?: VersionsOf | undefined;
  /** Whether stored episodes without fingerprints count as played. */
  readonly reuse?: boolean | undefined;
  /** The statuses of the run's stored episodes, if already read; otherwise they are read here. */
  readonly statuses?: ReadonlyMap<string, EpisodeRecord['status']> | undefined;
  readonly onProgress?: (progress: RunProgress) => void;
}

export interface RunCost {
  readonly calls: number;
  readonly tokens: number;
  /** US dollars for calls with a known price. */
  readonly money: number;
  /** Calls with an unknown price. */
  readonly unpriced: number;
}

/** The progress of a run: episodes played, failed, and still to play. */
export interface RunProgress {
  readonly run: string;
  /** Episodes of the plan, and how many of them an earlier run had finished. */
  readonly planned: number;
  readonly before: number;
  readonly played: number;
  /** Episodes settled by another concurrent run of the plan into the same store. */
  readonly elsewhere?: number;
  readonly running: number;
  readonly turns: number;
  readonly ends: Readonly<Record<EndReason, number>>;
  readonly spent: RunCost;
}

/** The result of a run: counts of episodes by status, the cost, and the reason why it stopped. */
export interface RunReport extends RunProgress {
  /** Why the run stopped before its plan was done, or null. */
  readonly stopped: null | 'signal' | keyof Budget;
  /** The message of the budget that stopped it. */
  readonly why?: string;
}

/** Plays the episodes of a plan that are not stored yet. Throws only for an invalid plan; failures inside an episode are in its log. */
export async function run(plan: Plan, options: RunOptions): Promise<RunReport> {
  const id = runId(plan);
  const sheet = await loadPlanTasks(plan, options.environment);
  await options.store.putRun({ id, plan, episodes: sheet.planned });
  return new Running(id, plan, sheet, options).finish();
}

/** An episode to play: its cell, its id, and whether its log has begun. */
interface Job {
  readonly cell: Cell;
  readonly id: string;
  readonly begun: boolean;
}

type Statuses = ReadonlyMap<string, EpisodeRecord['status']>;

/** An episode being stored, and the number of its durable events. */
interface Written {
  readonly stored: Promise<void>;
  readonly written: () => number;
}

/** A run in progress. */
class Running {
  readonly #id: string;
  readonly #plan: Plan;
  readonly #sheet: PlanTasks;
  readonly #options: RunOptions;
  readonly #budget: Budget;
  readonly #halt = new AbortController();
  readonly #agents: AgentCache;
  readonly #ends: Record<EndReason, number> = { over: 0, limit: 0, error: 0, abort: 0 };
  readonly #purse: BudgetCounter;
  #before = 0;
  #begun = 0;
  #played = 0;
  #running = 0;
  #turns = 0;
  #sinceBreath = 0;
  #breath: Promise<void> | null = null;
  #stopped: RunReport['stopped'] = null;
  #why: string | undefined;
  /** Whether another active run of the plan was detected in the store. */
  #shared = false;
  /** Episodes that the other run has started, and that were unfinished at the last check. */
  #watched: Job[] = [];
  #elsewhere = 0;

  constructor(id: string, plan: Plan, sheet: PlanTasks, options: RunOptions) {
    this.#id = id;
    this.#plan = plan;
    this.#sheet = sheet;
    this.#options = options;
    this.#agents = new AgentCache((spec, seat, environment) => this.#prepared(spec, seat, environment));
    this.#budget = { ...plan.budget, ...options.budget };
    this.#purse = new BudgetCounter(this.#budget, {
      parent: currentBudget(),
      isPatient: true,
      onStop: (fault) => {
        if (this.#stopped === null) this.#why = fault.message;
        this.#stop(fault.part);
      },
    });
  }

  /** Prepares an agent. A failure ends the run, unless the run was stopped meanwhile. */
  async #prepared(...args: Parameters<LoadAgent>): Promise<Agent> {
    const agent = await this.#options.agent(...args);
    try {
      await agent.prepare?.(this.#halt.signal);
    } catch (thrown) {
      if (!this.#halt.signal.aborted) throw thrown;
    }
    return agent;
  }

  async finish(): Promise<RunReport> {
    const { signal, store, statuses: knownEntries } = this.#options;
    const stop = () => this.#stop('signal');
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const { seconds } = this.#budget;
    const timer = seconds === undefined ? undefined : setTimeout(() => this.#stop('seconds'), seconds * 1000);
    try {
      const statuses = knownEntries ?? (await store.statuses(this.#id));
      await this.#playAll(this.#jobs(statuses));
      while (this.#stopped === null && this.#watched.length > 0) await this.#playAll((await this.#leftByOthers()).values());
      // A stopped run has not visited every cell, so it reads from the store which ones were finished before.
      if (this.#stopped !== null) this.#before = Math.min(this.#sheet.planned - this.#played, this.#finishedIn(statuses));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
    return {
      ...this.#progress(),
      stopped: this.#stopped,
      ...(this.#why === undefined ? {} : { why: this.#why }),
    };
  }

  /** The remaining jobs, null for each finished episode. Open logs come last, because another run may be playing and finish them. */
  *#jobs(statuses: Statuses): Generator<Job | null, void> {
    const open: Job[] = [];
    for (const cell of cells(this.#plan, this.#sheet, this.#options.versions)) {
      const job = this.#job(cell, statuses);
      if (job?.begun === true) open.push(job);
      else yield job;
    }
    yield* open;
  }

  async #playAll(todo: Iterator<Job | null, unknown>): Promise<void> {
    const { concurrency = 64 } = this.#options;
    const lanes = await Promise.allSettled(Array.from({ length: Math.max(1, concurrency) }, () => this.#lane(todo)));
    for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  }

  /** Takes jobs one after another until none is left or the run is stopped. A store failure stops all loops. */
  async #lane(todo: Iterator<Job | null, unknown>): Promise<void> {
    let settled: Promise<void> = Promise.resolve();
    try {
      while (this.#stopped === null) {
        const { value: job, done } = todo.next() as IteratorResult<Job | null, undefined>;
        if (done === true) break;
        if (job === null) {
          // Skipping a hundred thousand finished episodes takes a while, during which a Ctrl-C would not be noticed.
          if (++this.#before % 4096 === 0) await this.#breathe();
          continue;
        }
        if (this.#budget.episodes !== undefined && this.#begun >= this.#budget.episodes) {
          // Episodes in progress may finish: the limit counts starts only.
          this.#stopped ??= 'episodes';
          break;
        }
        // Once another run of the same plan is detected, each episode is looked up before it starts, so that the two share the work.
        if (this.#shared && !job.begun && (await this.#isElsewhere(job))) continue;
        this.#begun++;
        this.#running++;
        const stored = this.#settled(job, await this.#episode(job));
        // A loop that fails before it awaits this, perhaps in the next line, must not leave a rejection unhandled.
        stored.catch(() => {});
        // The next episode starts while the last one is being committed, but no loop gets further ahead of the store than that.
        await settled;
        settled = stored;
      }
      await settled;
    } catch (thrown) {
      this.#stop('signal');
      throw thrown;
    }
  }

  /**
   * If another process writes to an episode, its length differs from this run's, and it is left to that process. Any other failure is
   * reported.
   */
  async #settled(job: Job, { stored, written }: Written): Promise<void> {
    try {
      await stored;
    } catch (thrown) {
      const episodeRecord = await this.#options.store.episode(job.id).catch(() => null);
      if (episodeRecord === null || episodeRecord.events === written()) throw thrown;
      this.#shared = true;
      this.#watched.push(job);
    }
  }

  /** Whether another run has started an episode. An unfinished one is watched. */
  async #isElsewhere(job: Job): Promise<boolean> {
    const episodeRecord = await this.#options.store.episode(job.id);
    if (episodeRecord?.status === 'running') this.#watched.push(job);
    else if (episodeRecord !== null) this.#countElsewhere();
    return episodeRecord !== null;
  }

  #countElsewhere(): void {
    this.#elsewhere++;
    this.#options.onProgress?.(this.#progress());
  }

  /**
   * Waits until another run has finished its episodes. If none of them grows for a while, that run is gone: returns its unfinished
   * episodes, to be continued here.
   */
  async #leftByOthers(): Promise<readonly Job[]> {
    const { patience = 30, store } = this.#options;
    for (let [events, silent] = [-1, 0]; ; silent += lookEvery) {
      const before = events;
      const watched = this.#watched;
      [this.#watched, events] = [[], 0];
      for (const { cell, id } of watched) {
        const episodeRecord = await store.episode(id);
        events += episodeRecord?.events ?? 0;
        if (episodeRecord === null || episodeRecord.status === 'running') this.#watched.push({ cell, id, begun: episodeRecord !== null });
        else this.#countElsewhere();
      }
      if (events !== before) silent = 0;
      if (this.#watched.length === 0 || silent >= patience * 1000) break;
      await pause(lookEvery, this.#halt.signal).catch(() => {});
      if (this.#stopped !== null) break;
    }
    return this.#watched.splice(0);
  }

  #finishedIn(statuses: Statuses): number {
    let finished = 0;
    for (const cell of cells(this.#plan, this.#sheet, this.#options.versions)) if (this.#job(cell, statuses) === null) finished++;
    return finished;
  }

  /** The remaining work for a cell: null if it is finished, else the id to play under and whether its log exists. */
  #job(cell: Cell, statuses: Statuses): Job | null {
    const id = openId(this.#id, cell, statuses, this.#options);
    return id === null ? null : { cell, id, begun: statuses.has(id) };
  }

  /** Plays one episode into the store. Resolves when it has been played; `stored` resolves when it is durable. */
  async #episode({ cell, id, begun }: Job): Promise<Written> {
    const { store } = this.#options;
    const environment = this.#sheet.environments.get(cell.environment) as AnyEnvironment;
    const agents = await this.#agents.cast(cell.cast, environment);
    const before = begun ? await store.events(id) : [];
    if (before.at(-1)?.kind === 'end') {
      this.#running--;
      this.#countElsewhere();
      return { stored: Promise.resolve(), written: () => before.length };
    }
    const options = { seed: cell.seed, task: cell.task, limits: this.#plan.limits, signal: this.#halt.signal };
    const stream = begun ? resume(environment, agents, before, options) : play(environment, agents, options);
    // If the log cannot be stored, play stops: another run plays the episode, or the store has failed.
    const onFailure = () => void stream.return();
    const { versions } = cell;
    const recorder = new EpisodeRecorder({ store, episode: id, run: this.#id, versions, from: before.length, ahead: true, onFailure });
    const onEvents = (events: readonly EpisodeEvent[]) => {
      for (const event of events) this.#count(event);
      this.#sinceBreath += events.length;
      if (this.#sinceBreath >= 2048) this.#breath ??= this.#breathe();
      return this.#breath;
    };
    // A stopped run leaves its logs open instead of ending them, so that the next one can resume them.
    const end = await withBudget(this.#purse, () => recordEpisode(stream, recorder, { leaveOpen: () => true, onEvents }));
    const written = () => recorder.stored;
    if (end !== null) return { stored: this.#finished(recorder.flush(), end.reason, end.turns), written };
    this.#running--;
    return { stored: recorder.flush(), written };
  }

  /**
   * Agents that answer synchronously never let timers, signals, or the store run. So all loops pause together for one pass of the event
   * loop.
   */
  async #breathe(): Promise<void> {
    await new Promise((resolve) => (typeof setImmediate === 'function' ? setImmediate(resolve) : setTimeout(resolve, 0)));
    this.#sinceBreath = 0;
    this.#breath = null;
  }

  /** An episode counts as played once it is durable. */
  async #finished(stored: Promise<void>, reason: EndReason, turns: number): Promise<void> {
    this.#running--;
    await stored;
    this.#played++;
    this.#ends[reason]++;
    this.#turns += turns;
    this.#options.onProgress?.(this.#progress());
  }

  #count(event: EpisodeEvent): void {
    if (event.kind !== 'action' || event.calls === undefined) return;
    // Calls of models that reserve are already counted; others are reported only after the call.
    for (const call of event.calls) if (call.kept !== true && !this.#purse.knows(call.model)) this.#purse.count(call);
  }

  #stop(why: Exclude<RunReport['stopped'], null>): void {
    this.#stopped ??= why;
    this.#halt.abort();
  }

  #progress(): RunProgress {
    return {
      run: this.#id,
      planned: this.#sheet.planned,
      before: this.#before,
      played: this.#played,
      ...(this.#elsewhere === 0 ? {} : { elsewhere: this.#elsewhere }),
      running: this.#running,
      turns: this.#turns,
      ends: { ...this.#ends },
      spent: this.#purse.spent,
    };
  }
}

/** Milliseconds between two checks of episodes that another run plays. */
const lookEvery = 50;
