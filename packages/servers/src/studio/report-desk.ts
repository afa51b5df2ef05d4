/**
 * @file Makes reports over many episodes in a separate thread: reading ten thousand episodes takes seconds, and must not block the server.
 *
 * While a run continues, its report is requested repeatedly. A report is renewed only after several times the duration of making
 * it, and requests during its creation share the result.
 */

import { Worker } from 'node:worker_threads';
import { type Boundary, Fault, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { threadFlags } from '@ludus-agents/kernel/internal/core/thread-flags';
import type { CompareShown, ReportShown } from './api.ts';
import { answerReport, type ReportPlace, type ReportQuestion } from './run-report.ts';

/** The startup data of the thread. */
export interface DeskRoom {
  readonly where: string;
  readonly cwd: string;
}

export interface DeskQuestion {
  readonly id: number;
  readonly question: ReportQuestion;
}

export type DeskAnswer =
  | { readonly id: number; readonly made: MadeReport }
  | { readonly id: number; readonly boundary: Boundary; readonly message: string };

/** A response and its duration in milliseconds, without the start of its thread, which happens only once. */
interface MadeReport {
  readonly shown: ReportShown | CompareShown;
  readonly took: number;
}

interface Kept {
  until: number;
  readonly answer: Promise<ReportShown | CompareShown>;
}

/** How long a report stays valid: milliseconds, and a multiple of its duration. */
const fresh = 1000;
const times = 4;
const most = 50;

export class ReportDesk {
  readonly #store: Store;
  readonly #room: DeskRoom | null;
  readonly #cwd: string;
  readonly #kept = new Map<string, Kept>();
  readonly #waiting = new Map<number, PromiseWithResolvers<MadeReport>>();
  #worker: Worker | null = null;
  #asked = 0;

  constructor({ store, where, cwd }: { readonly store: Store; readonly where: string | null; readonly cwd: string }) {
    this.#store = store;
    this.#cwd = cwd;
    // Data in the memory of this process can't be read elsewhere.
    this.#room = where === null || where === 'memory:' ? null : { where, cwd };
  }

  report(question: Extract<ReportQuestion, { run: string }>): Promise<ReportShown> {
    return this.#answer(question) as Promise<ReportShown>;
  }

  comparison(question: Extract<ReportQuestion, { compare: object }>): Promise<CompareShown> {
    return this.#answer(question) as Promise<CompareShown>;
  }

  /** Makes the next reports from the data stored by then. */
  forget(): void {
    this.#kept.clear();
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #answer(question: ReportQuestion): Promise<ReportShown | CompareShown> {
    const key = JSON.stringify(question);
    const saved = this.#kept.get(key);
    if (saved !== undefined && performance.now() < saved.until) return saved.answer;
    const making = this.#made(question);
    const result: Kept = { until: Number.POSITIVE_INFINITY, answer: making.then(({ shown }) => shown) };
    making.then(
      ({ took }) => {
        result.until = performance.now() + Math.max(fresh, times * took);
      },
      () => {
        if (this.#kept.get(key) === result) this.#kept.delete(key);
      },
    );
    this.#kept.delete(key);
    this.#kept.set(key, result);
    if (this.#kept.size > most) this.#kept.delete(this.#kept.keys().next().value as string);
    return result.answer;
  }

  #made(question: ReportQuestion): Promise<MadeReport> {
    if (this.#room === null) return makeReport(question, { store: this.#store, cwd: this.#cwd });
    const id = this.#asked++;
    const answer = Promise.withResolvers<MadeReport>();
    this.#waiting.set(id, answer);
    this.#worker ??= this.#begin(this.#room);
    this.#worker.postMessage({ id, question } satisfies DeskQuestion);
    return answer.promise;
  }

  #begin(room: DeskRoom): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./report-thread.${extension}`, import.meta.url), { workerData: room, execArgv: threadFlags });
    worker.unref();
    worker.on('message', (deskAnswer: DeskAnswer) => {
      const answer = this.#waiting.get(deskAnswer.id);
      this.#waiting.delete(deskAnswer.id);
      if ('made' in deskAnswer) answer?.resolve(deskAnswer.made);
      else answer?.reject(new Fault(deskAnswer.boundary, deskAnswer.message));
    });
    const onLost = (why: string) => {
      // The next request starts another thread.
      if (this.#worker === worker) this.#worker = null;
      for (const answer of this.#waiting.values()) answer.reject(new Fault('server', why));
      this.#waiting.clear();
    };
    worker.on('error', (thrown) => onLost(`The report could not be created: ${sentenceOf(thrown)}`));
    worker.on('exit', () => onLost('The report was canceled.'));
    return worker;
  }
}

/** Answers a request in the current thread. */
export async function makeReport(question: ReportQuestion, place: ReportPlace): Promise<MadeReport> {
  const began = performance.now();
  const reportAnswer = await answerReport(question, place);
  return { shown: reportAnswer, took: performance.now() - began };
}
