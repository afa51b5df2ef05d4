/** @file Work of many episodes that someone has started on the page: what goes on, how far it is, and an end to it when someone stops it or the server closes. */

import { type CallBudget, type Fault, sentenceOf, withBudget } from '@ludus-agents/kernel/internal/core/index';
import type { Regression } from './regression.ts';

export interface Job {
  readonly run: string;
  readonly title: string;
  readonly cast: readonly string[];
  readonly planned: number | null;
}

/** What a job may say while it works. */
export interface JobContext {
  readonly signal: AbortSignal;
  tell(done: number): void;
}

/** A job that is over. */
export interface EndedJob extends Pick<Job, 'run' | 'title'> {
  readonly done: number;
  readonly planned: number | null;
  /** Why it stopped before its end; null where it did not. */
  readonly error: string | null;
  /** The earlier run that was better; null where there is none. */
  readonly regression: Regression | null;
  /** When, in milliseconds since 1970. */
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

  /** Begins, unless the same is going on already. What fails is said where the server writes. */
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
        // What cannot be compared did not get worse.
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

  /** The latest that are over, oldest first. */
  ended(): readonly EndedJob[] {
    return this.#ended;
  }

  /** What has ended stays; the same work begun again goes on from there. */
  stop(run: string): void {
    this.#stops.get(run)?.abort();
  }

  async close(): Promise<void> {
    this.#off.abort();
    await Promise.all(this.#works);
  }
}
