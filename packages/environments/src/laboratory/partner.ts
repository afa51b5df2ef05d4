/**
 * @file A partner of a hidden type. Each type has its own habit, a cue hints at the type, and the player earns by meeting the partner. The
 * value of knowing the type, and of discovering it, is exact.
 */

import { defineEnvironment, parameter, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  types: parameter.integer({ min: 2, max: 12, default: 4, description: 'types of partners' }),
  places: parameter.integer({ min: 2, max: 6, default: 3, description: 'number of meeting places' }),
  rounds: parameter.integer({ min: 1, max: 20, default: 5, description: 'number of rounds with the same partner' }),
  cue: parameter.choice({
    options: ['none', 'true', 'shuffled'],
    default: 'true',
    description: 'a cue that names the type, a random one, or none',
  }),
  steady: parameter.number({
    min: 0,
    max: 1,
    default: 1,
    description: 'how often the partner follows its habit; otherwise it goes to a random place',
  }),
  split: parameter.choice({
    options: ['any', 'train', 'held-out'],
    default: 'any',
    description: 'which types can occur: the last quarter is held out',
  }),
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly type: number; readonly shown: number; readonly past: readonly (readonly [number, number])[] };

const seat = 'player';
const places = ['[fountain]', '[gate]', '[station]', '[library]', '[market]', '[pier]'] as const;
const coats = ['red', 'blue', 'green', 'grey', 'white', 'brown', 'black', 'pink', 'gold', 'plaid', 'striped', 'silver'] as const;

export const partner = defineEnvironment({
  id: 'partner@1',
  about: {
    summary:
      'A player tries to meet a partner of a hidden type at one of several places, round after round, and earns the share of rounds in which they meet. Each type has a habit, and the partner’s coat may reveal its type. Laboratory testbed: a player that knows the type always meets a steady partner; for one that does not, the best first guess is exact.',
    tasks: [{}, { types: 3, rounds: 2, cue: 'none' }, { cue: 'shuffled', steady: 0.8, split: 'held-out' }],
    turns: 20 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start(task, dice) {
    const pool = typesIn(task);
    const type = dice.pick(pool);
    const shownCount = task.cue === 'none' ? -1 : task.cue === 'true' ? type : dice.pick(pool);
    const state: State = { type, shown: shownCount, past: [] };
    const coat = shownCount < 0 ? '' : ` It wears a ${coats[shownCount]} coat.`;
    return { state, messages: `You and a partner go to a place in each of ${task.rounds} rounds, and want to meet.${coat}` };
  },
  turn: ({ task }) => ({ seat, choices: places.slice(0, task.places) }),
  play(state, move, { rng: dice }) {
    const { task, type, past } = state;
    const isHabit = task.steady === 1 || dice.weighted([task.steady, 1 - task.steady]) === 0;
    const there = isHabit ? habitOf(task, type) : dice.int(task.places);
    const mine = places.indexOf(move as (typeof places)[number]);
    const next: State = { ...state, past: [...past, [mine, there]] };
    const over = next.past.length >= task.rounds;
    const reward = mine === there ? 1 / task.rounds : 0;
    return { state: next, messages: `Your partner goes to ${places[there].slice(1, -1)}.`, rewards: { [seat]: reward }, over };
  },
  knows: ({ shown, past }) => ({ shown, past }),
  scripts: {
    /** Goes to the partner's previous place. */
    follower({ ask, view }) {
      const last = view.seen.findLast((item) => item.kind === 'message' && item.text.startsWith('Your partner goes to '));
      return { text: last?.kind === 'message' ? `[${last.text.slice(21, -1)}]` : (ask.choices ?? [])[0] };
    },
    first: ({ ask }) => ({ text: (ask.choices ?? [])[0] }),
  },
});

/** Returns the types that can occur. At least one is held out and one is not. */
function typesIn({ types, split }: Task): readonly number[] {
  const all = Array.from({ length: types }, (_, i) => i);
  const heldOutCount = Math.max(1, Math.floor(types / 4));
  return split === 'any' ? all : split === 'train' ? all.slice(0, -heldOutCount) : all.slice(-heldOutCount);
}

/** Returns the place where a type goes, which is the same in every episode. */
export function habitOf({ places: count }: Pick<Task, 'places'>, type: number): number {
  return rng(type, 'partner').int(count);
}
