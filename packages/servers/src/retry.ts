/** @file Tries again what fails for a reason that may pass, for a bounded time. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, isFault, type Store } from '@ludus-agents/kernel/internal/core/index';

export interface RequestRetryOptions {
  /** How often it is tried in all. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; each wait is twice the one before, up to 5 s. */
  readonly wait?: number;
  /** Waits; a test brings its own. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Called with each failure that is tried again. */
  readonly failed?: (fault: Fault) => void;
}

/** What `work` gives, once it succeeds. A fault that will not pass is thrown at once, one that may pass after the last attempt. */
export async function retryTransient<T>(work: () => Promise<T>, options: RequestRetryOptions = {}): Promise<T> {
  const { attempts = 6, wait = 100, failed = () => {} } = options;
  // The timer does not keep the process running; a caller that waits for the result does.
  const pause = options.sleep ?? ((milliseconds) => sleep(milliseconds));
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      if (!isFault(thrown) || !thrown.transient || attempt >= attempts) throw thrown;
      failed(thrown);
      await pause(Math.min(wait * 2 ** (attempt - 1), 5000));
    }
  }
}

/**
 * Appends of one episode that are tried again. Several may be under way at once: where one comes late, those after it were refused for the
 * gap it left, and are sent again behind it.
 */
export function retryingAppends(store: Pick<Store, 'append'>, options: RequestRetryOptions = {}): Pick<Store, 'append'> {
  /** Whether the last append was late. */
  let last = Promise.resolve(false);
  return {
    append(...of) {
      const before = last;
      const write = () => store.append(...of);
      const message = write().then(
        () => false,
        async (thrown: unknown) => {
          const isLate = await before;
          if (!isLate && !(isFault(thrown) && thrown.transient)) throw thrown;
          if (isFault(thrown)) options.failed?.(thrown);
          await retryTransient(write, options);
          return true;
        },
      );
      last = message;
      // The caller is told about a failure; later output only must not be sent again.
      message.catch(() => {});
      return message.then(() => {});
    },
  };
}
