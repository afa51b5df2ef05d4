/** @file A world of your own in one file: guess the number. The conformance kit says whether the rules can be trusted. */

import {
  askAgain,
  check,
  choose,
  type Environment,
  forfeitText,
  type Json,
  knob,
  readTask,
  retries,
  rollout,
  scriptedPolicy,
  type TaskOf,
} from 'ludus-agents';

const knobs = { highest: knob.whole({ from: 2, to: 100, otherwise: 10, about: 'the largest number it may be' }), retries };
type Task = TaskOf<typeof knobs>;
type State = { readonly secret: number; readonly guesses: number; readonly task: Task; readonly misses: number };

const askFor = ({ highest }: Task) => ({ seat: 'guesser', choices: Array.from({ length: highest }, (_, i) => `[${i + 1}]`) });

const guessTheNumber: Environment<State, Task> = {
  id: 'guess-the-number@1',
  about: {
    summary: 'The world thinks of a number; the guesser has ten tries and is told higher or lower.',
    tasks: [{}, { highest: 100 }],
    turns: 10 * 11,
    complete: true,
  },
  knobs,
  task: (input: Json) => readTask('guess-the-number', knobs, input),
  seats: () => ['guesser'],
  start: (task, rng) => ({
    state: { secret: 1 + rng.int(task.highest), guesses: 0, task, misses: 0 },
    messages: [{ to: ['guesser'], text: `I am thinking of a number from 1 to ${task.highest}. Answer like [5]. You have ten guesses.` }],
    asks: [askFor(task)],
  }),
  step(state, actions) {
    const ask = askFor(state.task);
    const read = choose(actions['guesser']!, ask.choices);
    if (!read.ok) {
      const lost = { state, messages: [{ to: ['guesser'], text: forfeitText('guesser') }], asks: [], rewards: { guesser: 0 } };
      return askAgain(state, ask, read.problem, state.task.retries) ?? lost;
    }
    const guess = Number(read.move.slice(1, -1));
    const next = { ...state, guesses: state.guesses + 1, misses: 0 };
    const hint = guess === state.secret ? 'That is it!' : guess < state.secret ? 'Higher.' : 'Lower.';
    const over = guess === state.secret || next.guesses === 10;
    const messages = [{ to: ['guesser'], text: hint }];
    return over
      ? { state: next, messages, asks: [], rewards: { guesser: guess === state.secret ? 1 : 0 } }
      : { state: next, messages, asks: [ask] };
  },
};

console.log('problems:', await check(guessTheNumber));
const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));
const logs = await rollout(guessTheNumber, { guesser: random }, { seeds: Array.from({ length: 1000 }, (_, i) => i) });
const found = logs.filter((log) => log.some((event) => event.kind === 'message' && event.text === 'That is it!')).length;
console.log(`random guessing finds it in ${found} of 1000 episodes`);
