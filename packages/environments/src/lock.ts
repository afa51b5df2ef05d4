/**
 * @file A lock with dials that are turned one after another. A wrong letter jams it, and only the last right one pays. The number of dials
 * is hidden, so knowledge from a short lock applies to every longer one with the same combination: a test for curricula.
 */

import { defineEnvironment, parameter, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  dials: parameter.integer({ min: 1, max: 30, default: 4, description: 'dials of the lock' }),
  letters: parameter.integer({ min: 2, max: 6, default: 3, description: 'letters of each dial' }),
  combination: parameter.integer({ min: 0, max: 1_000_000, default: 0, description: 'which combination opens it' }),
  broken: parameter.boolean({ default: false, description: 'make the last dial impossible to open' }),
} as const;

type Task = TaskOf<typeof parameters>;

const seat = 'opener';
const moves = ['[a]', '[b]', '[c]', '[d]', '[e]', '[f]'] as const;

export const lock = defineEnvironment({
  id: 'lock@1',
  about: {
    summary:
      'A player opens a combination lock letter by letter, without knowing its length. A wrong letter jams the lock and ends the attempt; the last right one opens it and pays 1. Random play opens a lock of n dials with k letters once in k to the power of n attempts.',
    tasks: [{}, { dials: 1, letters: 2 }, { dials: 8, combination: 5 }, { broken: true }],
    turns: 30 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start: () => ({
    state: { at: 0 },
    messages: `Open the lock: turn its dials one after another, each to one letter, such as ${moves[0]}. A wrong letter jams it.`,
  }),
  turn: ({ task }) => ({ seat, choices: moves.slice(0, task.letters) }),
  play(state, move) {
    const { task, at } = state;
    const isLast = at === task.dials - 1;
    const isRight = move === letterOf(task, at) && !(isLast && task.broken);
    if (isRight && !isLast) return { state: { ...state, at: at + 1 }, messages: 'Click.' };
    return { state, messages: isRight ? 'The lock opens.' : 'The lock jams.', rewards: { [seat]: isRight ? 1 : 0 }, over: true };
  },
  knows: ({ at }) => ({ at }),
  winnable: ({ broken }) => !broken,
  // A baseline without knowledge: it opens a lock of n dials for one in letters^n combinations.
  scripts: { first: ({ ask }) => ({ text: (ask.choices ?? [])[0] }) },
});

function letterOf({ combination, letters }: Task, dial: number): string {
  return moves[rng(combination, 'lock', dial).int(letters)];
}
