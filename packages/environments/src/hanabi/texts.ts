/** @file The messages of Hanabi: the rules, and the seat's view before each move. */

import type { Message, Seat } from '@ludus-agents/kernel/internal/core/index';
import { cardNames, colours, copies, type HanabiCard, type HanabiState, type HanabiTask, names, tableOf } from './cards.ts';

/** Each card as its holder knows it from hints: nothing, the color, the rank, or both. */
const toldTexts = cardNames.map((name) => {
  const [colour, rank] = name.split(' ');
  return ['? ?', `${colour} ?`, `? ${rank}`, name];
});

/** Cached rules by task, because an episode is short and its rules are long. */
const written = new Map<string, readonly Message[]>();

export function rulesOf(task: HanabiTask): readonly Message[] {
  const key = Object.values(task).join(' ');
  let rules = written.get(key);
  if (rules === undefined) {
    rules = tableOf(task).map((seat) => ({ to: [seat], text: rulesFor(seat, task) }));
    written.set(key, rules);
  }
  return rules;
}

function rulesFor(seat: Seat, { seats, colours: count, ranks, hand, hints, lives, strict }: HanabiTask): string {
  const deck = copies
    .slice(0, ranks)
    .map((number, rank) => `${number} of rank ${rank + 1}`)
    .join(', ');
  const partner = seat === 'first' ? 'second' : 'first';
  return [
    `You are ${seat} of ${seats} partners at Hanabi. Each colour (${colours.slice(0, count).join(', ')}) has these cards: ${deck}. Build one stack a colour from rank 1 to ${ranks}; every card that fits scores 1 for all.`,
    `Everyone holds ${hand} cards and sees all hands but their own. Cards are counted from 1; a drawn card goes to the end.`,
    `[play 1] plays your first card: it fits if it is the next of its stack, otherwise it is lost and costs a life. [discard 1] gives a card up for a hint token. [hint ${partner} colour red] or [hint ${partner} rank 1] costs a token and tells a partner all such cards in their hand; there must be one.`,
    `There are ${hints} hint tokens, never more; finishing a stack gives one back. There are ${lives} lives; without any the game is lost${strict ? ' and scores 0' : ''}. When the deck is empty everyone has one more turn.`,
    'Answer with exactly one move in square brackets.',
  ].join('\n');
}

/** Returns the view of the seat to move. Uses join, because concatenated strings would keep their parts in the log's memory. */
export function statusOf({ hands, told, stacks, discards, hints, lives, deck, turn, left }: HanabiState): Message {
  const text = ['Stacks: ', list(stacks, (height, colour) => `${colours[colour]} ${height}`)];
  text.push('. Hint tokens: ', `${hints}`, '. Lives: ', `${lives}`, '. Deck: ', `${deck.length}`, '.');
  if (discards.length > 0) text.push(' Discarded: ', list(discards, nameOf), '.');
  if (left > 0) text.push(' This is your last turn.');
  for (let seat = 0; seat < hands.length; seat++) {
    const hand = hands[seat];
    const marks = list(hand, (card, i) => knownCardText(card, told[seat][i]));
    if (seat === turn) text.push('\nOf your cards you know: ', marks, '.');
    else text.push('\n', names[seat], ' holds: ', list(hand, nameOf), '; and knows: ', marks, '.');
  }
  return { to: [names[turn]], text: text.join('') };
}

function list<T>(items: readonly T[], text: (item: T, index: number) => string): string {
  return items.map(text).join(', ');
}

export function nameOf(card: HanabiCard): string {
  return cardNames[card];
}

/** Formats a card as far as its holder knows it. */
export function knownCardText(card: HanabiCard, knowledge: number): string {
  return toldTexts[card][knowledge];
}
