/** @file A pause that can be canceled. It uses only the global timers, so a test can replace the clock. */

/** Waits; rejects with the signal's reason if it is canceled. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Calls `use` with a signal that aborts with `signal`, or with a `TimeoutError` after the time limit. */
export async function withTimeLimit<T>(milliseconds: number, signal: AbortSignal, use: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('The time is up.', 'TimeoutError')), milliseconds);
  try {
    return await use(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
