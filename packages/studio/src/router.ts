/** @file Where the page is, by the part of its address after the #: a path of words and a few parameters. */

import { useSyncExternalStore } from 'react';

export interface Route {
  /** "/e/3f2a/17" */
  readonly path: string;
  readonly query: URLSearchParams;
  /** As it stands in the address: "#/e/3f2a/17". */
  readonly hash: string;
}

/** What is shown now. */
let currentRoute: Route | null = null;
const listeners = new Set<() => void>();

function here(): Route {
  const { hash } = location;
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query), hash };
}

/** The same route as long as the same is shown: anyone who compares sees no change. */
function read(): Route {
  currentRoute ??= here();
  return currentRoute;
}

function follow(): void {
  const next = here();
  if (currentRoute?.hash === next.hash) return;
  currentRoute = next;
  for (const changed of listeners) changed();
}

function listen(changed: () => void): () => void {
  if (listeners.size === 0) addEventListener('hashchange', follow);
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
    if (listeners.size === 0) removeEventListener('hashchange', follow);
  };
}

export function useRoute(): Route {
  return useSyncExternalStore(listen, read);
}

/** An address within the page, its parts escaped: link('e', id, 7) is "#/e/3f2a/7". */
export function link(...parts: readonly (string | number)[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}

export function withQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '');
  return pairs.length === 0 ? address : `${address}?${new URLSearchParams(pairs)}`;
}

export function go(address: string): void {
  location.hash = address.replace(/^#/, '');
}

/** The same page at another place of it, without a new step in the history. */
export function settle(address: string): void {
  history.replaceState(history.state, '', address);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The parameters of a path under a pattern like "/e/:id/:at?", or null where it does not fit. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/').filter((part) => part !== '');
  const segments = path.split('/').filter((part) => part !== '');
  if (segments.length > wanted.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = segments[i];
    const name = /^:(\w+)(\?)?$/.exec(part);
    if (value === undefined) {
      if (name?.[2] === undefined) return null;
    } else if (name !== null) params[name[1]!] = decodePart(value);
    else if (part !== value) return null;
  }
  return params;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
