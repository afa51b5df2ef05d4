/**
 * @file A comb: a walk of certain steps with a few real choices right after a tool has answered. Uncertainty is in known places, so methods that
 * branch or explore where the policy is unsure can be tested against methods that do so anywhere.
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
  turns: knob.whole({ from: 2, to: 40, otherwise: 8, about: 'turns in all' }),
  every: knob.whole({ from: 1, to: 20, otherwise: 3, about: 'a real choice comes every this many turns; the others have one move' }),
  ways: knob.whole({ from: 2, to: 6, otherwise: 4, about: 'moves of a real choice, one of which is right' }),
  combination: knob.whole({ from: 0, to: 1_000_000, otherwise: 0, about: 'which moves are right' }),
  partial: knob.yesno({ otherwise: false, about: 'pay a share for every right choice, instead of 1 for all of them' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;
type State = { readonly task: Task; readonly at: number; readonly right: number; readonly misses: number };

const seat = 'walker';
const alone = [seat] as const;
const ways = ['[north]', '[east]', '[south]', '[west]', '[up]', '[down]'] as const;

export const comb: Environment<State, Task> = {
  id: 'comb@1',
  about: {
    summary:
      'One walker takes certain steps, and now and then has a real choice right after a tool has answered; the walk goes on whatever is chosen, and all right choices together pay 1. Laboratory ground: where the policy is uncertain is known.',
    tasks: [{}, { turns: 4, every: 2, ways: 2 }, { partial: true }],
    turns: 40 * 11,
    complete: true,
  },
  knobs,
  task: (input) => readTask('comb', knobs, input),
  seats: () => alone,
  start: (task) => ({
    state: { task, at: 0, right: 0, misses: 0 },
    messages: [{ to: alone, text: 'Walk on. Where the way forks, choose.' }],
    asks: [askAt(task, 0)],
  }),
  step(state, actions) {
    const { task, at } = state;
    const ask = askAt(task, at);
    const read = choose(actions[seat]!, ask.choices as readonly string[]);
    if (!read.ok) return askAgain(state, ask, read.problem, task.retries) ?? end(state, forfeitText(seat), 0);
    const right = state.right + (isFork(task, at) && read.move === rightMove(task, at) ? 1 : 0);
    const next = { task, at: at + 1, right, misses: 0 };
    const forks = forkCount(task);
    if (next.at === task.turns) return end(next, 'The walk is over.', task.partial ? right / forks : right === forks ? 1 : 0);
    const text = isFork(task, next.at) ? `The tool answers: fork ${next.at}.` : 'You walk on.';
    return { state: next, messages: [{ to: alone, text }], asks: [askAt(task, next.at)] };
  },
  knows: ({ at, misses }) => ({ at, misses }),
  scripts: {
    first: ({ ask }) => ({ text: ask.choices![0]! }),
  },
};

function isFork({ every }: Task, at: number): boolean {
  return (at + 1) % every === 0;
}

function forkCount(task: Task): number {
  return Math.max(1, Math.floor(task.turns / task.every));
}

function askAt(task: Task, at: number): Ask {
  return { seat, choices: isFork(task, at) ? ways.slice(0, task.ways) : ['[on]'] };
}

function rightMove({ combination, ways: count }: Task, at: number): string {
  return ways[rng(combination, 'comb', at).int(count)]!;
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
