/** @file An environment with one question: how good is this task, from 0 to 10? A seat for a judge that is itself a learner (MAE). */

import { askAgain, choose, type Environment, parameter, readTask, retries, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  task: parameter.json({ default: {}, description: 'the task that is judged' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly retries: number; readonly misses: number };

const seat = 'judge';
const marks: readonly string[] = Array.from({ length: 11 }, (_, i) => `[${i}]`);

/** It pays 1 for a readable mark; a caller with more information can replace this reward. */
export const judgingEnvironment: Environment<State, Task> = {
  id: 'judging@1',
  about: { summary: 'A judge gives a task a mark from 0 to 10.', tasks: [{}], turns: 11 },
  parameters,
  task: (input) => readTask('judging', parameters, input),
  seats: () => [seat],
  start: ({ task, retries: tries }) => ({
    state: { retries: tries, misses: 0 },
    messages: [{ to: [seat], text: `How much can a solver learn from this task, from [0] to [10]?\n${JSON.stringify(task)}` }],
    asks: [{ seat, choices: marks }],
  }),
  step(state, actions) {
    const read = choose(actions[seat], marks);
    const done = (reward: number) => ({ state, messages: [], asks: [], rewards: { [seat]: reward } });
    return read.ok ? done(1) : (askAgain(state, { seat, choices: marks }, read.problem, state.retries) ?? done(0));
  },
};
