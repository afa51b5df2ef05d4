/** @file A task of memory, for tests: a word is shown once, then there is talk, and then the word is asked for. */

import { type Ask, choose, type Environment, parameter, readTask, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  words: parameter.integer({ min: 2, max: 6, default: 3, description: 'how many words there are' }),
  waits: parameter.integer({ min: 0, max: 20, default: 3, description: 'turns between the word and the question' }),
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly task: Task; readonly word: number; readonly at: number };

const seat = 'player';
const words = ['red', 'blue', 'green', 'black', 'white', 'grey'];
const chatter =
  'The wind turns, a door falls shut far away, somebody laughs, and for a long while nothing else is heard, until the rain begins, a dog barks twice at the gate, and it is quiet again.';

const recall: Environment<State, Task> = {
  id: 'recall@1',
  about: { summary: 'A word is shown once and asked for later.', tasks: [{}], turns: 30, complete: true },
  parameters,
  task: (input) => readTask('recall', parameters, input),
  seats: () => [seat],
  start: (task, rng) => ({
    state: { task, word: rng.int(task.words), at: 0 },
    messages: [{ to: [seat], text: 'Keep the word.' }],
    asks: [{ seat, choices: ['[on]'] }],
  }),
  step(state, actions) {
    const { task, word, at } = state;
    const moves = askAt(task, at).choices!;
    const read = choose(actions[seat]!, moves);
    if (!read.ok || at === task.waits + 2)
      return { state, messages: [], asks: [], rewards: { [seat]: read.ok && read.move === `[${words[word]}]` ? 1 : 0 } };
    const next = { ...state, at: at + 1 };
    const text = at === 0 ? `It is ${words[word]}.` : at <= task.waits ? chatter : 'Which word?';
    return { state: next, messages: [{ to: [seat], text }], asks: [askAt(task, at + 1)] };
  },
};

function askAt({ words: count, waits }: Task, at: number): Ask {
  return { seat, choices: at === waits + 2 ? words.slice(0, count).map((word) => `[${word}]`) : ['[on]'] };
}

export default recall;
