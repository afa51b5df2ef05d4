/** @file A ladder of difficulties for tests of proposers: one seat, one move, won with a chance that depends on skill and rung alone. */

import { type Environment, parameter, readTask, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  rung: parameter.number({ min: 0, max: 10, default: 0, description: 'how hard' }),
  broken: parameter.boolean({ default: false, description: 'cannot be solved at all' }),
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly task: Task };

/** The solver says how good it is; the environment rolls. */
export const ladder: Environment<State, Task> = {
  id: 'ladder@1',
  about: { summary: 'One rung, one try.', tasks: [{}, { rung: 3.25 }, { broken: true }], turns: 1 },
  parameters,
  task: (input) => readTask('ladder', parameters, input),
  seats: () => ['climber'],
  start: (task) => ({ state: { task }, messages: [], asks: [{ seat: 'climber' }] }),
  step: ({ task }, actions, dice) => {
    const skill = Number(actions['climber']?.text) || 0;
    const won = !task.broken && dice.next() < 1 / (1 + Math.exp(-2 * (skill - task.rung)));
    return { state: { task }, messages: [], asks: [], rewards: { climber: won ? 1 : 0 } };
  },
};
