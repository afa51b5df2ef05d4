/**
 * @file The only place that catches errors in callbacks of sockets, streams, timers, and threads.
 *
 * An error thrown by a callback, or a rejection of its promise, would end the process for all clients. Here it is reported, and answered if
 * a client waits; everything else continues.
 */

import { sentenceOf } from './fault.ts';

/** The receiver of reports; a test replaces it. */
export type Reporter = (sentence: string) => void;

/** Emits a process warning if there is a process: it appears in the server's own output, and at no client. */
const warn: Reporter = (sentence) => {
  const { process } = globalThis as { process?: { emitWarning?: Reporter } };
  if (process?.emitWarning === undefined) console.warn(sentence);
  else process.emitWarning(sentence);
};

const counts = new Map<string, number>();

/** Reports an error. A repeated sentence is reported the 1st, 10th, 100th … time, so that repetition cannot fill a disk. */
export function report(what: string, thrown: unknown, reporter: Reporter = warn): void {
  const sentence = `${what} failed: ${sentenceOf(thrown)}`.slice(0, 500);
  const count = (counts.get(sentence) ?? 0) + 1;
  // Sentences may quote external data, so the map must not grow without limit.
  if (counts.size >= 1000) counts.clear();
  counts.set(sentence, count);
  if (/^10*$/.test(String(count))) reporter(count === 1 ? sentence : `${sentence} (${count} times)`);
}

/** A callback that never throws: errors of `work`, synchronous or later, are reported, and `failed` may answer for it. */
export function safely<Given extends unknown[]>(
  what: string,
  work: (...input: Given) => unknown,
  failed: (thrown: unknown, ...input: Given) => void = () => {},
): (...input: Given) => void {
  const catchOne = (thrown: unknown, input: Given) => {
    try {
      report(what, thrown);
      failed(thrown, ...input);
    } catch {
      // If even the report fails, nothing more is done.
    }
  };
  return (...input) => {
    try {
      const result = work(...input);
      if (result instanceof Promise) result.catch((thrown: unknown) => catchOne(thrown, input));
    } catch (thrown) {
      catchOne(thrown, input);
    }
  };
}
