/**
 * @file A hint that calls of one episode belong together, for routers that distribute calls over several servers: the server that answered
 * last has the beginning of the prompt in its cache. The hint is passed alongside the call, so it changes neither answers nor cache keys.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

const routes = new AsyncLocalStorage<string>();

/** Every call made within `play`, even later, carries the hint. */
export function routed<T>(hint: string, play: () => T): T {
  return routes.run(hint, play);
}

/** The header that routers read. */
export const routeHeader = 'x-session-id';

export function routeNow(): string | undefined {
  return routes.getStore();
}
