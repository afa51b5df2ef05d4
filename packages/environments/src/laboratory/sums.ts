/**
 * @file Written sums: two numbers are added digit by digit from the right, carrying mentally. Errors are local, the work is checkable, and
 * length improves accuracy, so methods that reason, check, and refine can be tested.
 */

import { defineEnvironment, parameter, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  digits: parameter.integer({ min: 1, max: 12, default: 3, description: 'digits of each number' }),
  carries: parameter.boolean({ default: true, description: 'whether digits can carry over' }),
  shown: parameter.boolean({ default: false, description: 'show the carry at every step' }),
  partial: parameter.boolean({ default: false, description: 'reward the share of right digits, instead of 1 for a right sum' }),
} as const;

type Task = TaskOf<typeof parameters>;
type State = {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly written: readonly number[];
};

const seat = 'pupil';
const figures = Array.from({ length: 10 }, (_, i) => `[${i}]`);

export const sums = defineEnvironment({
  id: 'sums@1',
  about: {
    summary:
      'A pupil adds two numbers digit by digit from the right and keeps track of the carry. The right sum pays 1. Laboratory testbed: errors are local, and checking is easier than solving.',
    tasks: [{}, { digits: 1 }, { digits: 6, shown: true }, { partial: true }],
    turns: 13 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start(task, dice) {
    const draw = () => Array.from({ length: task.digits }, () => dice.int(task.carries ? 10 : 5));
    const state: State = { a: draw(), b: draw(), written: [] };
    return { state, messages: `Add ${numberOf(state.a)} and ${numberOf(state.b)}. ${question({ ...state, task })}` };
  },
  /** Programs receive the right digit, and the column's sum without the carry. */
  turn(state) {
    const place = state.written.length;
    return { seat, choices: figures, data: { digit: digitAt(state, place), column: (state.a[place] ?? 0) + (state.b[place] ?? 0) } };
  },
  play(state, move) {
    const { task } = state;
    const next = { ...state, written: [...state.written, figures.indexOf(move)] };
    if (next.written.length <= task.digits) return { state: next, messages: question(next) };
    const right = next.written.filter((digit, i) => digit === digitAt(next, i)).length / next.written.length;
    const reward = task.partial ? right : right === 1 ? 1 : 0;
    return { state: next, messages: `You wrote ${numberOf(next.written)}.`, rewards: { [seat]: reward }, over: true };
  },
  knows: ({ a, b, written }) => ({ a, b, written }),
  scripts: {
    /** Adds correctly. */
    adder: ({ ask: request }) => ({ text: figures[(request.data as { readonly digit: number }).digit] }),
    /** Forgets every carry. */
    careless: ({ ask: request }) => ({ text: figures[(request.data as { readonly column: number }).column % 10] }),
  },
});

/** Digits are stored from the right. */
function numberOf(digits: readonly number[]): string {
  return [...digits].reverse().join('');
}

function carryInto({ a, b }: Pick<State, 'a' | 'b'>, place: number): number {
  let carry = 0;
  for (let i = 0; i < place; i++) carry = Math.floor(((a[i] ?? 0) + (b[i] ?? 0) + carry) / 10);
  return carry;
}

function digitAt(state: Pick<State, 'a' | 'b'>, place: number): number {
  return ((state.a[place] ?? 0) + (state.b[place] ?? 0) + carryInto(state, place)) % 10;
}

function question(state: State & { readonly task: Task }): string {
  const place = state.written.length;
  const column = place < state.task.digits ? `${state.a[place]} and ${state.b[place]}` : 'what is carried';
  const carry = state.task.shown ? ` Carry ${carryInto(state, place)}.` : '';
  return `Digit ${place + 1} from the right: ${column}.${carry}`;
}
