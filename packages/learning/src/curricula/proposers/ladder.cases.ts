/** @file A ladder of difficulties for tests of proposers: one seat, one move, won with a chance that depends on skill and rung alone. */

import { type Environment, type Json, knob, type Policy, readTask, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const knobs = {
  rung: knob.number({ from: 0, to: 10, otherwise: 0, about: 'how hard' }),
  broken: knob.yesno({ otherwise: false, about: 'cannot be solved at all' }),
} as const;

type Task = TaskOf<typeof knobs>;
type State = { readonly task: Task };

/** The solver says how good it is; the environment rolls. */
export const ladder: Environment<State, Task> = {
  id: 'ladder@1',
  about: { summary: 'One rung, one try.', tasks: [{}, { rung: 3.25 }, { broken: true }], turns: 1 },
  knobs,
  task: (input) => readTask('ladder', knobs, input),
  seats: () => ['climber'],
  start: (task) => ({ state: { task }, messages: [], asks: [{ seat: 'climber' }] }),
  step: ({ task }, actions, dice) => {
    const skill = Number(actions['climber']?.text) || 0;
    const won = !task.broken && dice.next() < 1 / (1 + Math.exp(-2 * (skill - task.rung)));
    return { state: { task }, messages: [], asks: [], rewards: { climber: won ? 1 : 0 } };
  },
};

/** 41 rungs and one task that no solver can solve. */
export const rungs: readonly Json[] = [...Array.from({ length: 41 }, (_, i) => ({ rung: i / 4 })), { broken: true }];

/** A climber whose skill grows most on rungs that it climbs half of the time; eight attempts make p(1 − p) an eighth too small. */
export function climber(): { readonly policy: Policy; learn(rates: readonly number[], batch: number): void; readonly skill: () => number } {
  let skill = 0;
  return {
    policy: { name: 'climber', act: (turns) => turns.map(() => ({ action: { text: String(skill) } })) },
    learn: (rates, batch) => {
      skill += (0.12 * (8 / 7) * rates.reduce((sum, rate) => sum + rate * (1 - rate), 0)) / batch;
    },
    skill: () => skill,
  };
}
