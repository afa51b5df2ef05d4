/**
 * @file A lock of dials that are turned one after another: a wrong letter jams it, and only the last right one pays. How many dials there are
 * is not told, so what is learned on a short lock serves on every longer one of the same combination: where a good order of tasks pays.
 */

import {
  type Ask,
  askAgain,
  choose,
  type Environment,
  forfeitText,
  knob,
  readTask,
  retries,
  rng,
  type Step,
  type TaskOf,
} from '@ludus-agents/kernel/internal/core/index';

const knobs = {
  dials: knob.whole({ from: 1, to: 30, otherwise: 4, about: 'dials of the lock' }),
  letters: knob.whole({ from: 2, to: 6, otherwise: 3, about: 'letters of each dial' }),
  combination: knob.whole({ from: 0, to: 1_000_000, otherwise: 0, about: 'which combination opens it' }),
  broken: knob.yesno({ otherwise: false, about: 'no letter opens the last dial' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;
type State = { readonly task: Task; readonly at: number; readonly misses: number };

const seat = 'opener';
const alone = [seat] as const;
const moves = ['[a]', '[b]', '[c]', '[d]', '[e]', '[f]'] as const;

export const lock: Environment<State, Task> = {
  id: 'lock@1',
  about: {
    summary:
      'One opener turns the dials of a lock, letter by letter, and is not told how many there are. A wrong letter jams the lock and ends the try; the last right one opens it and pays 1. By chance a lock of n dials opens once in so many tries as there are letters to the power of n.',
    tasks: [{}, { dials: 1, letters: 2 }, { dials: 8, combination: 5 }, { broken: true }],
    turns: 30 * 11,
    complete: true,
  },
  knobs,
  task: (input) => readTask('lock', knobs, input),
  seats: () => alone,
  start: (task) => ({
    state: { task, at: 0, misses: 0 },
    messages: [
      {
        to: alone,
        text: `Open the lock: turn its dials one after another, each to one letter, such as ${moves[0]}. A wrong letter jams it.`,
      },
    ],
    asks: [askOf(task)],
  }),
  step(state, actions) {
    const { task, at } = state;
    const ask = askOf(task);
    const read = choose(actions[seat]!, ask.choices as readonly string[]);
    if (!read.ok) return askAgain(state, ask, read.problem, task.retries) ?? endTry(state, forfeitText(seat), 0);
    const last = at === task.dials - 1;
    if (read.move !== letterOf(task, at) || (last && task.broken)) return endTry(state, 'The lock jams.', 0);
    if (last) return endTry(state, 'The lock opens.', 1);
    return { state: { task, at: at + 1, misses: 0 }, messages: [{ to: alone, text: 'Click.' }], asks: [ask] };
  },
  knows: ({ at, misses }) => ({ at, misses }),
  winnable: ({ broken }) => !broken,
  scripts: {
    // Knows nothing, and shows that: it opens a lock of n dials once in letters to the power of n combinations.
    first: ({ ask }) => ({ text: ask.choices![0]! }),
  },
};

function askOf({ letters }: Task): Ask {
  return { seat, choices: moves.slice(0, letters) };
}

function letterOf({ combination, letters }: Task, dial: number): string {
  return moves[rng(combination, 'lock', dial).int(letters)]!;
}

function endTry(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
