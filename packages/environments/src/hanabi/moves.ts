/** @file Hanabi's moves: all moves, the legal ones, and the parser for answers. */

import { type Action, type Ask, choose, type ParsedMove } from '@ludus-agents/kernel/internal/core/index';
import { colourOf, colours, copies, type HanabiCard, type HanabiState, names, rankOf } from './cards.ts';

export type HanabiMove =
  | { readonly verb: 'play' | 'discard'; readonly index: number }
  | { readonly verb: 'hint'; readonly seat: number; readonly kind: 'colour' | 'rank'; readonly value: number };

/** Every move by its text. */
const moves = new Map<string, HanabiMove>();
for (const verb of ['play', 'discard'] as const) for (const index of copies.keys()) moves.set(`[${verb} ${index + 1}]`, { verb, index });
for (const [seat, name] of names.entries()) {
  for (const [value, colour] of colours.entries())
    moves.set(`[hint ${name} colour ${colour}]`, { verb: 'hint', seat, kind: 'colour', value });
  for (const value of copies.keys()) moves.set(`[hint ${name} rank ${value + 1}]`, { verb: 'hint', seat, kind: 'rank', value });
}

const written = [...moves];
/** The moves of a hand, by its size. */
const ownMoves = [0, 1, 2, 3, 4, 5].map((size) =>
  written.flatMap(([text, move]) => (move.verb !== 'hint' && move.index < size ? [text] : [])),
);
/** The hints to a seat, by the bits of its hand: one bit for each color, then one for each rank. */
const hintMoves = names.map((_, seat) =>
  Array.from({ length: 2 ** 10 }, (_, handBits) =>
    written.flatMap(([text, move]) =>
      move.verb === 'hint' && move.seat === seat && handBits & bitOf(move.kind, move.value) ? [text] : [],
    ),
  ),
);

/** Parses a move with the same result as `choose` on the list of legal moves, but builds the list only if the answer is not just a move. */
export function readMove(state: HanabiState, action: Action): ParsedMove<HanabiMove> {
  const exact = moves.get(action.text);
  if (exact !== undefined && isLegal(state, exact)) return { ok: true, move: exact };
  const read = choose(action, askOf(state).choices as readonly string[]);
  return read.ok ? { ok: true, move: moves.get(read.move) as HanabiMove } : read;
}

function isLegal({ hands, hints, turn }: HanabiState, move: HanabiMove): boolean {
  if (move.verb !== 'hint') return move.index < hands[turn].length;
  return hints > 0 && move.seat !== turn && move.seat < hands.length && (handBits(hands[move.seat]) & bitOf(move.kind, move.value)) > 0;
}

export function askOf({ hands, hints, turn }: HanabiState): Ask {
  let choices = ownMoves[hands[turn].length];
  for (let seat = 0; hints > 0 && seat < hands.length; seat++)
    if (seat !== turn) choices = choices.concat(hintMoves[seat][handBits(hands[seat])]);
  return { seat: names[turn], choices };
}

/** Returns the colors and ranks in a hand, as bits. */
function handBits(hand: readonly HanabiCard[]): number {
  let bits = 0;
  for (const card of hand) bits |= bitOf('colour', colourOf(card)) | bitOf('rank', rankOf(card));
  return bits;
}

function bitOf(kind: 'colour' | 'rank', value: number): number {
  return kind === 'colour' ? 1 << value : 32 << value;
}
