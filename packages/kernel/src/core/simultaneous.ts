/**
 * @file Simultaneous moves: accepted moves stay hidden until every seat has made one.
 *
 * Only a seat whose answer was not a legal move is asked again; the others wait without knowing for which seat. A seat that has used up its
 * retries has `null`, a forfeit that the rules must record and announce.
 */

import type { Action, Ask, Message, Seat } from './environment.ts';
import type { Json } from './json.ts';
import { askAgain, type ParsedMove } from './moves.ts';

/** The part of an environment's state while answers are missing. */
export type Holding<M extends Json> = {
  /** Accepted moves, null for a forfeit. */
  readonly held: { readonly [seat: Seat]: M | null };
  readonly misses: { readonly [seat: Seat]: number };
};

export const nothingHeld: Holding<never> = { held: {}, misses: {} };

/** All seats have answered, or some must be asked again. */
export type Gathered<M extends Json> =
  | { readonly done: true; readonly moves: Readonly<Record<Seat, M | null>> }
  | {
      readonly done: false;
      readonly holding: Holding<M>;
      readonly messages: readonly Message[];
      readonly asks: readonly Ask[];
      readonly penalties: Readonly<Record<Seat, number>>;
    };

export interface Rules<M extends Json> {
  /** The asks of the whole turn, some of which may be answered already. */
  readonly asks: readonly Ask[];
  read(action: Action, ask: Ask): ParsedMove<M>;
  readonly tries: number;
}

/** Processes the answers of the asked seats. */
export function gather<M extends Json>(
  { held, misses }: Holding<M>,
  actions: Readonly<Record<Seat, Action>>,
  { asks, read, tries }: Rules<M>,
): Gathered<M> {
  // Usually no seat is missing, and answers come in the order of the asks.
  const wasWaiting = hasKeys(held);
  const moves: Record<Seat, M | null> = wasWaiting ? { ...held } : {};
  let broken: { missed: Record<Seat, number>; messages: Message[]; still: Ask[]; penalties: Record<Seat, number> } | undefined;
  for (let i = 0; i < asks.length; i++) {
    const ask = asks[i]!;
    const { seat } = ask;
    const action = actions[seat];
    if (action === undefined) continue;
    const answer = read(action, ask);
    if (answer.ok) {
      moves[seat] = answer.move;
      continue;
    }
    const next = askAgain({ misses: misses[seat] ?? 0 }, ask, answer.problem, tries);
    if (next === null) {
      moves[seat] = null;
      continue;
    }
    broken ??= { missed: { ...misses }, messages: [], still: [], penalties: {} };
    broken.missed[seat] = next.state.misses;
    broken.messages.push(...next.messages);
    broken.still.push(ask);
    Object.assign(broken.penalties, next.penalties);
  }
  // In the order of the asks, not of arrival: sums and logs must not depend on it.
  if (broken === undefined)
    return { done: true, moves: wasWaiting ? Object.fromEntries(asks.map(({ seat }) => [seat, moves[seat] as M | null])) : moves };
  const { missed, messages, still, penalties } = broken;
  return { done: false, holding: { held: moves, misses: missed }, messages, asks: still, penalties };
}

function hasKeys(object: object): boolean {
  for (const _ in object) return true;
  return false;
}
