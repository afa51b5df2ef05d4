/** @file Background jobs over many episodes started on the page: their progress, and cancellation by the user or when the server closes. */

import { type CallBudget, type Fault, sentenceOf, withBudget } from '@ludus-agents/kernel/internal/core/index';
import type { Regression } from './regression.ts';

export interface Job {
  readonly run: string;
  readonly title: string;
  readonly cast: readonly string[];
  readonly planned: number | null;
}

/** Updates of a running job. */
export interface JobContext {
  readonly signal: AbortSignal;
  tell(done: number): void;
}

/** A finished job. */
export interface EndedJob extends Pick<Job, 'run' | 'title'> {
  readonly done: number;
  readonly planned: number | null;
  /** The reason for an early stop; null if it completed. */
  readonly error: string | null;
  /** The earlier run that was better; null if there is none. */
  readonly regression: Regression | null;
  /** The time in milliseconds since 1970. */
  readonly at: number;
}

const mostEnded = 50;

export class BackgroundJobs {
  readonly #check: (run: string) => Promise<Regression | null>;
  readonly #purse: (() => CallBudget) | undefined;
  readonly #onEnd: () => void;
  readonly #ended: EndedJob[] = [];
  readonly #going = new Map<string, Job & { done: number }>();
  readonly #stops = new Map<string, AbortController>();
  readonly #off = new AbortController();
  readonly #works = new Set<Promise<void>>();

  /**
   * `check` compares a finished run with earlier ones. Model calls of jobs are paid from `purse`. `onEnd` is called when a job has ended or
   * stopped, before its run is compared.
   */
  constructor(
    check: (run: string) => Promise<Regression | null> = async () => null,
    purse?: () => CallBudget,
    onEnd: () => void = () => {},
  ) {
    this.#check = check;
    this.#purse = purse;
    this.#onEnd = onEnd;
  }

  /** Starts a job, unless the same one is running. Failures are logged by the server. */
  start(job: Job, work: (desk: JobContext) => Promise<unknown>): void {
    if (this.#going.has(job.run) || this.#off.signal.aborted) return;
    const going = { ...job, done: 0 };
    const stop = new AbortController();
    this.#going.set(job.run, going);
    this.#stops.set(job.run, stop);
    const desk: JobContext = {
      signal: AbortSignal.any([this.#off.signal, stop.signal]),
      tell: (so) => {
        going.done = so;
      },
    };
    const done = (this.#purse === undefined ? work(desk) : withBudget(this.#purse(), () => work(desk)))
      .then(
        () => null,
        (thrown: Fault) => {
          process.emitWarning(`${job.title} stopped: ${sentenceOf(thrown)}`);
          return sentenceOf(thrown);
        },
      )
      .then(async (error) => {
        this.#onEnd();
        const isWhole = error === null && !stop.signal.aborted && !this.#off.signal.aborted;
        // A run that can't be compared did not get worse.
        const regression = isWhole ? await this.#check(job.run).catch(() => null) : null;
        const { run, title, planned } = job;
        this.#ended.push({ run, title, done: going.done, planned, error, regression, at: Date.now() });
        this.#ended.splice(0, this.#ended.length - mostEnded);
        this.#going.delete(job.run);
        this.#stops.delete(job.run);
        this.#works.delete(done);
      });
    this.#works.add(done);
  }

  list(): readonly (Job & { readonly done: number })[] {
    return [...this.#going.values()];
  }

  /** The latest finished jobs, oldest first. */
  ended(): readonly EndedJob[] {
    return this.#ended;
  }

  /** Finished work is kept; starting the same job again resumes it. */
  stop(run: string): void {
    this.#stops.get(run)?.abort();
  }

  async close(): Promise<void> {
    this.#off.abort();
    await Promise.all(this.#works);
  }
}
