/**
 * @file Repeated dilemmas with simultaneous moves: five two-by-two games, and public goods for several seats. Rewards are the raw payoffs
 * of each round.
 */

import type {
  Ask,
  Json,
  JsonObject,
  Message,
  MoveOutcome,
  ParsedMove,
  Rng,
  Script,
  Seat,
  TaskOf,
  TaskState,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, forfeitText, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { ordinals, talkOf } from './together.ts';

const parameters = {
  game: parameter.choice({
    options: ['pd', 'stag', 'chicken', 'battle', 'pennies', 'goods'],
    default: 'pd',
    description: "prisoner's dilemma, stag hunt, chicken, battle of the sexes, matching pennies, or public goods",
  }),
  rounds: parameter.integer({ min: 1, max: 1000, default: 10, description: 'maximum number of rounds' }),
  continuation: parameter.number({ min: 0, max: 1, default: 1, description: 'chance that a round is followed by another' }),
  talk: parameter.choice({
    options: ['none', 'first', 'each'],
    default: 'none',
    description: 'when players may speak: never, before the first round, before each',
  }),
  players: parameter.integer({ min: 2, max: 10, default: 4, description: 'seats in public goods; the other games have two' }),
  endowment: parameter.integer({ min: 1, max: 100, default: 20, description: 'public goods: the endowment of each seat per round' }),
  multiplier: parameter.number({
    min: 0,
    max: 10,
    default: 1.6,
    description: 'public goods: the factor that multiplies the pot before it is shared',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** `past` contains the public events of every turn: what was said, or how each seat moved. */
type State = TaskState<Rounds, Task>;
type Rounds = {
  readonly round: number;
  readonly talking: boolean;
  readonly past: readonly { readonly [seat: Seat]: string | number }[];
  /** Each seat's move in the last round. */
  readonly last: { readonly [seat: Seat]: string | number } | null;
};

/** Payoffs to both seats for the moves CC, CD, DC, DD. */
type Table = readonly (readonly [number, number])[];
const symmetric = (r: number, s: number, t: number, p: number): Table => [
  [r, r],
  [s, t],
  [t, s],
  [p, p],
];
export const payoffs: Readonly<Record<Exclude<Task['game'], 'goods'>, Table>> = {
  pd: symmetric(3, 0, 5, 1),
  stag: symmetric(4, 0, 3, 2),
  chicken: symmetric(3, 1, 4, 0),
  battle: [
    [2, 1],
    [0, 0],
    [0, 0],
    [1, 2],
  ],
  pennies: [
    [1, -1],
    [-1, 1],
    [-1, 1],
    [1, -1],
  ],
};

const stories: Readonly<Record<Exclude<Task['game'], 'goods'>, string>> = {
  pd: "This is a prisoner's dilemma. C is to cooperate, D is to defect.",
  stag: 'This is a stag hunt. C is to hunt the stag, which takes two; D is to hunt a hare alone.',
  chicken: 'This is chicken. C is to swerve, D is to drive straight on.',
  battle: 'This is a meeting that both want, at one of two places: first likes place C better, second likes place D better.',
  pennies: 'This is matching pennies. Each shows side C or side D; first wants the two to match, second wants them to differ.',
};

const pair: readonly Seat[] = ordinals.slice(0, 2);
const letters = ['[C]', '[D]'] as const;
const contributions = Array.from({ length: 101 }, (_, i) => `[contribute ${i}]`);
const upTo = contributions.map((_, endowment) => contributions.slice(0, endowment + 1));

export const dilemma = defineEnvironment({
  id: 'dilemma@1',
  about: {
    summary:
      "Players move simultaneously in a repeated game where self-interest and common interest conflict: prisoner's dilemma, stag hunt, chicken, battle of the sexes, matching pennies, or a public good for up to ten. A round of talk is optional. Rewards are the raw payoffs of every round, so mutual cooperation is worth more than a narrow win.",
    tasks: [
      {},
      { game: 'stag', talk: 'first' },
      { game: 'chicken', talk: 'each', rounds: 3 },
      { game: 'battle' },
      { game: 'pennies' },
      { game: 'goods' },
      { continuation: 0.9, rounds: 50 },
    ],
    turns: 50 * 11,
    complete: true,
    words: ['C', 'D', 'contribute'],
  },
  parameters,
  seats: seatsOf,

  start(task) {
    const state: Rounds = { round: 0, talking: task.talk !== 'none', past: [], last: null };
    return { state, messages: seatsOf(task).map((seat) => ({ to: [seat], text: rulesFor(seat, task) })) };
  },

  turn: asksOf,

  /** A move is the index of its choice in the list: 0 and 1 are C and D. A contribution is its amount. */
  read(action, _, { choices }): ParsedMove<number | string> {
    if (choices === undefined) return { ok: true, move: talkOf(action.text) };
    const read = choose(action, choices);
    return read.ok ? { ok: true, move: choices.indexOf(read.move) } : read;
  },

  playTogether(state, moves, rng) {
    if (state.talking) return talk(state, moves as Readonly<Record<Seat, string>>);
    for (const seat in moves) if (moves[seat] === null) return forfeit(state, moves);
    return settle(state, moves as Readonly<Record<Seat, number>>, rng);
  },

  knows: (state) => ({ past: state.past, round: state.round, talking: state.talking }),

  scripts: {
    allc: reply(() => true),
    alld: reply(() => false),
    'tit-for-tat': reply((last) => last?.others ?? true),
    'suspicious-tit-for-tat': reply((last) => last?.others ?? false),
    grim: reply((_, betrayed) => !betrayed),
    pavlov: reply((last) => last === null || last.own === last.others),
    random: (turn) => ({ text: turn.ask.choices === undefined ? '' : turn.rng.pick(turn.ask.choices) }),
  },
});

function seatsOf(task: Task): readonly Seat[] {
  return task.game === 'goods' ? ordinals.slice(0, task.players) : pair;
}

/** The ask includes the last round, so that scripts play the same with any window. */
function asksOf({ task, talking, last }: State): readonly Ask[] {
  if (talking) return seatsOf(task).map((seat) => ({ seat }));
  const choices = task.game === 'goods' ? upTo[task.endowment] : letters;
  const data = { last };
  return seatsOf(task).map((seat) => ({ seat, choices, data }));
}

function talk(state: State, statement: Readonly<Record<Seat, string>>): MoveOutcome<State> {
  const seats = seatsOf(state.task);
  const messages = seats.flatMap((from): readonly Message[] =>
    statement[from] === '' ? [] : [{ to: seats.filter((other) => other !== from), text: statement[from], from }],
  );
  return { state: { ...state, talking: false, past: [...state.past, statement] }, messages };
}

function settle(state: State, moves: Readonly<Record<Seat, number>>, rng: Rng): MoveOutcome<State> {
  const { task } = state;
  const seats = seatsOf(task);
  const rewards = payoffsOf(task, moves);
  const round = state.round + 1;
  const movesBySeat: Record<Seat, string | number> = {};
  let text = `Round ${round}:`;
  for (const seat of seats) {
    const move = moves[seat];
    movesBySeat[seat] = task.game === 'goods' ? move : move === 0 ? 'C' : 'D';
    const did = task.game === 'goods' ? `contributes ${move}` : `plays ${movesBySeat[seat]}`;
    text += ` ${seat} ${did} and gets ${Math.round(rewards[seat] * 100) / 100}.`;
  }
  const message: Message = { to: seats, text, data: { round, moves: movesBySeat } };
  const next: State = { ...state, round, talking: task.talk === 'each', past: [...state.past, movesBySeat], last: movesBySeat };
  if (round >= task.rounds) return { state: next, messages: [message], over: true, rewards };
  if (task.continuation < 1 && rng.next() >= task.continuation)
    return { state: next, messages: [message, { to: seats, text: 'No further round follows.' }], over: true, rewards };
  return { state: next, messages: [message], rewards };
}

/** Returns the payoffs of one round, by seat. */
function payoffsOf(task: Task, moves: Readonly<Record<Seat, number>>): Record<Seat, number> {
  const rewards: Record<Seat, number> = {};
  if (task.game !== 'goods') {
    const [a, b] = pair as [Seat, Seat];
    const cell = payoffs[task.game][2 * moves[a] + moves[b]];
    rewards[a] = cell[0];
    rewards[b] = cell[1];
    return rewards;
  }
  let pot = 0;
  for (const seat in moves) pot += moves[seat];
  const share = (pot * task.multiplier) / task.players;
  for (const seat in moves) rewards[seat] = task.endowment - moves[seat] + share;
  return rewards;
}

/**
 * Ends the game after a forfeit. The forfeiting seat gets the worst payoff of one round, the others the best (in public goods, their
 * endowment).
 */
function forfeit(state: State, moves: Readonly<Record<Seat, unknown>>): MoveOutcome<State> {
  const { task } = state;
  const seats = seatsOf(task);
  const gone = seats.filter((seat) => moves[seat] === null);
  const table = task.game === 'goods' ? [0, task.endowment] : payoffs[task.game].flat();
  const rewards: Record<Seat, number> = {};
  for (const seat of seats)
    rewards[seat] = gone.length === seats.length ? 0 : gone.includes(seat) ? Math.min(...table) : Math.max(...table);
  return { state, messages: gone.map((seat) => ({ to: seats, text: forfeitText(seat) })), over: true, rewards };
}

function rulesFor(seat: Seat, task: Task): string {
  const rounds = task.rounds === 1 ? 'one round' : task.continuation < 1 ? `at most ${task.rounds} rounds` : `${task.rounds} rounds`;
  const chance = task.continuation < 1 ? ` After each round another follows with probability ${task.continuation}.` : '';
  const talk =
    task.talk === 'none' ? '' : ` Before ${task.talk === 'first' ? 'the first' : 'each'} round everybody may say something to all.`;
  const frame = `You are ${seat}. There are ${rounds}; all move at once.${chance}${talk}`;
  const form = 'Answer with exactly one move in square brackets, like';
  if (task.game === 'goods') {
    const share = `the pot is multiplied by ${task.multiplier} and shared equally among all ${task.players}, whoever paid in`;
    return `This is a public good. Each round you get ${task.endowment} and contribute a whole number of it to a pot; ${share}. You keep the rest.\n${frame}\n${form} [contribute ${task.endowment >> 1}].`;
  }
  const mine = pair.indexOf(seat);
  const cells = payoffs[task.game].map((cell, i) => {
    // Cells are listed by the first seat's move. From the second seat's view, the two mixed ones are swapped.
    const [ownMove, other] = mine === 0 ? [i >> 1, i & 1] : [i & 1, i >> 1];
    return `you ${'CD'[ownMove]}, the other ${'CD'[other]}: you get ${cell[mine]}, the other ${cell[1 - mine]}`;
  });
  return `${stories[task.game]}\nPayoffs of a round — ${cells.join('; ')}.\n${frame}\n${form} [C] or [D].`;
}

/**
 * One round as a script sees it: whether it cooperated, and whether all others did. In public goods, cooperating means giving at least
 * half.
 */
interface Round {
  readonly own: boolean;
  readonly others: boolean;
}

/** A script that reacts to the last round and to whether anyone has ever defected on it, which it remembers. */
function reply(cooperates: (last: Round | null, betrayed: boolean) => boolean): Script {
  return ({ view, ask, mind }: Turn) => {
    const choices = ask.choices;
    if (choices === undefined) return { action: { text: '' }, mind: mind ?? false };
    const half = (choices.length - 1) / 2;
    const nice = (move: Json | undefined) => move === 'C' || (typeof move === 'number' && move >= half);
    const moves = (ask.data as { last: JsonObject | null }).last;
    const last = moves && {
      own: nice(moves[view.seat]),
      others: Object.keys(moves).every((seat) => seat === view.seat || nice(moves[seat])),
    };
    const betrayed = mind === true || last?.others === false;
    const generous = choices[0] === '[C]' ? 0 : choices.length - 1;
    return { action: { text: choices[cooperates(last, betrayed) ? generous : choices.length - 1 - generous] }, mind: betrayed };
  };
}
