/**
 * @file Ladders: a pool of tasks that their text distinguishes, drawn by the seed. One third is easy, one third rarely succeeds by chance,
 * and one third is impossible. This gives filters, replay of rare successes, and task selection something to choose from.
 */

import { defineEnvironment, parameter, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  pool: parameter.integer({ min: 1, max: 300, default: 12, description: 'number of ladders; the seed picks one' }),
  rungs: parameter.integer({ min: 1, max: 8, default: 3, description: 'number of rungs on a hard ladder; an easy one has one' }),
  holds: parameter.integer({ min: 2, max: 6, default: 5, description: 'number of holds on a rung; one is firm' }),
  impossible: parameter.boolean({ default: true, description: 'make the top of every third ladder impossible' }),
} as const;

type Task = TaskOf<typeof parameters>;

const seat = 'climber';
const holds = ['[left]', '[right]', '[middle]', '[rope]', '[ledge]', '[bolt]'] as const;

export const ladder = defineEnvironment({
  id: 'ladder@1',
  about: {
    summary:
      'A climber meets one of many ladders, announced by its number, and picks a hold at every rung. A loose hold ends the climb, and the top pays 1. Some ladders are easy, some rarely succeed, at random, and some cannot be climbed. Laboratory testbed for filters, replay, and curricula.',
    tasks: [{}, { pool: 3, rungs: 1, holds: 2 }, { impossible: false }],
    turns: 8 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start(task, dice) {
    const number = dice.int(task.pool);
    return { state: { ladder: number, at: 0 }, messages: `Ladder ${number}. Take a hold.` };
  },
  turn: ({ task }) => ({ seat, choices: holds.slice(0, task.holds), window: 1 }),
  play(state, move) {
    const { task, ladder: number, at } = state;
    const isLast = at === rungsOf(task, number) - 1;
    const isFirm = move === holds[rng(number, 'ladder', at).int(task.holds)] && !(isLast && isHopeless(task, number));
    if (isFirm && !isLast) return { state: { ...state, at: at + 1 }, messages: `Ladder ${number}, rung ${at + 1}. Take a hold.` };
    return { state, messages: isFirm ? 'You are up.' : 'The hold breaks.', rewards: { [seat]: isFirm ? 1 : 0 }, over: true };
  },
  knows: ({ ladder: number, at }) => ({ ladder: number, at }),
  scripts: { first: ({ ask }) => ({ text: (ask.choices ?? [])[0] }) },
});

/** Of three ladders, one is easy, one is hard, and one is hard and (unless switched off) impossible. */
function rungsOf({ rungs }: Task, number: number): number {
  return number % 3 === 0 ? 1 : rungs;
}

function isHopeless({ impossible }: Task, number: number): boolean {
  return impossible && number % 3 === 2;
}
