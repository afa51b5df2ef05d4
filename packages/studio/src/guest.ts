/** @file Whether this browser came by a read-only link, and what that shows. The server refuses everything else; the page does not offer it. */

import { match } from './router.ts';

/** The address of the shared object, as "#/run/nightly"; null for the owner. */
export const shared: string | null = document.documentElement.dataset['shows'] ?? null;
export const isGuest: boolean = shared !== null;

const readable = ['/run/:id', '/training/:run', '/e/:id/:at?', '/trace/:id/:at?', '/compare'];

/** Whether a page can be part of the shared object. */
export function isReadable(path: string): boolean {
  return shared === null || readable.some((pattern) => match(pattern, path) !== null);
}
