/**
 * @file Stairs: floors with several doors, of which one leads up. Wrong doors may end the climb, and an exit pays a small reward
 * immediately. Leaving early looks best at first, so the environment tests early commitment, long horizons, and blind critics.
 */

import { defineEnvironment, parameter, rng, type Seat } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  floors: parameter.integer({ min: 1, max: 40, default: 5, description: 'number of floors to climb' }),
  doors: parameter.integer({ min: 2, max: 6, default: 4, description: 'number of doors on a floor; one leads up' }),
  trap: parameter.number({
    min: 0,
    max: 1,
    default: 0.2,
    description: 'probability that a wrong door ends the climb; otherwise the climber stays',
  }),
  exit: parameter.number({ min: 0, max: 1, default: 0.1, description: 'payoff for leaving; 0 means that there is no exit' }),
  turns: parameter.integer({ min: 1, max: 400, default: 30, description: 'maximum number of moves' }),
  combination: parameter.integer({ min: 0, max: 1_000_000, default: 0, description: 'which doors lead up' }),
} as const;

const seat: Seat = 'climber';
const doors = ['[red door]', '[blue door]', '[green door]', '[white door]', '[black door]', '[gold door]'] as const;
const leave = '[leave]';

export const stairs = defineEnvironment({
  id: 'stairs@1',
  about: {
    summary:
      'A climber chooses doors, one of which leads to the next floor. A wrong door may end the climb with nothing, leaving pays a little immediately, and the top pays 1. Laboratory testbed: leaving early looks best at first.',
    tasks: [{}, { floors: 2, doors: 2, trap: 0 }, { exit: 0, floors: 10 }],
    turns: 400 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start: () => ({ state: { floor: 0, moves: 0 }, messages: 'You stand on floor 0. Choose a door.' }),
  /** Only the latest message matters, so a learner that reads nothing else is at no disadvantage. */
  turn: ({ task }) => ({ seat, choices: [...doors.slice(0, task.doors), ...(task.exit > 0 ? [leave] : [])], window: 1 }),
  play(state, move, { rng: dice }) {
    const { task, floor } = state;
    const end = (messages: string, reward: number) => ({ state, messages, rewards: { [seat]: reward }, over: true });
    if (move === leave) return end('You leave.', task.exit);
    const isUp = move === doors[rng(task.combination, 'stairs', floor).int(task.doors)];
    if (!isUp && dice.next() < task.trap) return end('The door leads outside.', 0);
    const next = { ...state, floor: floor + (isUp ? 1 : 0), moves: state.moves + 1 };
    if (next.floor === task.floors) return end('You reach the top.', 1);
    if (next.moves >= task.turns) return end('You are tired and go home.', 0);
    return { state: next, messages: `You stand on floor ${next.floor}. Choose a door.` };
  },
  knows: ({ floor, moves }) => ({ floor, moves }),
  scripts: { leaver: ({ ask }) => ({ text: (ask.choices ?? []).at(-1) ?? '' }) },
});
