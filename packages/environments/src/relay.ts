/**
 * @file Relay: an environment that runs elsewhere. The answers of the agent on the `world` seat become messages, asks and rewards for the
 * others.
 *
 * So any remote environment (OpenEnv, an MCP server, a game in another process) is an agent like every other. Its answers are in the log,
 * and the episode replays without it. The protocol between the rules and the `world` seat:
 *
 *   1. The world first gets a message with data {seats, task, seed}: the players, the task's "world" field, and a random seed.
 *   2. When asked, it answers with a packet in `action.data`. Every field is optional:
 *        messages   [{to: [seat…], text, from?, data?, images?}]   an empty `to` makes a note for scorers
 *        asks       [{seat, choices?, schema?, data?}]         who acts next; defaults to all players
 *        rewards    {seat: number}                             paid now
 *        penalties  {seat: number}                             for invalid answers, reported separately
 *        over       true                                       ends the episode without further asks
 *      Text without data is a message to all players, who are then all asked. Text next to data is a remark that only the log keeps.
 *   3. The asked players answer at once. Each answer goes to the world as a message: from the seat, with its text and its data.
 *   4. The world is asked again, and so on from 2.
 *
 * An invalid packet is rejected with a message. The world may try again, and forfeits when its attempts are used up.
 */

import type {
  Action,
  Ask,
  Environment,
  Json,
  JsonObject,
  Message,
  ParsedMove,
  Seat,
  Step,
  TaskOf,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { askAgain, Fault, forfeitText, imageProblem, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

const parameters = {
  seats: parameter.json({ default: ['player'], description: 'names of the players, as a list; "world" is taken' }),
  world: parameter.json({ default: null, description: 'the task of the remote world, passed on unchanged' }),
  turns: parameter.integer({ min: 1, max: 10_000, default: 100, description: 'maximum number of turns of the world' }),
  retries,
} as const;

type Task = Omit<TaskOf<typeof parameters>, 'seats'> & { readonly seats: readonly Seat[] };

/** The content of one answer of the world. */
export type Packet = {
  readonly messages?: readonly Message[];
  readonly asks?: readonly Ask[];
  readonly rewards?: Readonly<Record<Seat, number>>;
  readonly penalties?: Readonly<Record<Seat, number>>;
  readonly over?: boolean;
};

/** `said` and `asked` are the messages and asks of the last step, by seat: all that a seat can have learned from it. */
type State = {
  readonly task: Task;
  /** The number of answers from the world. */
  readonly answers: number;
  readonly said: readonly JsonObject[];
  readonly asked: readonly JsonObject[];
  readonly misses: number;
};

const world = 'world';
const worldAsk: Ask = { seat: world };

export const relay: Environment<State, Task> = {
  id: 'relay@1',
  about: {
    summary:
      'A stage for environments that run elsewhere. An agent on the seat "world" decides what players are told, who acts next, and what they earn, and receives their answers. Everything is logged, so an episode with a remote environment replays like any other. The stand-in for the world is a simple echo.',
    tasks: [{}, { seats: ['left', 'right'], turns: 3 }],
    turns: 100 * 12,
  },
  parameters,
  task(input) {
    const task = readTask('relay', parameters, input);
    const seats = task.seats;
    const named = Array.isArray(seats) && seats.every((seat) => typeof seat === 'string' && seat.trim() !== '' && seat !== world);
    if (!named || seats.length < 1 || seats.length > 16 || new Set(seats).size < seats.length)
      throw new Fault(
        'input',
        `relay: "seats" must be a list of 1 to 16 different names, none of them "world", but got ${JSON.stringify(seats)}.`,
      );
    return { ...task, seats: seats as readonly Seat[] };
  },
  seats: (task) => [world, ...task.seats],

  start(task, rng) {
    const data = { seats: task.seats, task: task.world, seed: rng.int(2 ** 32) };
    const text = `You are the world of ${task.seats.join(', ')}. Answer with what they are told, who acts next and what they are paid.`;
    return next({ task, answers: 0, said: [], asked: [], misses: 0 }, { messages: [{ to: [world], text, data }], asks: [worldAsk] });
  },

  step(state, actions) {
    const { task } = state;
    const action = actions[world];
    if (action === undefined) return next(state, { messages: toMessages(task.seats, actions), asks: [worldAsk] });
    const read = readPacket(action, task.seats);
    if (!read.ok) {
      const missed = askAgain(state, worldAsk, read.problem, task.retries);
      return missed ?? next(state, { messages: [{ to: task.seats, text: forfeitText(world) }], over: true });
    }
    const answered: State = { ...state, answers: state.answers + 1, misses: 0 };
    const packet = read.move;
    if (packet.over === true || answered.answers < task.turns) return next(answered, packet);
    const late: Message = { to: task.seats, text: 'The world has used up its turns.' };
    return next(answered, { ...packet, messages: [...(packet.messages ?? []), late], over: true });
  },

  knows: ({ said, asked }, seat) => ({
    said: said.filter((message) => (message['to'] as readonly Seat[]).includes(seat)),
    asked: asked.filter((ask) => ask['seat'] === seat),
  }),

  scripts: { world: echo },
};

/** Converts a packet to a step. */
function next(state: State, { messages = [], asks, rewards, penalties, over }: Packet): Step<State> {
  const requests = over === true ? [] : (asks ?? state.task.seats.map((seat): Ask => ({ seat })));
  return {
    state: { ...state, said: messages, asked: requests },
    messages,
    asks: requests,
    ...(rewards === undefined ? {} : { rewards }),
    ...(penalties === undefined ? {} : { penalties }),
  };
}

/** Returns the players' answers as messages to the world, in seat order. */
function toMessages(seats: readonly Seat[], actions: Readonly<Record<Seat, Action>>): readonly Message[] {
  return seats.flatMap((from): readonly Message[] => {
    const action = actions[from];
    if (action === undefined) return [];
    return [{ to: [world], text: action.text, from, ...(action.data === undefined ? {} : { data: action.data }) }];
  });
}

const fields = ['messages', 'asks', 'rewards', 'penalties', 'over'];

/** Parses the packet in an answer of the world, or returns what is wrong with it. */
export function readPacket(action: Action, seats: readonly Seat[]): ParsedMove<Packet> {
  const { text, data } = action;
  if (data === undefined)
    return text.trim() === '' ? refuse('text, or a packet as data', '') : { ok: true, move: { messages: [{ to: seats, text }] } };
  if (!isObject(data)) return refuse('an object as data', data);
  for (const name of Object.keys(data)) if (!fields.includes(name)) return refuse(`only ${fields.join(', ')} in a packet`, name);
  const { messages, asks, rewards, penalties, over } = data;
  if (messages !== undefined && !listOf(messages, (item) => isMessage(item, seats)))
    return refuse('"messages" as a list of {to, text, from?, data?, images?} with known seats', messages);
  if (asks !== undefined && !listOf(asks, (item) => isAsk(item, seats)))
    return refuse('"asks" as a list of {seat, choices?, schema?, data?} with known seats', asks);
  for (const [name, amounts] of [
    ['rewards', rewards],
    ['penalties', penalties],
  ] as const)
    if (amounts !== undefined && !isPay(amounts, seats)) return refuse(`"${name}" as numbers by seat`, amounts);
  if (over !== undefined && typeof over !== 'boolean') return refuse('"over" as true or false', over);
  const jsonObjects = (asks ?? []) as readonly JsonObject[];
  if (new Set(jsonObjects.map((ask) => ask['seat'])).size < jsonObjects.length) return refuse('each seat in "asks" once', asks as Json);
  if (over !== true && asks !== undefined && jsonObjects.length === 0) return refuse('a seat in "asks", or "over"', asks);
  if (over === true && jsonObjects.length > 0) return refuse('no seat in "asks" when it is "over"', asks as Json);
  return { ok: true, move: data };
}

function refuse(expected: string, came: Json): ParsedMove<never> {
  return { ok: false, problem: `Expected ${expected}, but came ${JSON.stringify(came).slice(0, 80)}.` };
}

function listOf(value: Json, fits: (item: Json) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}

function isMessage(value: Json, seats: readonly Seat[]): boolean {
  if (!isObject(value) || Object.keys(value).some((name) => !['to', 'text', 'from', 'data', 'images'].includes(name))) return false;
  const { to, text, from, images } = value;
  if (images !== undefined && !listOf(images, (item) => imageProblem(item) === null)) return false;
  const isSeat = (seat: Json) => seats.includes(seat as Seat);
  return to !== undefined && listOf(to, isSeat) && typeof text === 'string' && (from === undefined || from === world || isSeat(from));
}

function isAsk(value: Json, seats: readonly Seat[]): boolean {
  if (!isObject(value) || Object.keys(value).some((name) => !['seat', 'choices', 'schema', 'data'].includes(name))) return false;
  const { seat, choices } = value;
  const listed = choices === undefined || (listOf(choices, (item) => typeof item === 'string') && isSet(choices as readonly string[]));
  return seats.includes(seat as Seat) && listed;
}

function isSet(choices: readonly string[]): boolean {
  return choices.length > 0 && new Set(choices).size === choices.length;
}

function isPay(value: Json, seats: readonly Seat[]): boolean {
  return isObject(value) && Object.entries(value).every(([seat, amount]) => seats.includes(seat) && Number.isFinite(amount));
}

const echoes = 3;

/** The script of the `world` seat: three times it repeats each player's message to all, and rewards each who said something with 1. */
function echo({ view }: Turn): Action {
  const turns = view.seen.filter((item) => item.kind === 'action').length;
  if (turns === 0) return { text: `Say something; you will hear it again, ${echoes} times.` };
  const last = view.seen.findLastIndex((item) => item.kind === 'action');
  const lines = view.seen.slice(last + 1).flatMap((item) => (item.kind === 'message' && item.from !== undefined ? [item] : []));
  const seats = lines.map((line) => line.from as Seat);
  const messages = lines.map(({ from, text }) => ({ to: seats, text: `${from} said: ${text}` }));
  const rewards = Object.fromEntries(lines.map(({ from, text }) => [from, text.trim() === '' ? 0 : 1]));
  return { text: '', data: { messages, rewards, ...(turns >= echoes ? { over: true } : {}) } };
}
