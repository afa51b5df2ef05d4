/** @file Design: one seat for each parameter of a memory controller, and one shared reward computed from a simulation of the design. */

import type { Action, Ask, Message, ParsedMove, Script, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, forfeitText, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { formatNumber } from '../numbers.ts';
import type { Design, DesignFigures, DesignParameter } from './simulate.ts';
import { closeness, designs, parameterNames, parameters, simulate } from './simulate.ts';

const taskParameters = {
  seats: parameter.choice({
    options: ['each', 'one'],
    default: 'each',
    description: 'a seat for each parameter, or one that sets all of them',
  }),
  goal: parameter.choice({
    options: ['power', 'latency', 'both'],
    default: 'both',
    description: 'the quantity that should approach its target',
  }),
  target: parameter.integer({
    min: 0,
    max: designs.length,
    default: 0,
    description: 'the design whose figures are the target, by number; 0 draws one',
  }),
  rounds: parameter.integer({ min: 1, max: 100, default: 5, description: 'designs that can be tried' }),
  retries,
} as const;

type Task = TaskOf<typeof taskParameters>;

/** Indexes of values, one for each parameter that a seat sets. */
type Move = readonly number[];

type State = TaskState<Trials, Task>;
type Trials = {
  readonly target: { readonly power: number; readonly latency: number };
  /** Earlier designs with their rewards. */
  readonly tried: readonly { readonly design: Design; readonly reward: number }[];
};

const single: readonly Seat[] = ['designer'];
const each: readonly Seat[] = parameterNames;
const seatsOf = ({ seats }: Task) => (seats === 'one' ? single : each);

const eachAsks: readonly Ask[] = parameterNames.map((seat) => ({ seat, choices: parameters[seat].map((value) => `[${value}]`) }));
const nameOf = (design: Design) => design.map((value, i) => parameters[parameterNames[i]][value]).join(' ');
const oneAsks: readonly Ask[] = [{ seat: 'designer', choices: designs.map((design) => `[${nameOf(design)}]`) }];
const asksOf = ({ seats }: Task) => (seats === 'one' ? oneAsks : eachAsks);

export const design = defineEnvironment({
  id: 'design@1',
  about: {
    summary:
      'Five seats each set one parameter of a memory controller at the same time, without talking, and a simulation reports the power and latency of the design. All earn the same for coming close to a target: at most 1 over all rounds, which an existing design reaches exactly. Alternatively, one seat sets all five and has 1,024 designs to choose from.',
    tasks: [{}, { seats: 'one', rounds: 2 }, { goal: 'power', target: 7, rounds: 3 }, { goal: 'latency' }],
    turns: 5 * 11,
    words: Object.values(parameters)
      .flat()
      .filter((word) => /[a-z]/.test(word)),
  },
  parameters: taskParameters,
  seats: seatsOf,

  start(task, rng) {
    const target = simulate(task.target > 0 ? designs[task.target - 1] : rng.pick(designs));
    const state: Trials = { target: { ...target }, tried: [] };
    const messages = seatsOf(task).map(
      (seat): Message => ({ to: [seat], text: rulesFor(task, state.target, seat), data: { target: state.target, goal: task.goal } }),
    );
    return { state, messages };
  },

  turn: ({ task }) => asksOf(task),
  read: (action, _, ask) => readMove(action, ask),

  playTogether(state, moves) {
    const { task } = state;
    const seats = seatsOf(task);
    const forfeits = seats.flatMap((seat): readonly Message[] => (moves[seat] === null ? [{ to: seats, text: forfeitText(seat) }] : []));
    // A seat that forfeits leaves its parameters at their first values.
    const results = seats.flatMap((seat) => moves[seat] ?? (task.seats === 'one' ? [0, 0, 0, 0, 0] : [0]));
    const { power, latency } = simulate(results);
    const reward = worth(task.goal, state.target, { power, latency }) / task.rounds;
    const next: State = { ...state, tried: [...state.tried, { design: results, reward }] };
    const text = `Design ${next.tried.length}, ${nameOf(results)}: ${formatNumber(power)} mW and ${formatNumber(latency)} ns.`;
    return {
      state: next,
      messages: [...forfeits, { to: seats, text, data: { design: results, power, latency, reward } }],
      over: next.tried.length >= task.rounds,
      rewards: Object.fromEntries(seats.map((seat) => [seat, reward])),
    };
  },

  knows: ({ target, tried }) => ({ target, tried }),
  scripts: { optimal: (turn) => optimal(turn), first: (turn) => first(turn) },
});

/** Returns the reward of a design in one round, from 0 to 1. */
function worth(goal: Task['goal'], target: State['target'], { power, latency }: DesignFigures): number {
  const [near, soon] = [closeness(power, target.power), closeness(latency, target.latency)];
  return goal === 'power' ? near : goal === 'latency' ? soon : (near + soon) / 2;
}

function readMove(action: Action, { seat, choices }: Ask): ParsedMove<Move> {
  const read = choose(action, choices!);
  if (!read.ok) return read;
  const words = read.move.slice(1, -1).split(' ');
  const names: readonly DesignParameter[] = seat === 'designer' ? parameterNames : [seat as DesignParameter];
  return { ok: true, move: words.map((word, i) => (parameters[names[i]] as readonly string[]).indexOf(word)) };
}

const figures = designs.map(simulate);

/** Returns the first of the designs with the highest reward. */
function bestDesign(goal: Task['goal'], target: State['target']): Design {
  let [best, most] = [0, -1];
  figures.forEach((figure, i) => {
    const payment = worth(goal, target, figure);
    if (payment > most + 1e-12) [best, most] = [i, payment];
  });
  return designs[best];
}

/** Knows the formula and plays the first of the designs with the highest reward. All seats find the same one. */
const optimal: Script = ({ view, ask }) => {
  const rules = view.seen.find((item) => item.kind === 'message');
  const { target, goal } = (rules as Message).data as { target: State['target']; goal: Task['goal'] };
  const best = bestDesign(goal, target);
  if (ask.seat === 'designer') return { text: `[${nameOf(best)}]` };
  const place = each.indexOf(ask.seat);
  return { text: (ask.choices ?? [])[best[place]] };
};

/** Always chooses the first value of everything. */
const first: Script = ({ ask }) => ({ text: (ask.choices ?? [])[0] });

function rulesFor(task: Task, target: Trials['target'], seat: Seat): string {
  const list = parameterNames.map((name) => `${name} (${parameters[name].join(', ')})`).join('; ');
  const aims = { power: `${formatNumber(target.power)} mW`, latency: `${formatNumber(target.latency)} ns` };
  const aim = task.goal === 'both' ? `${aims.power} and ${aims.latency}` : aims[task.goal];
  const text =
    seat === 'designer'
      ? `Answer with one value of each, like ${oneAsks[0].choices![0]}.`
      : `You set the ${seat}, others the rest, all at once. Answer with exactly one of ${eachAsks[each.indexOf(seat)].choices!.join(' ')}.`;
  return `A memory controller has five parameters: ${list}. A simulation tells the power and the latency of a design; bring them as close to ${aim} as you can. You have ${task.rounds} tries, and each is paid by how close it comes.\n${text}`;
}
