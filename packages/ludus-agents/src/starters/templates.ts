/** @file The text of a new environment: a small betting game with chance and hidden information, complete enough to copy from. */

/** The environment itself. */
export function environmentTemplate(name: string): string {
  const constant = camel(name);
  return `/** @file ${title(name)}: each player gets a hidden card; the first bets or checks, and the second calls or folds. */

import { defineEnvironment, parameter, type Message, type MoveOutcome, type Seat } from 'ludus-agents';

// The whole state as plain JSON. Ludus adds \`task\`, and keeps nothing else between turns.
type State = {
  readonly hands: readonly number[]; // hands[0] belongs to the first seat
  readonly moves: readonly string[]; // what both players have seen each other do
};

const seats: readonly Seat[] = ['first', 'second'];

export const ${constant} = defineEnvironment({
  id: '${name}@1',
  about: {
    summary:
      'Two players get one hidden card each. The first checks (showdown for 1 chip) or bets; the second then folds (loses 1) or calls (showdown for 2). Rewards are chips and sum to zero.',
    tasks: [{}, { cards: 5 }],
    // The maximum number of turns: two decisions, each repeated until its retries run out.
    turns: 2 * 11,
    sum: 0,
    complete: true,
  },

  // The parameters of a task: \`ludus play ./${name}.mts --task '{"cards":5}'\`.
  parameters: { cards: parameter.integer({ min: 2, max: 13, default: 3, description: 'cards in the deck, numbered from 1' }) },
  seats,

  // Chance: draw every random outcome from \`rng\`, never from Math.random. The same seed then deals the same cards.
  start(task, rng) {
    const first = rng.pick(deckOf(task.cards));
    const hands = [first, rng.pick(deckOf(task.cards).filter((card) => card !== first))];
    const rules = [
      \`The deck has the cards 1 to \${task.cards}, and each player gets one. The first player answers [check] or [bet].\`,
      'After [check], the higher card wins 1 chip. After [bet], the second player answers [fold] and loses 1 chip, or [call]: the higher card wins 2.',
      'Answer with exactly one move in square brackets.',
    ].join('\\n');
    // Hidden information: a message reaches only the seats in \`to\`. Nobody else ever sees this card.
    const cards = seats.map((seat, i): Message => ({ to: [seat], text: \`Your card is \${hands[i]}.\` }));
    const state: State = { hands, moves: [] };
    return { state, messages: [{ to: seats, text: rules }, ...cards] };
  },

  // Who is asked in a state, and which moves are legal.
  turn: ({ moves }) =>
    moves.length === 0 ? { seat: 'first', choices: ['[check]', '[bet]'] } : { seat: 'second', choices: ['[fold]', '[call]'] },

  // What a legal move does. Any other answer costs a penalty and is asked for again.
  play(state, move, { seat }) {
    const next: State = { ...state, moves: [...state.moves, move] };
    const announcement = \`\${seat} answers \${move}.\`;
    if (move === '[bet]') return { state: next, messages: announcement };
    if (move === '[fold]') return finish(next, 1, [announcement]);
    const [first, second] = state.hands as [number, number];
    const chips = (first > second ? 1 : -1) * (move === '[call]' ? 2 : 1);
    return finish(next, chips, [announcement, \`first has \${first}, second has \${second}.\`]);
  },

  // What a seat loses that has used up its retries.
  forfeit: (state, seat, text) => finish({ ...state, moves: [...state.moves, 'forfeit'] }, seat === 'first' ? -1 : 1, [text]),

  // What a seat may know about a state: its own card, the moves, and both cards after a showdown. "ludus env check" compares this with the
  // messages and fails if they reveal anything else.
  knows({ hands, moves }, seat) {
    const isShown = ['[check]', '[call]'].includes(moves.at(-1) ?? '');
    return { hands: isShown ? hands : [hands[seats.indexOf(seat)] as number], moves };
  },

  // A state that is possible given what the seat knows: its own card stays, the other card is dealt again. Search agents play on it.
  imagine(state, seat, rng) {
    const mine = seats.indexOf(seat);
    const others = deckOf(state.task.cards).filter((card) => card !== state.hands[mine]);
    return { ...state, hands: state.hands.map((card, i) => (i === mine ? card : rng.pick(others))) };
  },

  // Players without a model, cast as scripted:honest. A script sees what its seat sees: the messages and the legal moves.
  scripts: {
    honest({ view, ask }) {
      const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).join(' ');
      const card = Number(texts.match(/Your card is (\\d+)/)?.[1]);
      const highest = Number(texts.match(/cards 1 to (\\d+)/)?.[1]);
      const isHigh = card > highest / 2 + 0.5;
      return { text: ask.seat === 'first' ? (isHigh ? '[bet]' : '[check]') : isHigh ? '[call]' : '[fold]' };
    },
  },
});

function deckOf(cards: number): readonly number[] {
  return Array.from({ length: cards }, (_, i) => i + 1);
}

/** Ends the game. \`chips\` is the amount that the first seat wins from the second. */
function finish(state: State, chips: number, texts: readonly string[]): MoveOutcome<State> {
  const last = \`\${chips > 0 ? 'first' : 'second'} wins \${Math.abs(chips)}.\`;
  const messages = [...texts, last].map((text): Message => ({ to: seats, text }));
  return { state, messages, rewards: { first: chips, second: -chips }, over: true };
}
`;
}

/** Its test, for \`node --test\`. */
export function environmentTestTemplate(name: string): string {
  const constant = camel(name);
  return `/** @file Tests of ${title(name)}. Run them with "node --test ${name}.test.mts". */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Agent, type EpisodeEvent, play, replay, scripted } from 'ludus-agents';
import { ${constant} } from './${name}.mts';

const honest = scripted('honest', (turn) => ${constant}.scripts?.['honest']?.(turn) ?? { text: '' });
const random = scripted('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));

/** Plays one episode from start to end. */
async function episode(first: Agent, second: Agent, seed: number): Promise<EpisodeEvent[]> {
  const events: EpisodeEvent[] = [];
  for await (const event of play(${constant}, { first, second }, { seed })) events.push(event);
  return events;
}

/** All messages that a seat can read, in order. */
function readBy(seat: string, events: readonly EpisodeEvent[]): readonly string[] {
  return events.flatMap((event) => (event.kind === 'message' && event.to.includes(seat) ? [event.text] : []));
}

function cardOf(seat: string, events: readonly EpisodeEvent[]): number {
  return Number(readBy(seat, events).join(' ').match(/Your card is (\\d+)/)?.[1]);
}

function returnsOf(events: readonly EpisodeEvent[]): Readonly<Record<string, number>> {
  const end = events.at(-1);
  assert.equal(end?.kind, 'end');
  return end?.kind === 'end' ? end.returns : {};
}

test('chance: every deal occurs about equally often, and a seed always deals the same cards', async () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 600; seed++) {
    const events = await episode(random, random, seed);
    const deal = \`\${cardOf('first', events)}-\${cardOf('second', events)}\`;
    counts.set(deal, (counts.get(deal) ?? 0) + 1);
  }
  assert.equal(counts.size, 6);
  for (const [deal, count] of counts) assert.ok(count > 60 && count < 140, \`\${deal} was dealt \${count} times\`);
  assert.deepEqual(await episode(random, random, 7), await episode(random, random, 7));
});

test('hidden information: a fold reveals no card', async () => {
  const bold = scripted('bold', () => ({ text: '[bet]' }));
  const timid = scripted('timid', () => ({ text: '[fold]' }));
  for (let seed = 0; seed < 20; seed++) {
    const events = await episode(bold, timid, seed);
    const card = cardOf('first', events);
    assert.ok(!readBy('second', events).some((text) => text.includes(\`first has \${card}\`) || text === \`Your card is \${card}.\`));
  }
});

test('the higher card wins a showdown', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const events = await episode(honest, honest, seed);
    const chips = returnsOf(events)['first'] as number;
    if (readBy('first', events).some((text) => text.startsWith('first has')))
      assert.equal(chips > 0, cardOf('first', events) > cardOf('second', events));
  }
});

test('three illegal answers in a row lose a chip', async () => {
  const silent = scripted('silent', () => ({ text: 'I would rather not.' }));
  assert.deepEqual(returnsOf(await episode(silent, random, 1)), { first: -1, second: 1 });
});

test('a log replays exactly, and a changed log does not', async () => {
  const events = await episode(random, random, 7);
  assert.equal(replay(${constant}, events), null);
  const changed = events.map((event) => (event.kind === 'message' ? { ...event, text: \`\${event.text}!\` } : event));
  assert.notEqual(replay(${constant}, changed), null);
});
`;
}

export function camel(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

export function title(name: string): string {
  const spaced = name.replaceAll('-', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
