/**
 * @file A shared stock that doubles if it is spared and collapses if it is not. Seats harvest at once, then talk in turn.
 *
 * The dynamics are those of GovSim (Piatti et al., 2024): the remaining stock doubles up to the capacity, and below a threshold it
 * collapses.
 */

import type {
  Action,
  Ask,
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
import { choose, defineEnvironment, forfeitText, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { type Harvest, measuresOf, sustainable } from './commons.measures.ts';
import { listOf } from './lists.ts';
import { ordinals, talkOf } from './together.ts';

export {
  type Conditions,
  efficiency,
  equality,
  type Harvest,
  measuresOf,
  optimum,
  overuse,
  survival,
  sustainable,
  total,
} from './commons.measures.ts';

const parameters = {
  players: parameter.integer({ min: 1, max: 10, default: 5, description: 'number of seats that share the stock' }),
  capacity: parameter.integer({ min: 10, max: 1000, default: 100, description: 'the stock at the start, and the most it can grow to' }),
  rounds: parameter.integer({ min: 1, max: 100, default: 12, description: 'number of rounds' }),
  collapse: parameter.integer({ min: 0, max: 100, default: 5, description: 'the stock is lost if fewer than this are left' }),
  talk: parameter.integer({ min: 0, max: 50, default: 10, description: 'number of utterances after each harvest, in seat order' }),
  newcomer: parameter.integer({ min: 0, max: 100, default: 0, description: 'the round in which one more seat joins; 0 is never' }),
  hint: parameter.boolean({ default: false, description: 'each round, say what would happen if all took the same amount' }),
  retries,
} as const;

/** Parameters that were added later. A task contains them only if they differ from their defaults, so that earlier logs stay unchanged. */
const laterParameters = {
  framing: parameter.choice({
    options: ['plain', 'fishing', 'pasture', 'pollution'],
    default: 'plain',
    description:
      'what the stock is said to be: units, fish of a lake, grass of a pasture, or clean water of a river; the numbers are the same',
  }),
  harvests: parameter.choice({
    options: ['public', 'private'],
    default: 'public',
    description: 'whether players see individual harvests, or only the rest',
  }),
} as const;

type Task = TaskOf<typeof parameters> & Partial<TaskOf<typeof laterParameters>>;

/** The wording of the stock in each framing. */
const framings = {
  plain: null,
  fishing: 'The stock is a lake with tons of fish; what is left after a month of fishing breeds.',
  pasture: 'The stock is a pasture with hectares of grass, which your flocks of sheep eat; what is left grows back.',
  pollution:
    'The stock is a river with percent of clean water, which your factories use up, one for each pallet of widgets; what is left clears again.',
} as const;

/** Public events, in order. */
type Past = (Harvest & { readonly round: number }) | { readonly round: number; readonly from: Seat; readonly said: string };

type State = TaskState<Commons, Task>;
type Commons = {
  /** Counted from 1. */
  readonly round: number;
  readonly stock: number;
  /** The number of utterances in this round's talk so far, and how many of the latest were silent; null while harvesting. */
  readonly talk: { readonly spoken: number; readonly silent: number } | null;
  readonly past: readonly Past[];
};

const newcomer = 'newcomer';

/** The start draws nothing at random, so all episodes of a task share the same one. */
const openings = new WeakMap<Task, MoveOutcome<Commons>>();

export const commons = defineEnvironment({
  id: 'commons@1',
  about: {
    summary:
      'Five players harvest from one shared stock, round after round, and can talk in between. What is left doubles, up to a limit; if almost nothing is left, the stock and the game are over. Rewards are the units that each player takes. Restraint is best for all, taking is best for each: the game measures whether talk makes restraint last.',
    tasks: [
      {},
      { talk: 0, hint: true },
      { talk: 3, newcomer: 2, rounds: 4 },
      { players: 2, rounds: 3, talk: 2 },
      { framing: 'pasture', harvests: 'private', players: 3, rounds: 3, talk: 0 },
    ],
    turns: 12 * (11 + 10),
    complete: true,
    words: ['harvest'],
  },
  parameters: { ...parameters, ...laterParameters },
  task(input) {
    const { framing, harvests, ...task } = readTask('commons', { ...parameters, ...laterParameters }, input);
    return { ...task, ...(framing === 'plain' ? {} : { framing }), ...(harvests === 'public' ? {} : { harvests }) };
  },
  seats: (task) => (task.newcomer > 0 ? [...ordinals.slice(0, task.players), newcomer] : ordinals.slice(0, task.players)),

  start(task) {
    const existing = openings.get(task);
    if (existing !== undefined) return existing;
    const state: Commons = { round: 1, stock: task.capacity, talk: null, past: [] };
    const full = { ...state, task };
    const seats = present(full);
    const opening = { state, messages: [...seats.map((seat) => rulesFor(seat, full)), ...hintTo(seats, full)] };
    openings.set(task, opening);
    return opening;
  },

  turn: asksOf,
  read: (action, { talk }, ask): ParsedMove<number | string> =>
    talk === null ? readHarvest(action, ask) : { ok: true, move: talkOf(action.text) },

  playTogether: (state, moves, rng) =>
    state.talk === null ? harvest(state, moves as Readonly<Record<Seat, number | null>>, rng) : talk(state, moves),

  knows({ task, round, stock, talk, past }, seat) {
    if (seat === newcomer && round < task.newcomer) return null;
    const since = seat === newcomer ? past.filter((entry) => entry.round >= task.newcomer) : past;
    const ownTakes = (entry: Past): Past => ('takes' in entry ? { ...entry, takes: { [seat]: entry.takes[seat] ?? 0 } } : entry);
    const pasts = task.harvests === 'private' ? since.map(ownTakes) : since;
    return { round, stock, talk, past: pasts };
  },

  scripts: {
    /** Takes its share of the regrowth, and of everything in the last round: jointly the optimum. */
    'fair-share': taking(({ stock, seats, last }) => (last ? Math.floor(stock / seats) : sustainable(stock, seats))),
    cautious: taking(({ stock, seats }) => sustainable(stock, seats) >> 1),
    greedy: taking(({ stock }) => stock),
    newcomer: taking(() => 25),
    ...Object.fromEntries([9, 10, 11, 12, 13, 15, 20].map((x) => [`take-${x}`, taking(() => x)])),
  },
});

/** Returns the seats that play in this round. */
function present({ task, round }: Pick<State, 'task' | 'round'>): readonly Seat[] {
  return (task.newcomer > 0 && round >= task.newcomer ? joinedTables : tables)[task.players];
}

/** By number of players, without and with the newcomer. */
const tables: readonly (readonly Seat[])[] = [[], ...ordinals.map((_, i) => ordinals.slice(0, i + 1))];
const joinedTables: readonly (readonly Seat[])[] = tables.map((seats) => [...seats, newcomer]);

const written = Array.from({ length: 1001 }, (_, i) => `[harvest ${i}]`);
const harvests = new Map(written.map((text, move) => [text, { ok: true as const, move }]));
function asksOf(state: State): readonly Ask[] {
  const seats = present(state);
  if (state.talk !== null) return [{ seat: seats[state.talk.spoken % seats.length] }];
  const last = state.round === state.task.rounds;
  const asksByStock = (last ? lastHarvests : otherHarvests).get(seats)!;
  asksByStock[state.stock] ??= harvestAsks(seats, state.stock, last);
  return asksByStock[state.stock];
}

/** Cached harvest asks, by the seats present and by the stock, because episodes share them. */
const lastHarvests = new Map<readonly Seat[], (readonly Ask[])[]>();
const otherHarvests = new Map<readonly Seat[], (readonly Ask[])[]>();
for (const seats of [...tables, ...joinedTables]) for (const knownNames of [lastHarvests, otherHarvests]) knownNames.set(seats, []);

function harvestAsks(seats: readonly Seat[], stock: number, last: boolean): readonly Ask[] {
  const [choices, data] = [written.slice(0, stock + 1), { stock, seats: seats.length, last }];
  return listOf(seats, (seat) => ({ seat, choices, data }));
}

function readHarvest(action: Action, ask: Ask): ParsedMove<number> {
  const exact = harvests.get(action.text);
  if (exact !== undefined && exact.move < (ask.choices ?? []).length) return exact;
  const read = choose(action, ask.choices as readonly string[]);
  return read.ok ? harvests.get(read.move)! : read;
}

/** Shares out the stock when all ask at once: as requested, or unit by unit to a random seat that still wants more. */
function shareOut(request: Readonly<Record<Seat, number | null>>, stock: number, rng: Rng): Record<Seat, number> {
  const takes: Record<Seat, number> = {};
  let sum = 0;
  for (const seat in request) sum += takes[seat] = request[seat] ?? 0;
  if (sum <= stock) return takes;
  // By index instead of name, because there may be a thousand units to hand out.
  const seats = Object.keys(request);
  const wanting: number[] = [];
  const short: number[] = [];
  for (let i = 0; i < seats.length; i++) {
    const wants = takes[seats[i]];
    wanting.push(wants);
    if (wants > 0) short.push(i);
  }
  for (let unit = 0; unit < stock; unit++) {
    const at = rng.int(short.length);
    const i = short[at];
    if (--wanting[i] === 0) short.splice(at, 1);
  }
  for (let i = 0; i < seats.length; i++) takes[seats[i]] -= wanting[i];
  return takes;
}

function harvest(state: State, request: Readonly<Record<Seat, number | null>>, rng: Rng): MoveOutcome<State> {
  const { task, round, stock } = state;
  const seats = present(state);
  const takes = shareOut(request, stock, rng);
  let left = stock;
  for (const seat of seats) left -= takes[seat];
  const next = Math.min(task.capacity, 2 * left);
  const messages: Message[] = [];
  for (const seat of seats)
    if (request[seat] === null) messages.push({ to: seats, text: `${forfeitText(seat)} It takes nothing this round.` });
  const over = left < task.collapse ? 'The stock has collapsed.' : round === task.rounds ? 'That was the last round.' : null;
  const grows = `${left} are left. ${over ?? `The stock grows to ${next}.`}`;
  if (task.harvests === 'private')
    for (const seat of seats)
      messages.push({
        to: [seat],
        text: `Round ${round}: you take ${takes[seat]}; ${grows}`,
        data: { round, takes: { [seat]: takes[seat] } },
      });
  else {
    let usedText = '';
    for (const seat of seats) usedText += `${usedText === '' ? '' : ', '}${seat} takes ${takes[seat]}`;
    messages.push({ to: seats, text: `Round ${round}: ${usedText}; ${grows}`, data: { round, takes } });
  }
  const past = [...state.past, { round, stock, takes }];
  if (over !== null) return finish({ ...state, stock: left, past }, messages, takes);
  const grown: State = { ...state, stock: next, past };
  if (task.talk === 0) return open(grown, messages, takes);
  const talking: State = { ...grown, talk: { spoken: 0, silent: 0 } };
  return { state: talking, messages, rewards: takes };
}

/** Opens the next round. A newcomer receives the rules when it joins. */
function open(state: State, messages: readonly Message[], rewards?: Readonly<Record<Seat, number>>): MoveOutcome<State> {
  const next: State = { ...state, round: state.round + 1, talk: null };
  const seats = present(next);
  const welcome = next.round === next.task.newcomer ? [rulesFor(newcomer, next)] : [];
  const opened: Message = { to: seats, text: `Round ${next.round} of ${next.task.rounds}: the stock is ${next.stock}.` };
  const step = { state: next, messages: [...messages, ...welcome, opened, ...hintTo(seats, next)] };
  return rewards === undefined ? step : { ...step, rewards };
}

function finish(state: State, messages: readonly Message[], rewards: Readonly<Record<Seat, number>>): MoveOutcome<State> {
  const { task, past } = state;
  const harvests = past.filter((entry) => 'takes' in entry);
  const note: Message = { to: [], text: 'measures', data: { measures: measuresOf(harvests, task) } };
  return { state, messages: [...messages, note], over: true, rewards };
}

function talk(state: State, moves: Readonly<Record<Seat, unknown>>): MoveOutcome<State> {
  const { task, round } = state;
  const { spoken, silent } = state.talk as NonNullable<State['talk']>;
  const seats = present(state);
  const from = seats[spoken % seats.length];
  const move = moves[from] as string;
  const messages: Message[] = move === '' ? [] : [{ to: seats.filter((seat) => seat !== from), text: move, from }];
  const message = { spoken: spoken + 1, silent: move === '' ? silent + 1 : 0 };
  const next: State = { ...state, talk: message, past: [...state.past, { round, from, said: move }] };
  // The talk ends once every seat in turn has been silent.
  if (message.spoken >= task.talk || message.silent >= seats.length) return open(next, messages);
  return { state: next, messages };
}

function hintTo(seats: readonly Seat[], { task, stock }: Pick<State, 'task' | 'stock'>): readonly Message[] {
  if (!task.hint) return [];
  const share = sustainable(stock, seats.length);
  return [
    { to: seats, text: `Think of what would happen if everybody did the same: if each took more than ${share}, the stock would shrink.` },
  ];
}

function rulesFor(seat: Seat, state: Pick<State, 'task' | 'round' | 'stock'>): Message {
  const { task, round, stock } = state;
  const seats = present(state);
  const story = framings[task.framing ?? 'plain'];
  const lines = [
    ...(story === null ? [] : [story]),
    `You are ${seat}. You share one stock with ${seats.filter((other) => other !== seat).join(', ') || 'nobody'}. It holds ${stock} units now, and ${task.capacity} at most.`,
    `There are ${task.rounds} rounds${round > 1 ? `, and this is number ${round}` : ''}. In each all harvest at once, from 0 up to the whole stock; when more is asked for than there is, chance decides who gets it.`,
    `Then what is left doubles, up to ${task.capacity}. If fewer than ${task.collapse} are left, the stock is lost and the game is over. You earn the units you take.`,
    ...(task.talk > 0
      ? [
          task.harvests === 'private'
            ? 'After each harvest everybody sees what is left, but not who took how much, and you may talk in turn; an empty answer is silence.'
            : 'After each harvest everybody sees who took how much, and you may talk in turn; an empty answer is silence.',
        ]
      : []),
    'To harvest, answer with exactly one move in square brackets, like [harvest 5].',
  ];
  return { to: [seat], text: lines.join('\n') };
}

/** The part of the ask that scripts use: the stock, the number of seats that share it, and whether this is the last round. */
type Outlook = {
  readonly stock: number;
  readonly seats: number;
  readonly last: boolean;
};

function taking(amount: (outlook: Outlook) => number): Script {
  return ({ ask }: Turn) => {
    if (ask.choices === undefined) return { text: '' };
    const outlook = ask.data as Outlook;
    return { text: `[harvest ${Math.min(amount(outlook), outlook.stock)}]` };
  };
}
