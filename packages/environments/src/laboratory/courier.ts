/**
 * @file A courier receives facts one by one among chatter, sees only the latest message and a memo of fixed length, and is questioned at
 * the end. The value of memory is exact: a fact in the memo is answered, and any other is guessed.
 */

import { defineEnvironment, type MoveOutcome, parameter, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

const parameters = {
  facts: parameter.integer({ min: 1, max: 8, default: 3, description: 'number of facts to tell, one per turn' }),
  values: parameter.integer({ min: 2, max: 8, default: 8, description: 'number of values that a fact can have' }),
  chatter: parameter.integer({ min: 0, max: 20, default: 6, description: 'number of turns without facts, mixed among the others' }),
  memo: parameter.integer({
    min: 0,
    max: 8,
    default: 3,
    description: 'maximum number of lines in the memo; a new line replaces the oldest',
  }),
} as const;

type Task = TaskOf<typeof parameters>;
type State = {
  /** The message of each turn: the index of a fact, or −1 for chatter. */
  readonly plan: readonly number[];
  readonly values: readonly number[];
  readonly at: number;
  /** The turns whose messages are in the memo. */
  readonly memo: readonly number[];
  readonly right: number;
};

const seat = 'courier';
const parcels = ['parcel', 'letter', 'crate', 'basket', 'barrel', 'trunk', 'sack', 'chest'] as const;
const places = ['mill', 'harbor', 'market', 'school', 'bridge', 'farm', 'chapel', 'tower'] as const;
const [note, skip] = ['[note]', '[skip]'] as const;
const answers = places.map((place) => `[${place}]`);

export const courier = defineEnvironment({
  id: 'courier@1',
  about: {
    summary:
      'A courier hears where items go, one per turn among small talk, and sees only the latest message and its own memo. [note] writes the message down, [skip] does not. At the end it is asked where each item goes, and earns the share of right answers. Laboratory testbed: with a complete memo the return is 1; without one, it is that of guessing.',
    tasks: [{}, { facts: 1, chatter: 1, values: 2, memo: 1 }, { facts: 4, memo: 2, chatter: 3 }],
    turns: 15 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start(task, rng) {
    const turns = [...Array.from({ length: task.facts }, (_, i) => i), ...Array.from({ length: task.chatter }, () => -1)];
    const state: State = {
      plan: task.chatter === 0 ? turns : rng.shuffle(turns),
      values: Array.from({ length: task.facts }, () => rng.int(task.values)),
      ...{ at: 0, memo: [], right: 0 },
    };
    return { state, messages: textAt(state, task) };
  },
  turn: ({ task, plan, at }) => ({ seat, choices: at < plan.length ? [note, skip] : answers.slice(0, task.values), window: 1 }),
  play(state, move): MoveOutcome<State> {
    const { task, plan, at } = state;
    const next = { ...state, at: at + 1 };
    if (at < plan.length) {
      const noted = { ...next, memo: move === note && task.memo > 0 ? [...state.memo, at].slice(-task.memo) : state.memo };
      return { state: noted, messages: textAt(noted, task) };
    }
    const right = state.right + (answers.indexOf(move) === state.values[at - plan.length] ? 1 : 0);
    const request = { ...next, right };
    if (request.at < plan.length + task.facts) return { state: request, messages: textAt(request, task) };
    return { state: request, messages: 'The round is over.', rewards: { [seat]: right / task.facts }, over: true };
  },
  knows: ({ plan, values, at, memo }) => ({
    at,
    now: plan[at] ?? null,
    value: values[plan[at] ?? -1] ?? null,
    memo: memo.map((turn) => [plan[turn], values[plan[turn]] ?? null]),
  }),
  scripts: {
    /** Writes down useful facts, and answers from the memo. */
    diligent({ ask, view }) {
      const last = view.seen.findLast((item) => item.kind === 'message');
      const text = last?.kind === 'message' ? last.text : '';
      if ((ask.choices ?? []).includes(note)) return { text: /^The \w+ goes/.test(text) ? note : skip };
      const parcel = /Where does the (\w+) go/.exec(text)?.[1];
      const place = linear(new RegExp(`The ${parcel} goes to the (\\w+)`)).exec(text)?.[1];
      return { text: place === undefined ? (ask.choices ?? [])[0] : `[${place}]` };
    },
    /** Never writes anything down. */
    forgetful: ({ ask }) => ({ text: (ask.choices ?? []).includes(skip) ? skip : (ask.choices ?? [])[0] }),
  },
});

function lineAt({ plan, values }: State, turn: number): string {
  const fact = plan[turn];
  return fact < 0 ? 'It may rain later.' : `The ${parcels[fact]} goes to the ${places[values[fact]]}.`;
}

function textAt(state: State, { facts }: Task): string {
  const { plan, at, memo } = state;
  const requestCount = at - plan.length;
  const line = requestCount < 0 ? lineAt(state, at) : requestCount < facts ? `Where does the ${parcels[requestCount]} go?` : '';
  return `${line}\nMemo: ${memo.length === 0 ? 'empty.' : memo.map((turn) => lineAt(state, turn)).join(' ')}`;
}
