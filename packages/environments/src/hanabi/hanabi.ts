/** @file Hanabi of any small size: everyone sees all hands except their own, and only hints and plays reveal a hand. Cooperative. */

import type { Action, Message, MoveOutcome, Rng, Seat, Turn, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { HanabiCard, HanabiState, HanabiTable, HanabiTask } from './cards.ts';
import { cardNames, colourOf, colours, deckOf, names, parameters, rankOf, tableOf } from './cards.ts';
import { askOf, type HanabiMove, readMove } from './moves.ts';
import { knownCardText, rulesOf, statusOf } from './texts.ts';

/** A seat's view before its move: colors and ranks as words, "?" if the holder does not know. */
interface Table {
  readonly stacks: Readonly<Record<string, number>>;
  readonly mine: readonly Told[];
  readonly partners: readonly { readonly seat: string; readonly cards: readonly Told[]; readonly known: readonly Told[] }[];
}

type Told = readonly [colour: string, rank: string];

function tableIn(view: View): Table {
  const status = view.seen.findLast((item) => item.kind === 'message' && item.text.startsWith('Stacks: '));
  const [head = '', ...lines] = status?.kind === 'message' ? status.text.split('\n') : [];
  const pairs = (text: string) => text.split(', ').map((card) => card.split(' ') as unknown as Told);
  const stacks = Object.fromEntries(pairs(head.slice(8, head.indexOf('.'))).map(([colour, height]) => [colour, Number(height)]));
  let mine: readonly Told[] = [];
  const partners: Table['partners'][number][] = [];
  for (const line of lines) {
    const other = linear(/^(\w+) holds: (.*); and knows: (.*)\.$/).exec(line);
    if (other === null) mine = pairs(line.slice(24, -1));
    else partners.push({ seat: other[1], cards: pairs(other[2]), known: pairs(other[3]) });
  }
  return { stacks, mine, partners };
}

/** A scripted player: plays cards that are certainly playable, hints playable cards of partners, and discards cards without hints. */
export function careful({ view, ask }: Turn): Action {
  const { stacks, mine, partners } = tableIn(view);
  const choices = ask.choices as readonly string[];
  const heights = Object.values(stacks);
  const fits = ([colour, rank]: Told) => {
    if (rank === '?') return false;
    // A rank alone is sufficient if it is next on every stack.
    return colour === '?' ? heights.every((height) => height + 1 === Number(rank)) : stacks[colour] + 1 === Number(rank);
  };
  const sure = mine.findIndex(fits);
  if (sure >= 0) return { text: `[play ${sure + 1}]` };
  for (const { seat, cards, known } of partners) {
    for (const [i, card] of cards.entries()) {
      const [colour, rank] = known[i];
      if (!fits(card) || fits([colour, rank])) continue;
      const hint = rank === '?' ? `[hint ${seat} rank ${card[1]}]` : `[hint ${seat} colour ${card[0]}]`;
      if (choices.includes(hint)) return { text: hint };
    }
  }
  const unspoken = mine.findIndex(([colour, rank]) => colour === '?' && rank === '?');
  return { text: `[discard ${Math.max(unspoken, 0) + 1}]` };
}

export const hanabi = defineEnvironment({
  id: 'hanabi@1',
  about: {
    summary:
      'Two or three partners play cards to build one stack for each color, in order of rank, and see all hands but their own. A hint costs a token and names all cards of one color or rank in a hand. Every card that fits pays 1 to everyone, so the return is the score.',
    tasks: [{}, { seats: 3, colours: 3, ranks: 5, hints: 8, lives: 3 }, { colours: 1, ranks: 5, hand: 2, lives: 1, strict: true }],
    // The sum of card draws and last turns, one hint for each hint that they return, the initial hints, and the stacks. Each move may take
    // three attempts.
    turns: 3 * (2 * (21 + 3) + 8 + 3),
    complete: true,
    words: [...colours, 'play', 'discard', 'hint'],
  },
  parameters,

  task(task) {
    const cards = deckOf(task).length;
    if (task.seats * task.hand > cards)
      throw new Fault(
        'input',
        `hanabi: ${task.seats} hands of ${task.hand} need more than the ${cards} cards in the deck. Use more colors or ranks.`,
      );
    return task;
  },

  seats: tableOf,

  start(task, rng) {
    const deck = [...deckOf(task)];
    const hands = tableOf(task).map(() => Array.from({ length: task.hand }, () => deck.splice(rng.int(deck.length), 1)[0]));
    const state: HanabiTable = {
      hands,
      told: hands.map((hand) => hand.map(() => 0)),
      deck,
      discards: [],
      stacks: new Array<number>(task.colours).fill(0),
      hints: task.hints,
      lives: task.lives,
      turn: 0,
      left: deck.length === 0 ? task.seats : -1,
      past: '',
    };
    return { state, messages: [...rulesOf(task), statusOf({ ...state, task, misses: 0 })] };
  },

  turn: askOf,
  read: (action, state) => readMove(state, action),

  play(state, move, { seat, rng }) {
    if (move.verb === 'hint') return passOn(giveHint(state, move), 0);
    const card = state.hands[state.turn][move.index];
    const next = removeCard(state, move.index, rng);
    const text = `card ${move.index + 1}, ${cardNames[card]}`;
    return move.verb === 'play' ? playCard(next, card, `${seat} plays ${text}`) : discardCard(next, card, `${seat} discards ${text}`);
  },

  forfeit: (state, _, past) => loseGame({ ...state, past }),

  knows(state, seat) {
    const { hands, told, deck, discards, stacks, hints, lives, turn, left, past } = state;
    const me = names.indexOf(seat as (typeof names)[number]);
    const observations = hands.map((hand, i) => hand.map((card, k) => (i === me ? knownCardText(card, told[i]?.[k] as number) : card)));
    return { seen: observations, told, deck: deck.length, discards, stacks, hints, lives, turn, left, past };
  },

  scripts: { careful },
});

function giveHint(state: HanabiState, { seat, kind, value }: Extract<HanabiMove, { verb: 'hint' }>): HanabiState {
  const hand = state.hands[seat];
  const bit = kind === 'colour' ? 1 : 2;
  const observations = state.told[seat].slice();
  const cards: string[] = [];
  for (const [i, card] of hand.entries()) {
    if ((kind === 'colour' ? colourOf(card) : rankOf(card)) !== value) continue;
    observations[i] = observations[i] | bit;
    cards.push(`card ${i + 1}`);
  }
  const what = kind === 'colour' ? colours[value] : value + 1;
  const past = `${names[state.turn]} hints to ${names[seat]}: ${kind} ${what} is ${cards.join(' and ')}.`;
  return { ...state, told: state.told.with(seat, observations), hints: state.hints - 1, past };
}

/** Removes a card from the current player's hand and draws another. */
function removeCard(state: HanabiState, index: number, rng: Rng): HanabiState {
  const { turn } = state;
  const hand = state.hands[turn].toSpliced(index, 1);
  const observations = state.told[turn].toSpliced(index, 1);
  if (state.deck.length === 0) return { ...state, hands: state.hands.with(turn, hand), told: state.told.with(turn, observations) };
  const draw = rng.int(state.deck.length);
  hand.push(state.deck[draw]);
  observations.push(0);
  // The turn that draws the last card does not count as one of the last turns.
  const left = state.deck.length === 1 ? state.task.seats + 1 : state.left;
  return {
    ...state,
    hands: state.hands.with(turn, hand),
    told: state.told.with(turn, observations),
    deck: state.deck.toSpliced(draw, 1),
    left,
  };
}

function playCard(state: HanabiState, card: HanabiCard, speech: string): MoveOutcome<HanabiState> {
  const { task, stacks } = state;
  const colour = colourOf(card);
  const height = stacks[colour];
  if (height !== rankOf(card)) {
    const lives = state.lives - 1;
    const past = `${speech}: it does not fit and a life is lost.`;
    const next = { ...state, lives, discards: [...state.discards, card], past };
    return lives === 0 ? loseGame(next) : passOn(next, 0);
  }
  const hints = height + 1 === task.ranks ? Math.min(task.hints, state.hints + 1) : state.hints;
  return passOn({ ...state, stacks: stacks.with(colour, height + 1), hints, past: `${speech}: it fits.` }, 1);
}

function discardCard(state: HanabiState, card: HanabiCard, speech: string): MoveOutcome<HanabiState> {
  const hints = Math.min(state.task.hints, state.hints + 1);
  return passOn({ ...state, discards: [...state.discards, card], hints, past: `${speech}.` }, 0);
}

/** Rewards the score, and asks the next seat unless the stacks are full or the last turn was taken. */
function passOn(state: HanabiState, scored: number): MoveOutcome<HanabiState> {
  const { task, left } = state;
  const next: HanabiState = { ...state, turn: (state.turn + 1) % task.seats, left: left > 0 ? left - 1 : left };
  const message: Message = { to: tableOf(task), text: state.past };
  const full = next.stacks.every((height) => height === task.ranks);
  if (full || next.left === 0) {
    const text = `${full ? 'Every stack is full' : 'The last turn is over'}. The score is ${scoreOf(next)} of ${task.colours * task.ranks}.`;
    return { state: next, messages: [message, { to: tableOf(task), text }], over: true, rewards: all(task, scored) };
  }
  const step = { state: next, messages: [message, statusOf(next)] };
  return scored === 0 ? step : { ...step, rewards: all(task, scored) };
}

/** Ends the game early. Under strict rules, all earlier rewards are taken back. */
function loseGame(state: HanabiState): MoveOutcome<HanabiState> {
  const score = state.task.strict ? 0 : scoreOf(state);
  const text = `The game is lost. The score is ${score} of ${state.task.colours * state.task.ranks}.`;
  const to = tableOf(state.task);
  return {
    state,
    messages: [
      { to, text: state.past },
      { to, text },
    ],
    over: true,
    rewards: all(state.task, score - scoreOf(state)),
  };
}

function scoreOf({ stacks }: HanabiState): number {
  return stacks.reduce((sum, height) => sum + height, 0);
}

function all(task: HanabiTask, amount: number): Record<Seat, number> {
  return Object.fromEntries(tableOf(task).map((seat) => [seat, amount]));
}
