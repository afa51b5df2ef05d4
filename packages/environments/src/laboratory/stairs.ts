/**
 * @file Stairs: floors with doors of which one leads up, wrong doors that may end the climb, and an exit that pays a little at once. Leaving early
 * looks best at first, so early commitment, long horizons and blind critics can be tested.
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
  floors: knob.whole({ from: 1, to: 40, otherwise: 5, about: 'floors to climb' }),
  doors: knob.whole({ from: 2, to: 6, otherwise: 4, about: 'doors of a floor, one of which leads up' }),
  trap: knob.number({ from: 0, to: 1, otherwise: 0.2, about: 'the chance that a wrong door ends the climb; else the climber stays' }),
  exit: knob.number({ from: 0, to: 1, otherwise: 0.1, about: 'what leaving pays; 0 is no exit' }),
  turns: knob.whole({ from: 1, to: 400, otherwise: 30, about: 'moves in all' }),
  combination: knob.whole({ from: 0, to: 1_000_000, otherwise: 0, about: 'which doors lead up' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;
type State = { readonly task: Task; readonly floor: number; readonly moves: number; readonly misses: number };

const seat = 'climber';
const alone = [seat] as const;
const doors = ['[red door]', '[blue door]', '[green door]', '[white door]', '[black door]', '[gold door]'] as const;
const leave = '[leave]';

export const stairs: Environment<State, Task> = {
  id: 'stairs@1',
  about: {
    summary:
      'One climber chooses doors, one of which leads to the next floor; a wrong door may end the climb with nothing, leaving pays a little at once, and the top pays 1. Laboratory ground: leaving early looks best at first.',
    tasks: [{}, { floors: 2, doors: 2, trap: 0 }, { exit: 0, floors: 10 }],
    turns: 400 * 11,
    complete: true,
  },
  knobs,
  task: (input) => readTask('stairs', knobs, input),
  seats: () => alone,
  start: (task) => ({
    state: { task, floor: 0, moves: 0, misses: 0 },
    messages: [{ to: alone, text: 'You stand on floor 0. Choose a door.' }],
    asks: [askOf(task)],
  }),
  step(state, actions, dice) {
    const { task, floor } = state;
    const ask = askOf(task);
    const read = choose(actions[seat]!, ask.choices as readonly string[]);
    if (!read.ok) return askAgain(state, ask, read.problem, task.retries) ?? end(state, forfeitText(seat), 0);
    if (read.move === leave) return end(state, 'You leave.', task.exit);
    const isUp = read.move === doors[rng(task.combination, 'stairs', floor).int(task.doors)];
    if (!isUp && dice.next() < task.trap) return end(state, 'The door leads outside.', 0);
    const next: State = { task, floor: floor + (isUp ? 1 : 0), moves: state.moves + 1, misses: 0 };
    if (next.floor === task.floors) return end(next, 'You reach the top.', 1);
    if (next.moves >= task.turns) return end(next, 'You are tired and go home.', 0);
    return { state: next, messages: [{ to: alone, text: `You stand on floor ${next.floor}. Choose a door.` }], asks: [askOf(task)] };
  },
  knows: ({ floor, moves, misses }) => ({ floor, moves, misses }),
  scripts: {
    leaver: ({ ask }) => ({ text: ask.choices!.at(-1)! }),
  },
};

/** Only the latest message matters, so a learner that reads no more than that loses nothing. */
function askOf(task: Task): Ask {
  return { seat, choices: [...doors.slice(0, task.doors), ...(task.exit > 0 ? [leave] : [])], window: 1 };
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
