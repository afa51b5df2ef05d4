/**
 * @file A warehouse as an environment for experiments on recovery: a picker crosses halls to a parcel, and a wrong aisle ends in a bay, from
 * which it has to walk back. Only the latest message matters.
 */

import { defineEnvironment, parameter, type Seat } from '@ludus-agents/kernel/internal/core/index';

const seat: Seat = 'picker';
const aisles = ['[aisle A]', '[aisle B]', '[aisle C]'] as const;
const rightAisle = (plan: number, hall: number) => aisles[(plan * 7 + hall * hall * 5 + hall) % 3];

type State = { readonly hall: number; readonly bay: number; readonly steps: number };

export default defineEnvironment({
  id: 'warehouse@1',
  about: {
    summary: 'A picker walks through halls to a parcel; wrong aisles end in a bay.',
    tasks: [{}, { lost: true }],
    turns: 40 * 11,
    complete: true,
  },
  parameters: {
    halls: parameter.integer({ min: 2, max: 10, default: 4, description: 'halls to cross' }),
    steps: parameter.integer({ min: 2, max: 40, default: 9, description: 'steps in all' }),
    plan: parameter.integer({ min: 0, max: 99, default: 1, description: 'which aisles lead on' }),
    lost: parameter.boolean({ default: false, description: 'start deep in the bay of a wrong aisle of the first hall' }),
  },
  seats: [seat],
  start: (task) => {
    const state: State = { hall: 0, bay: task.lost ? 2 : 0, steps: 0 };
    return { state, messages: `You are ${placeOf(state)}.` };
  },
  turn: ({ bay }) => ({ seat, choices: bay > 0 ? ['[deeper]', '[back]'] : [...aisles], window: 1 }),
  play(state, move) {
    const { task, hall, bay } = state;
    const isRight = bay === 0 && move === rightAisle(task.plan, hall);
    const deeper = bay === 0 ? 1 : Math.min(2, bay + 1);
    const next = {
      ...state,
      hall: isRight ? hall + 1 : hall,
      bay: isRight ? 0 : move === '[back]' ? bay - 1 : deeper,
      steps: state.steps + 1,
    };
    if (next.hall === task.halls) return { state: next, messages: 'You have the parcel.', rewards: { [seat]: 1 }, over: true };
    if (next.steps >= task.steps) return { state: next, messages: 'The shift is over.', rewards: { [seat]: 0 }, over: true };
    return { state: next, messages: `You are ${placeOf(next)}.` };
  },
  knows: ({ hall, bay, steps }) => ({ hall, bay, steps }),
});

function placeOf({ hall, bay }: State): string {
  return bay === 0 ? `in hall ${hall}` : bay === 1 ? `in a bay off hall ${hall}` : `at the back of a bay off hall ${hall}`;
}
