/**
 * @file Missions that distinguish teams: a chain of links spread over several files, or a route of stations with setbacks and a clock.
 *
 * A single agent on the seat is told everything. In a team, a message with `data.only = N` is shown only to the Nth member.
 */

import type { Json, Message, MoveOutcome, Rng, Script, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { chainIn, linksIn, moveOn, routeIn } from './reading.ts';
import { speaker } from './speaker.ts';

/** The mission's scripted player: acts on what the seat is shown now, and guesses if that is insufficient. */
export const seeker: Script = ({ view, ask, rng }) => {
  const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const chain = chainIn(texts, linksIn(texts));
  if (chain?.isWhole === true) return { text: `[${chain.places.at(-1)}]` };
  const route = chain === null ? routeIn({ view }, []) : null;
  return { text: route === null || route.order.length === 0 ? rng.pick(ask.choices ?? ['[a]']) : moveOn(route) };
};

const parameters = {
  ground: parameter.choice({
    options: ['files', 'route'],
    default: 'route',
    description:
      'files: links that are held by different files are put together. route: stations are worked on in an order that can change',
  }),
  length: parameter.integer({ min: 2, max: 12, default: 6, description: 'links of the chain, or stations of the route' }),
  files: parameter.integer({ min: 1, max: 8, default: 3, description: 'files: number of files with links' }),
  decoys: parameter.integer({ min: 0, max: 12, default: 4, description: 'files: number of useless links in each file' }),
  blocked: parameter.number({
    min: 0,
    max: 1,
    default: 0.3,
    description: 'route: the share of stations where the hammer does nothing and the rope works',
  }),
  storms: parameter.integer({
    min: 0,
    max: 4,
    default: 1,
    description: 'route: how often the order of the remaining stations changes',
  }),
  slack: parameter.integer({
    min: 0,
    max: 40,
    default: 6,
    description: 'route: number of extra moves, beyond one for each station and each blocked one',
  }),
  visible: parameter.integer({ min: 1, max: 100, default: 2, description: 'route: how many of the latest messages the seat sees' }),
  clock: parameter.integer({
    min: 0,
    max: 1000,
    default: 0,
    description: 'route: ticks until the end; a move takes one, plus the "ticks" in its data. 0: no clock',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Progress, Task>;
type Progress = {
  /** Files: the links in each file, and the chain from start to end. */
  readonly files: readonly (readonly (readonly [string, string])[])[];
  readonly chain: readonly string[];
  /** Route: the remaining stations in order, those that need the rope, and the moves before which the order changes. */
  readonly left: readonly string[];
  readonly roped: readonly string[];
  readonly storms: readonly number[];
  readonly moves: number;
  readonly ticks: number;
};

const seat = 'team';
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const choicesOfRoute = (length: number) => letters.slice(0, length).flatMap((name) => [`[hammer ${name}]`, `[rope ${name}]`]);

export const mission = defineEnvironment({
  id: 'mission@1',
  about: {
    summary:
      'A task for a team on one seat. With the ground "files", each member can read some of the files; the answer at the end of a chain of links pays 1. With the ground "route", the team works on stations in an order that is announced once and that storms change; at some stations the hammer fails and the rope works, and the share of finished stations is paid. With a clock, ticks of thinking count. A single agent sees all files.',
    tasks: [{}, { ground: 'files', length: 3 }, { length: 8, clock: 30, storms: 0 }],
    turns: 76,
    complete: true,
  },
  parameters,
  seats: [seat],

  start(task, rng) {
    const blank: Progress = { files: [], chain: [], left: [], roped: [], storms: [], moves: 0, ticks: 0 };
    return task.ground === 'files' ? startFiles(blank, task, rng) : startRoute(blank, task, rng);
  },

  turn: ({ task: { ground, length, visible } }) =>
    ground === 'files' ? { seat, choices: letters.map((name) => `[${name}]`) } : { seat, choices: choicesOfRoute(length), window: visible },

  play: (state, move, { action, rng }) =>
    state.task.ground === 'files' ? answerFiles(state, move) : workRoute(state, move, ticksIn(action.data), rng),

  /** Progress before the forfeit counts. */
  forfeit(state, _, messages) {
    const { ground, length } = state.task;
    const share = ground === 'files' ? 0 : (length - state.left.length) / length;
    return { state, messages, rewards: { [seat]: share }, over: true };
  },

  scripts: { [seat]: seeker, speaker },
});

function startFiles(state: Progress, { length, files: count, decoys }: Task, rng: Rng): MoveOutcome<Progress> {
  const names = rng.shuffle(letters);
  const chain = names.slice(0, length + 1);
  const files = Array.from({ length: count }, (): [string, string][] => []);
  let last = -1;
  for (let i = 0; i < length; i++) {
    const others = files.map((_, file) => file).filter((file) => file !== last || count === 1);
    last = rng.pick(others);
    files[last].push([chain[i], chain[i + 1]]);
  }
  // Decoys never start at a link of the chain, so the next link is always unambiguous.
  const spare = names.slice(length + 1);
  for (const file of files) for (let i = 0; i < decoys; i++) file.push([rng.pick(spare), rng.pick(letters)]);
  const shuffled = files.map((file) => rng.shuffle(file));
  const question = `Start at ${chain[0]} and follow ${length} links. Where does the chain end?`;
  const messages: readonly Message[] = [
    { to: [seat], text: question },
    ...shuffled.map((file, i) => ({
      ...{ to: [seat], data: { only: i + 1 } },
      text: `File ${i + 1}: ${file.map(([from, to]) => `${from} leads to ${to}`).join('; ')}.`,
    })),
  ];
  return { state: { ...state, files: shuffled, chain }, messages };
}

function answerFiles(state: State, move: string): MoveOutcome<Progress> {
  const isRight = move === `[${state.chain.at(-1)}]`;
  const messages = [{ to: [seat], text: isRight ? 'That is where it ends.' : 'It does not end there.' }];
  return { state: { ...state, moves: 1 }, messages, over: true, rewards: { [seat]: isRight ? 1 : 0 } };
}

function startRoute(state: Progress, { length, blocked, storms }: Task, rng: Rng): MoveOutcome<Progress> {
  const left = rng.shuffle(letters.slice(0, length));
  const roped = left.filter(() => rng.next() < blocked);
  const times = Array.from({ length: storms }, () => 1 + rng.int(Math.max(1, length - 2)));
  const text = `Order: ${left.join(' ')}. Work on the stations in this order. The hammer works at most stations; where nothing changes, the rope does.`;
  return { state: { ...state, left, roped, storms: times }, messages: text };
}

function workRoute(state: State, move: string, thought: number, rng: Rng): MoveOutcome<Progress> {
  const { task, left, roped, storms } = state;
  const [station = ''] = left;
  const isDone = move === `[${roped.includes(station) ? 'rope' : 'hammer'} ${station}]`;
  const [moves, ticks] = [state.moves + 1, state.ticks + 1 + thought];
  const rest = isDone ? left.slice(1) : left;
  const done = task.length - rest.length;
  const isStorm = isDone && rest.length > 1 && storms.includes(done);
  const order = isStorm ? differentOrder(rest, rng) : rest;
  const messages = [{ to: [seat], text: isDone ? `Station ${station} is done.` : 'Nothing changed.' }];
  if (isStorm) messages.push({ to: [seat], text: `A storm. New order: ${order.join(' ')}.` });
  const isOver = order.length === 0 || moves >= task.length + roped.length + task.slack || (task.clock > 0 && ticks >= task.clock);
  const next = { ...state, left: order, moves, ticks };
  return isOver ? { state: next, messages, rewards: { [seat]: done / task.length }, over: true } : { state: next, messages };
}

function differentOrder(stations: readonly string[], rng: Rng): readonly string[] {
  const order = rng.shuffle(stations);
  return order[0] === stations[0] ? [...order.slice(1), order[0]] : order;
}

function ticksIn(data: Json | undefined): number {
  const ticks = typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as { readonly ticks?: Json }).ticks : 0;
  return Number.isSafeInteger(ticks) && (ticks as number) > 0 ? (ticks as number) : 0;
}
