/**
 * @file A hint that calls of one episode belong together, for anyone who spreads calls over several servers: the one that answered last has the
 * beginning of the prompt in its cache. It travels next to the call, not in it: it changes no answer and names no cache entry.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

const routes = new AsyncLocalStorage<string>();

/** Everything that is called within `play`, however later, carries the hint. */
export function routed<T>(hint: string, play: () => T): T {
  return routes.run(hint, play);
}

/** The header that routers look at. */
export const routeHeader = 'x-session-id';

export function routeNow(): string | undefined {
  return routes.getStore();
}
