/**
 * @file A partner of a hidden type: each type has its own habit, a cue hints at the type, and the player earns by meeting the partner. Knowing the
 * type is worth an exact amount, and so is finding it out.
 */

import { defineEnvironment, knob, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const knobs = {
  types: knob.whole({ from: 2, to: 12, otherwise: 4, about: 'types of partners' }),
  places: knob.whole({ from: 2, to: 6, otherwise: 3, about: 'places to meet at' }),
  rounds: knob.whole({ from: 1, to: 20, otherwise: 5, about: 'rounds with the same partner' }),
  cue: knob.one({ of: ['none', 'true', 'shuffled'], otherwise: 'true', about: 'a cue that names the type, a random one, or none' }),
  steady: knob.number({ from: 0, to: 1, otherwise: 1, about: 'how often the partner follows its habit; else it goes anywhere' }),
  split: knob.one({ of: ['any', 'train', 'held-out'], otherwise: 'any', about: 'which types can come: the last quarter is held out' }),
} as const;

type Task = TaskOf<typeof knobs>;
type State = { readonly type: number; readonly shown: number; readonly past: readonly (readonly [number, number])[] };

const seat = 'player';
const places = ['[fountain]', '[gate]', '[station]', '[library]', '[market]', '[pier]'] as const;
const coats = ['red', 'blue', 'green', 'grey', 'white', 'brown', 'black', 'pink', 'gold', 'plaid', 'striped', 'silver'] as const;

export const partner = defineEnvironment({
  id: 'partner@1',
  about: {
    summary:
      'One player meets a partner of a hidden type at one of several places, round after round, and is paid the share of rounds in which they meet. Each type has a habit; the coat that the partner wears may name its type. Laboratory ground: told the type, a player meets a steady partner always; told nothing, its best first guess is exact.',
    tasks: [{}, { types: 3, rounds: 2, cue: 'none' }, { cue: 'shuffled', steady: 0.8, split: 'held-out' }],
    turns: 20 * 11,
    complete: true,
  },
  knobs,
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
    /** Goes where the partner went last. */
    follower({ ask, view }) {
      const last = view.seen.findLast((item) => item.kind === 'message' && item.text.startsWith('Your partner goes to '));
      return { text: last?.kind === 'message' ? `[${last.text.slice(21, -1)}]` : (ask.choices ?? [])[0] };
    },
    first: ({ ask }) => ({ text: (ask.choices ?? [])[0] }),
  },
});

/** The types that can come; at least one is held out and one is not. */
function typesIn({ types, split }: Task): readonly number[] {
  const all = Array.from({ length: types }, (_, i) => i);
  const heldOutCount = Math.max(1, Math.floor(types / 4));
  return split === 'any' ? all : split === 'train' ? all.slice(0, -heldOutCount) : all.slice(-heldOutCount);
}

/** Where a type goes: the same in every episode. */
export function habitOf({ places: count }: Pick<Task, 'places'>, type: number): number {
  return rng(type, 'partner').int(count);
}
