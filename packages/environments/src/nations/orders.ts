/** @file Parses a nation's orders for a day: a limited number of acts, and messages. */

import type { Action, ParsedMove, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { talkOf } from '../together.ts';
import { actNames, acts } from './acts.ts';
import { nations } from './countries.ts';

export type Orders = {
  readonly acts: readonly { readonly act: string; readonly target: Seat | null }[];
  readonly messages: readonly { readonly to: Seat; readonly text: string }[];
};

/** Longest first, so that an act is not mistaken for one that is its prefix. */
const byLength = [...actNames].sort((a, b) => b.length - a.length);
const everyone = 'world';
const mostMessages = 20;

export interface OrderRules {
  readonly nation: Seat;
  readonly most: number;
  readonly armed: boolean;
}

const menus = new Map<string, readonly string[]>();
/** Cached orders of each listed answer, by nation and arms. */
const listed = new Map<string, ReadonlyMap<string, Orders>>();

/** Lists every single act that a nation may order. An answer may contain several acts and messages. */
export function menuOf(nation: Seat, armed: boolean): readonly string[] {
  const key = `${nation} ${armed}`;
  let menu = menus.get(key);
  if (menu === undefined) {
    menu = actNames.flatMap((name) => {
      const { targeted, strike } = acts[name];
      if (name === 'message' || (strike && !armed)) return [];
      return targeted ? nations.filter((other) => other !== nation).map((other) => `[${name} ${other}]`) : [`[${name}]`];
    });
    menus.set(key, menu);
  }
  return menu;
}

/** Parses the orders in an answer. Text outside brackets is ignored. */
export function readOrders(action: Action, rules: OrderRules): ParsedMove<Orders> {
  const orders = listedOrders(rules).get(action.text);
  return orders === undefined ? parseOrders(action.text, rules) : { ok: true, move: orders };
}

function listedOrders(rules: OrderRules): ReadonlyMap<string, Orders> {
  const key = rules.armed ? rules.nation : `unarmed ${rules.nation}`;
  let orders = listed.get(key);
  if (orders === undefined) {
    orders = new Map(
      menuOf(rules.nation, rules.armed).flatMap((text) => {
        const read = parseOrders(text, rules);
        return read.ok ? [[text, read.move] as const] : [];
      }),
    );
    listed.set(key, orders);
  }
  return orders;
}

function parseOrders(text: string, { nation, most, armed }: OrderRules): ParsedMove<Orders> {
  const written = [...text.matchAll(/\[([^[\]]*)\]/g)].map(([, move]) => move.replace(/\s+/g, ' ').trim());
  const no = (problem: string) => ({ ok: false as const, problem });
  if (written.length === 0 || (text.match(/\[/g) ?? []).length !== written.length)
    return no('Write each act in square brackets of its own, like [wait] or [trade agreement blue].');
  const ordered: { act: string; target: Seat | null }[] = [];
  const messages: { to: Seat; text: string }[] = [];
  for (const move of written) {
    const low = move.toLowerCase();
    const name = byLength.find((item) => low === item || low.startsWith(`${item} `));
    if (name === undefined) return no(`[${move.slice(0, 60)}] is none of the acts.`);
    const rest = move.slice(name.length).trim();
    if (name === 'message') {
      const [, to, message] = linear(/^(\w+)\s*:\s*(.*\S)/s).exec(rest) ?? [];
      const receiver = to?.toLowerCase() ?? '';
      if (message === undefined || !(receiver === everyone || (nations.includes(receiver) && receiver !== nation)))
        return no('A message names a nation or the world, like [message blue: …] or [message world: …].');
      messages.push({ to: receiver, text: talkOf(message) });
      continue;
    }
    const { targeted, strike } = acts[name];
    const target = rest.toLowerCase();
    if (targeted && (!nations.includes(target) || target === nation))
      return no(`[${name} …] needs another nation, like [${name} ${nations.find((otherNation) => otherNation !== nation)}].`);
    if (!targeted && target !== '') return no(`[${name}] is done to nobody.`);
    if (strike && !armed) return no(`[${name} …] needs nuclear arms, and you have none.`);
    ordered.push({ act: name, target: targeted ? target : null });
  }
  if (ordered.length > most) return no(`At most ${most} acts a day; you ordered ${ordered.length}.`);
  if (messages.length > mostMessages) return no(`At most ${mostMessages} messages a day; you wrote ${messages.length}.`);
  return { ok: true, move: { acts: ordered, messages } };
}
