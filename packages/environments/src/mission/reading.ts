/** @file Parses the messages of a mission for a player without a language model. Reads only what is still visible. */

import type { Seen, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** Returns the links that the texts state, by their start. */
export function linksIn(texts: readonly string[]): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const text of texts) for (const [, from, to] of text.matchAll(/\b([a-z]) leads to ([a-z])\b/g)) links.set(from, to);
  return links;
}

export interface Chain {
  readonly places: readonly string[];
  readonly isWhole: boolean;
}

/** Follows the chain from its start as far as the links go. Returns null if no question is visible. */
export function chainIn(texts: readonly string[], links: ReadonlyMap<string, string>): Chain | null {
  const match = texts.map((text) => /Start at ([a-z]) and follow (\d+) links/.exec(text)).find((item) => item !== null);
  if (match === undefined || match === null) return null;
  const places = [match[1]];
  while (places.length <= Number(match[2]) && links.has(places[places.length - 1])) places.push(links.get(places[places.length - 1])!);
  return { places, isWhole: places.length > Number(match[2]) };
}

/** The visible part of a route: the latest order, the stations done since, and the last move that changed nothing. */
export interface Route {
  readonly order: readonly string[];
  readonly failed: string | null;
  readonly isNew: boolean;
}

const orderForm = linear(/order: ([a-z](?: [a-z])*)/gi);

/** Returns the route from what the seat is shown now and from notes, oldest first. */
export function routeIn({ view }: Pick<Turn, 'view'>, notes: readonly string[]): Route | null {
  const items = [...notes.map((text): Seen => ({ kind: 'message', to: [], text }) as never), ...view.seen];
  let order: readonly string[] | null = null;
  let [failed, last, isNew]: [string | null, string, boolean] = [null, '', false];
  for (const item of items) {
    if (item.kind === 'action') [last, isNew] = [item.action.text, false];
    if (item.kind !== 'message') continue;
    const stated = [...item.text.matchAll(orderForm)].at(-1)?.[1]?.split(' ');
    const done = [...item.text.matchAll(/Station ([a-z]) is done/g)].map(([, station]) => station);
    order = (stated ?? order)?.filter((station) => !done.includes(station)) ?? null;
    if (stated !== undefined && item.to.length > 0) isNew = true;
    if (item.text.startsWith('Nothing changed')) failed = last;
    else if (/Station [a-z] is done/.test(item.text)) failed = null;
  }
  return order === null ? null : { order, failed, isNew };
}

/** Returns the next move on a route. */
export function moveOn({ order: [station = 'a'], failed }: Route): string {
  return failed === `[hammer ${station}]` ? `[rope ${station}]` : `[hammer ${station}]`;
}
