/**
 * @file A sum and an unreliable tool: the player may read the answer off a gauge, which costs reward and is occasionally wrong, either
 * loudly or silently. More readings improve accuracy, and checking is cheaper than computing the sum.
 */

import { defineEnvironment, parameter, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  terms: parameter.integer({ min: 1, max: 12, default: 4, description: 'number of addends' }),
  digits: parameter.integer({ min: 2, max: 10, default: 10, description: 'number of values that the last digit can have' }),
  shown: parameter.boolean({ default: true, description: 'show the numbers, so that the gauge is not needed' }),
  fails: parameter.number({ min: 0, max: 1, default: 0.3, description: 'probability that a reading fails' }),
  silent: parameter.boolean({ default: false, description: 'a failed reading shows another digit, instead of an error' }),
  cost: parameter.number({ min: 0, max: 1, default: 0.05, description: 'cost of a reading' }),
  readings: parameter.integer({ min: 0, max: 20, default: 5, description: 'maximum number of readings' }),
} as const;

type Task = TaskOf<typeof parameters>;
/** A reading is a digit, or −1 for an error. */
type State = { readonly numbers: readonly number[]; readonly readings: readonly number[]; readonly over: boolean };

const seat = 'solver';
const measure = '[read]';
const figures = Array.from({ length: 10 }, (_, i) => `[${i}]`);

export const gauge = defineEnvironment({
  id: 'gauge@1',
  about: {
    summary:
      'A solver is asked for the last digit of a sum and can read it from a gauge that fails at random, with or without an error message. Each reading costs. The right digit pays 1. Laboratory testbed for unreliable tools: the value of one more reading is exact.',
    tasks: [{}, { shown: false, silent: true, digits: 2, readings: 3 }, { shown: false, readings: 2, fails: 0.5 }],
    turns: 6 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start(task, rng) {
    const state: State = { numbers: Array.from({ length: task.terms }, () => rng.int(task.digits)), readings: [], over: false };
    const what = task.shown ? state.numbers.join(' + ') : `${task.terms} hidden numbers`;
    const base = task.digits === 10 ? '' : ` modulo ${task.digits}`;
    return { state, messages: `What is the last digit of ${what}${base}? Answer with the digit, or ${measure} the gauge.` };
  },
  turn: ({ task, readings }) => ({
    seat,
    choices: [...figures.slice(0, task.digits), ...(readings.length < task.readings ? [measure] : [])],
  }),
  play(state, move, { rng }) {
    const { task } = state;
    const right = sumOf(state.numbers, task);
    if (move === measure) {
      const hasFailed = task.fails > 0 && rng.weighted([1 - task.fails, task.fails]) === 1;
      const reading = !hasFailed ? right : task.silent ? (right + 1 + rng.int(task.digits - 1)) % task.digits : -1;
      const messages = reading < 0 ? 'The gauge shows an error.' : `The gauge shows ${reading}.`;
      return { state: { ...state, readings: [...state.readings, reading] }, messages, rewards: { [seat]: -task.cost } };
    }
    const isRight = figures.indexOf(move) === right;
    return { state: { ...state, over: true }, messages: isRight ? 'Right.' : 'Wrong.', rewards: { [seat]: isRight ? 1 : 0 }, over: true };
  },
  // After the answer, the solver is told whether it was right, so it may then know the sum.
  knows: ({ task, numbers, readings, over }) => ({ readings, ...(task.shown || over ? { numbers } : {}) }),
  scripts: {
    /** Reads until the gauge shows a digit, then answers with it. */
    reader({ ask, view }) {
      const gaugeMessage = view.seen.findLast((item) => item.kind === 'message' && item.text.startsWith('The gauge shows '));
      const digit = gaugeMessage?.kind === 'message' ? /shows (\d)/.exec(gaugeMessage.text)?.[1] : undefined;
      return { text: digit !== undefined ? `[${digit}]` : (ask.choices ?? []).includes(measure) ? measure : (ask.choices ?? [])[0] };
    },
    guesser: ({ ask }) => ({ text: (ask.choices ?? [])[0] }),
  },
});

function sumOf(numbers: readonly number[], { digits }: Task): number {
  return numbers.reduce((sum, number) => sum + number, 0) % digits;
}
