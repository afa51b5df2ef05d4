/**
 * @file Seats that act at once: accepted moves are held, hidden, until every seat has given one.
 *
 * Only a seat that broke form is asked again; the others wait without knowing for whom. A seat whose tries are used up holds `null`, a
 * forfeit that the world must record and announce.
 */

import { type Action, type Ask, again, type Json, type Message, type Reading, type Seat } from '../core/index.ts';

/** What a world keeps in its state while answers are still owed. */
export type Held<M extends Json> = {
  readonly moves: { readonly [seat: Seat]: M | null };
  readonly misses: { readonly [seat: Seat]: number };
};

export const nothingHeld: Held<never> = { moves: {}, misses: {} };

/** Everyone has answered, or some seats must be asked again. */
export type Gathered<M extends Json> =
  | { readonly done: true; readonly moves: Readonly<Record<Seat, M | null>> }
  | {
      readonly done: false;
      readonly held: Held<M>;
      readonly messages: readonly Message[];
      readonly asks: readonly Ask[];
      readonly penalties: Readonly<Record<Seat, number>>;
    };

export interface Rules<M extends Json> {
  /** The asks of the whole turn, of which some may be answered already. */
  readonly asks: readonly Ask[];
  read(action: Action, ask: Ask): Reading<M>;
  readonly tries: number;
}

/** Takes in the answers of the seats that were asked. */
export function gather<M extends Json>(
  held: Held<M>,
  actions: Readonly<Record<Seat, Action>>,
  { asks, read, tries }: Rules<M>,
): Gathered<M> {
  const moves: Record<Seat, M | null> = { ...held.moves };
  let misses: Record<Seat, number> | null = null;
  const messages: Message[] = [];
  const still: Ask[] = [];
  const penalties: Record<Seat, number> = {};
  for (const ask of asks) {
    const action = actions[ask.seat];
    if (action === undefined) continue;
    const answer = read(action, ask);
    if (answer.ok) {
      moves[ask.seat] = answer.move;
      continue;
    }
    const missed = again({ misses: held.misses[ask.seat] ?? 0 }, ask, answer.problem, tries);
    if (missed === null) {
      moves[ask.seat] = null;
      continue;
    }
    misses ??= { ...held.misses };
    misses[ask.seat] = missed.state.misses;
    messages.push(...missed.messages);
    still.push(ask);
    Object.assign(penalties, missed.penalties);
  }
  if (still.length === 0) return { done: true, moves };
  return { done: false, held: { moves, misses: misses ?? held.misses }, messages, asks: still, penalties };
}

/** What one seat may know of what is held: its own move and its own misses. */
export function ownPart(held: Held<Json>, seat: Seat): Json {
  return [held.moves[seat] ?? null, held.misses[seat] ?? 0];
}

const longestTalk = 2000;

/** What a seat says, on one line so that it cannot be taken for anyone else's words; empty when it says nothing. */
export function talkOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestTalk ? `${line.slice(0, longestTalk).toWellFormed()}…` : line;
}

/** Names for seats that differ in nothing but their place. */
export const ordinals: readonly Seat[] = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
