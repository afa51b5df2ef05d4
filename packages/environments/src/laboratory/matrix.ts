/**
 * @file A matrix game with a solution known by construction: a transitive part, in which the higher move wins, and a cyclic part, in which
 * each move beats half of the others. Ratings, self-play, and best responses can be tested against the exact truth.
 */

import { defineEnvironment, forfeitText, parameter, type Seat, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  moves: parameter.integer({ min: 2, max: 9, default: 3, description: 'number of moves per seat' }),
  transitive: parameter.number({
    min: 0,
    max: 1,
    default: 0,
    description: 'payoff of the highest move against the lowest, before scaling',
  }),
  cyclic: parameter.number({ min: 0, max: 1, default: 1, description: 'payoff of a move against each move that it beats in the cycle' }),
  bias: parameter.number({ min: -1, max: 1, default: 0, description: 'payoff of the first seat in every round, regardless of the moves' }),
  scale: parameter.number({ min: 0.01, max: 100, default: 1, description: 'factor for all payoffs' }),
  noise: parameter.number({
    min: 0,
    max: 10,
    default: 0,
    description: 'amount randomly added to or subtracted from the payoff of a round',
  }),
  alignment: parameter.number({
    min: -1,
    max: 1,
    default: -1,
    description: 'factor from the first seat’s payoff to the second seat’s; -1 is zero-sum',
  }),
  rounds: parameter.integer({ min: 1, max: 100, default: 1, description: 'number of rounds' }),
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly round: number; readonly past: readonly (readonly number[])[] };

const seats: readonly Seat[] = ['first', 'second'];
const moves = [...'abcdefghi'].map((letter) => `[${letter}]`);

export const matrix = defineEnvironment({
  id: 'matrix@1',
  about: {
    summary:
      'Two seats move simultaneously, and a payoff matrix decides. In its transitive part the higher move wins; its cyclic part has no best move. Zero-sum with value 0, or the value of the bias if there is one. Laboratory testbed: best responses, cycles, and ratings are exact.',
    tasks: [{}, { cyclic: 0, transitive: 1, bias: 0.25 }, { alignment: 1, moves: 2, noise: 1, rounds: 3 }],
    turns: 3 * 11,
    complete: true,
  },
  parameters,
  seats,
  start(task) {
    const state: State = { round: 0, past: [] };
    const table = moves.slice(0, task.moves).map((move, i) => {
      const row = moves.slice(0, task.moves).map((_, j) => payoff(task, i, j));
      return `${move}: ${row.map((amount) => Math.round(amount * 1e6) / 1e6).join(' ')}`;
    });
    const text = `What first earns, a row for each of its moves, a column for each of second’s:\n${table.join('\n')}\nsecond earns ${task.alignment} times that. Both move at the same time.`;
    return { state, messages: text };
  },
  turn: ({ task }) => seats.map((seat) => ({ seat, choices: moves.slice(0, task.moves) })),
  playTogether(state, answers, rng) {
    const { task, round } = state;
    const [i, j] = seats.map((seat) => moves.indexOf(answers[seat] ?? '')) as [number, number];
    const forfeits = seats.filter((seat) => answers[seat] === null);
    if (forfeits.length > 0) {
      const worst = -task.scale;
      const messages = forfeits.map((seat) => ({ to: seats, text: forfeitText(seat) }));
      return { state, messages, rewards: Object.fromEntries(seats.map((seat) => [seat, forfeits.includes(seat) ? worst : 0])), over: true };
    }
    const luck = task.noise === 0 ? 0 : rng.int(2) === 0 ? task.noise : -task.noise;
    const first = payoff(task, i, j) + luck;
    const next: State = { ...state, round: round + 1, past: [...state.past, [i, j, luck]] };
    const text = `first plays ${moves[i]}, second plays ${moves[j]}: first earns ${Math.round(first * 1e6) / 1e6}.`;
    return { state: next, messages: text, rewards: { first, second: task.alignment * first }, over: next.round >= task.rounds };
  },
  knows: ({ past }) => ({ past }),
  scripts: {
    /** The equilibrium of a cycle with an odd number of moves. */
    even: ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }),
    highest: ({ ask }) => ({ text: (ask.choices ?? []).at(-1) ?? '' }),
    lowest: ({ ask }) => ({ text: (ask.choices ?? [])[0] }),
  },
});

/** Returns the payoff of the first seat. Without bias the matrix is skew-symmetric: what i earns from j, j loses to i. */
function payoff({ moves: count, transitive, cyclic, bias, scale }: Task, i: number, j: number): number {
  const ahead = (i - j + count) % count;
  const half = count / 2;
  const cycle = ahead === 0 || ahead === half ? 0 : ahead < half ? 1 : -1;
  return scale * (transitive * ((i - j) / (count - 1)) + cyclic * cycle + bias);
}
