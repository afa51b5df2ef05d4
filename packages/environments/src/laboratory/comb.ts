/**
 * @file A comb: a sequence of certain steps with a few real choices, each right after a tool has answered. Uncertainty occurs at known
 * places, so methods that branch or explore under uncertainty can be compared with methods that do so anywhere.
 */

import { defineEnvironment, parameter, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  turns: parameter.integer({ min: 2, max: 40, default: 8, description: 'maximum number of turns' }),
  every: parameter.integer({
    min: 1,
    max: 20,
    default: 3,
    description: 'number of turns from one real choice to the next; in between there is one move',
  }),
  ways: parameter.integer({ min: 2, max: 6, default: 4, description: 'number of moves at a real choice; one is right' }),
  combination: parameter.integer({ min: 0, max: 1_000_000, default: 0, description: 'which moves are right' }),
  partial: parameter.boolean({ default: false, description: 'reward every right choice with a share, instead of 1 for all of them' }),
} as const;

type Task = TaskOf<typeof parameters>;

const seat = 'walker';
const ways = ['[north]', '[east]', '[south]', '[west]', '[up]', '[down]'] as const;

export const comb = defineEnvironment({
  id: 'comb@1',
  about: {
    summary:
      'A walker takes forced steps, and only sometimes has a choice, right after a tool has answered. The walk continues whatever is chosen; it pays 1 if all choices are right. Laboratory testbed: the uncertain decisions of the policy are known.',
    tasks: [{}, { turns: 4, every: 2, ways: 2 }, { partial: true }],
    turns: 40 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start: () => ({ state: { at: 0, right: 0 }, messages: 'Walk on. Where the way forks, choose.' }),
  turn: ({ task, at }) => ({ seat, choices: isFork(task, at) ? ways.slice(0, task.ways) : ['[on]'] }),
  play(state, move) {
    const { task } = state;
    const right = state.right + (isFork(task, state.at) && move === rightMove(task, state.at) ? 1 : 0);
    const next = { ...state, at: state.at + 1, right };
    if (next.at < task.turns)
      return { state: next, messages: isFork(task, next.at) ? `The tool answers: fork ${next.at}.` : 'You walk on.' };
    const forks = Math.max(1, Math.floor(task.turns / task.every));
    const reward = task.partial ? right / forks : right === forks ? 1 : 0;
    return { state: next, messages: 'The walk is over.', rewards: { [seat]: reward }, over: true };
  },
  knows: ({ at }) => ({ at }),
  scripts: { first: ({ ask }) => ({ text: (ask.choices ?? [])[0] }) },
});

function isFork({ every }: Task, at: number): boolean {
  return (at + 1) % every === 0;
}

function rightMove({ combination, ways: count }: Task, at: number): string {
  return ways[rng(combination, 'comb', at).int(count)];
}
