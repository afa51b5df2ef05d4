/** @file Where the page is, by the part of its address after the #: a path of words and a few parameters. */

import { useSyncExternalStore } from 'react';

export interface Route {
  /** "/e/3f2a/17" */
  readonly path: string;
  readonly query: URLSearchParams;
}

let last: { readonly hash: string; readonly route: Route } | null = null;

/** The same route as long as the address is the same: whoever compares sees no change. */
function read(): Route {
  const { hash } = location;
  if (last?.hash === hash) return last.route;
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  last = { hash, route: { path: path === '' ? '/' : path, query: new URLSearchParams(query) } };
  return last.route;
}

function listen(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
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

/** Goes on after something was done: nobody is asked whether to leave. */
export function go(address: string): void {
  free = address.replace(/^#/, '') !== location.hash.replace(/^#/, '');
  location.hash = address.replace(/^#/, '');
}

/** The same page at another place of it, without a new step in the history. */
export function settle(address: string): void {
  history.replaceState(null, '', address);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

let free = false;

/** Asks before another page is shown; where the answer is no, this one stays. Gives back how to stop asking. */
export function guardLeaving(mayLeave: () => boolean): () => void {
  const here = read();
  const check = (event: Event) => {
    const [path = ''] = location.hash.replace(/^#/, '').split('?', 1);
    if (free || path === here.path) {
      free = false;
      return;
    }
    if (mayLeave()) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', last?.hash ?? '');
  };
  // Before anybody who shows the new page.
  addEventListener('hashchange', check, { capture: true });
  return () => removeEventListener('hashchange', check, { capture: true });
}

/** The parameters of a path under a pattern like "/e/:id/:at?", or null where it does not fit. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/').filter((part) => part !== '');
  const given = path.split('/').filter((part) => part !== '');
  if (given.length > wanted.length) return null;
  const found: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i];
    const name = /^:(\w+)(\?)?$/.exec(part);
    if (value === undefined) {
      if (name?.[2] === undefined) return null;
    } else if (name !== null) found[name[1] as string] = decoded(value);
    else if (part !== value) return null;
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
