/**
 * @file Ladders: a pool of tasks that the text tells apart, drawn by the seed. A third are easy, a third succeed rarely by chance, and a third
 * cannot be solved at all, so filters, replay of rare successes and choices of tasks have something to choose.
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
  pool: knob.whole({ from: 1, to: 300, otherwise: 12, about: 'ladders there are; the seed draws one' }),
  rungs: knob.whole({ from: 1, to: 8, otherwise: 3, about: 'rungs of a hard ladder; an easy one has one' }),
  holds: knob.whole({ from: 2, to: 6, otherwise: 5, about: 'holds of a rung, one of which is firm' }),
  impossible: knob.yesno({ otherwise: true, about: 'no hold is firm at the top of every third ladder' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;
type State = { readonly task: Task; readonly ladder: number; readonly at: number; readonly misses: number };

const seat = 'climber';
const alone = [seat] as const;
const holds = ['[left]', '[right]', '[middle]', '[rope]', '[ledge]', '[bolt]'] as const;

export const ladder: Environment<State, Task> = {
  id: 'ladder@1',
  about: {
    summary:
      'One climber meets one of many ladders, each announced by its number, and takes a hold at every rung; a loose hold ends the climb, and the top pays 1. Some ladders are easy, some succeed rarely by chance, and some cannot be climbed. Laboratory ground for filters, replay and curricula.',
    tasks: [{}, { pool: 3, rungs: 1, holds: 2 }, { impossible: false }],
    turns: 8 * 11,
    complete: true,
  },
  knobs,
  task: (input) => readTask('ladder', knobs, input),
  seats: () => alone,
  start(task, dice) {
    const number = dice.int(task.pool);
    return {
      state: { task, ladder: number, at: 0, misses: 0 },
      messages: [{ to: alone, text: `Ladder ${number}. Take a hold.` }],
      asks: [askOf(task)],
    };
  },
  step(state, actions) {
    const { task, ladder: number, at } = state;
    const ask = askOf(task);
    const read = choose(actions[seat]!, ask.choices as readonly string[]);
    if (!read.ok) return askAgain(state, ask, read.problem, task.retries) ?? end(state, forfeitText(seat), 0);
    const isLast = at === rungsOf(task, number) - 1;
    const isFirm = read.move === holds[rng(number, 'ladder', at).int(task.holds)] && !(isLast && isHopeless(task, number));
    if (!isFirm) return end(state, 'The hold breaks.', 0);
    if (isLast) return end(state, 'You are up.', 1);
    return {
      state: { ...state, at: at + 1, misses: 0 },
      messages: [{ to: alone, text: `Ladder ${number}, rung ${at + 1}. Take a hold.` }],
      asks: [ask],
    };
  },
  knows: ({ ladder: number, at, misses }) => ({ ladder: number, at, misses }),
  scripts: {
    first: ({ ask }) => ({ text: ask.choices![0]! }),
  },
};

/** Every third ladder is easy, every third hard, and every third hard and, unless switched off, impossible. */
function rungsOf({ rungs }: Task, number: number): number {
  return number % 3 === 0 ? 1 : rungs;
}

function isHopeless({ impossible }: Task, number: number): boolean {
  return impossible && number % 3 === 2;
}

function askOf({ holds: count }: Task): Ask {
  return { seat, choices: holds.slice(0, count), window: 1 };
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
