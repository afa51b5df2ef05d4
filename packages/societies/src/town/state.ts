/** @file The state of a town: positions, knowledge of the news, plans, reflections on the day, and meetings with their length. */

import { type InterventionHistory, readInterventions } from '@ludus-agents/environments/internal/interventions';
import { talkOf } from '@ludus-agents/environments/internal/together';
import type { Action, Ask, Message, Seat, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { choose, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Holding } from '@ludus-agents/kernel/internal/core/simultaneous';
import { openPlaces, places, townspeople } from './places.ts';

export const parameters = {
  people: parameter.integer({ min: 2, max: 25, default: 6, description: 'people who live in the town, each a seat' }),
  days: parameter.integer({ min: 1, max: 7, default: 1, description: 'days to play' }),
  wake: parameter.integer({ min: 0, max: 23, default: 8, description: 'the first hour of a day' }),
  hours: parameter.integer({ min: 1, max: 16, default: 6, description: 'hours to play per day' }),
  news: parameter.string({
    default: 'party on saturday',
    description: 'the news that the first person has at the start',
  }),
  plan: parameter.boolean({ default: true, description: 'people make a plan at the start of each day' }),
  memory: parameter.boolean({ default: true, description: 'people remember earlier days' }),
  retries,
} as const;

/** Parameters that were added later. A task contains them only if they are set, so that older logs stay unchanged. */
export const laterParameters = {
  hourly: parameter.boolean({ default: false, description: 'plans are split into hours, shown at their hour, and can be changed' }),
  reactions: parameter.boolean({ default: false, description: 'people who meet can react in the same hour' }),
  reflection: parameter.boolean({
    default: false,
    description: 'people reflect on the day in the evening and remember it in the morning',
  }),
  objects: parameter.boolean({ default: false, description: 'objects can be used, and keep their state' }),
  interviews: parameter.boolean({
    default: false,
    description: 'interview everyone at the end about themselves, events, plans, and company',
  }),
  interventions: parameter.json({
    default: null,
    description:
      'what happens when conditions hold: [{"name", "when": {"measure": "know", "least": 5}, "tell"}]; available measures: know, day, hour',
  }),
} as const;

export type TownTask = TaskOf<typeof parameters> & Partial<TaskOf<typeof laterParameters>>;

export function readTown(input: Parameters<typeof readTask>[2]): TownTask {
  const { interventions, ...all } = readTask('town', { ...parameters, ...laterParameters }, input);
  const later: readonly string[] = Object.keys(laterParameters);
  const task = Object.fromEntries(Object.entries(all).filter(([name, value]) => !later.includes(name) || value === true)) as TownTask;
  const planned = readInterventions(interventions, 'town', { seats: seatsOf(task), measures: ['know', 'day', 'hour'] });
  return planned.length === 0 ? task : { ...task, interventions: planned };
}

/** A person's destination for an hour, the object they use there, and their message. */
export type TownMove = { readonly to: string; readonly says: string; readonly uses?: boolean; readonly replan?: string };

export const interviewKinds = ['self', 'memory', 'plans', 'reactions', 'reflections'] as const;
export type InterviewKind = (typeof interviewKinds)[number];

export type TownState = Holding<TownMove> & {
  readonly task: TownTask;
  /** Counted from 1. */
  readonly day: number;
  /** The number of hours of the day that are over; −1 during planning. */
  readonly hour: number;
  /** The current question, if it is not about a plan or a destination. */
  readonly phase?: 'react' | 'reflect' | 'interview';
  readonly at: { readonly [seat: Seat]: string };
  /** Who knows the news, and from whom. */
  readonly knows: { readonly [seat: Seat]: Seat };
  /** Pairs that have met, each in seat order. */
  readonly met: readonly string[];
  readonly curve: readonly number[];
  readonly invented: number;
  /** What each seat has just been shown, and its number of messages since the day began. */
  readonly shown: { readonly [seat: Seat]: readonly string[] };
  readonly seen: { readonly [seat: Seat]: number };
  readonly over: boolean;
  /** The state at the start of the hour, while people still react to it. */
  readonly began?: { readonly knows: { readonly [seat: Seat]: Seat }; readonly fresh: readonly string[] };
  /** Planned places by hour of the day. */
  readonly plans?: { readonly [seat: Seat]: readonly string[] };
  readonly kept?: { readonly hours: number; readonly planned: number };
  readonly thoughts?: { readonly [seat: Seat]: readonly string[] };
  /** Places whose objects are no longer in their initial state. */
  readonly used?: readonly string[];
  /** Hours that pairs spent together, and everyone's place by hour. */
  readonly together?: { readonly [pair: string]: number };
  readonly visits?: { readonly [seat: Seat]: readonly string[] };
  readonly interview?: { readonly asked: number; readonly right: { readonly [kind: string]: readonly [number, number] } };
  readonly happened?: InterventionHistory;
  /** What was said in the previous hour. */
  readonly heard?: readonly string[];
};

export function seatsOf({ people }: Pick<TownTask, 'people'>): readonly Seat[] {
  return townspeople.slice(0, people);
}

export function clockOf({ task, hour }: Pick<TownState, 'task' | 'hour'>): number {
  return (task.wake + Math.max(0, hour)) % 24;
}

export function timeOf(hour: number): string {
  return `${String(hour % 24).padStart(2, '0')}:00`;
}

/** Returns all others at a seat's place. Homes have no visitors. */
export function companyOf(at: TownState['at'], seats: readonly Seat[], seat: Seat): readonly Seat[] {
  return at[seat] === 'home' ? [] : seats.filter((other) => other !== seat && at[other] === at[seat]);
}

/** Returns the moves of an hour: every open place, and with objects what can be used there. */
function movesAt(hour: number, task: TownTask): readonly string[] {
  return openPlaces(hour).flatMap(({ name, object }) =>
    task.objects === true && object !== undefined ? [`[go ${name}]`, `[go ${name}, use ${object.name}]`] : [`[go ${name}]`],
  );
}

export function asksOf(state: TownState): readonly Ask[] {
  const { task, phase } = state;
  const hour = clockOf(state);
  const open = openPlaces(hour).map(({ name }) => name);
  const seats = seatsOf(task);
  const requestedSeats = phase === 'react' ? seats.filter((seat) => companyOf(state.at, seats, seat).length > 0) : seats;
  return requestedSeats.map((seat): Ask => {
    const data = {
      knows: state.knows[seat] !== undefined,
      news: task.news,
      open,
      ...(phase === undefined ? {} : { phase }),
      ...(phase === undefined && state.plans !== undefined ? { planned: state.plans[seat]?.[state.hour] ?? '' } : {}),
    };
    const ask: Ask = state.hour < 0 || phase !== undefined ? { seat, data } : { seat, choices: movesAt(hour, task), data };
    // Without memory, a seat sees only the messages since the day began.
    return task.memory || state.day === 1 ? ask : { ...ask, window: Math.max(1, state.seen[seat] ?? 1) };
  });
}

export function readMove(action: Action, ask: Ask) {
  if (ask.choices === undefined) {
    const replan = places.find(({ name }) => action.text.toLowerCase().includes(`[replan ${name}]`))?.name;
    const says = talkOf(action.text.replace(linear(/\[(nothing|replan [^\]]*)\]/gi), ' '));
    return { ok: true as const, move: { to: '', says, ...(replan === undefined ? {} : { replan }) } };
  }
  const read = choose(action, ask.choices);
  if (!read.ok) return read;
  const [place = '', use] = read.move.slice(4, -1).split(', use ');
  const says = talkOf(action.text.replace(linear(/\[[^\]]*\]/), ' '));
  return { ok: true as const, move: { to: place, says, ...(use === undefined ? {} : { uses: true }) } };
}

export function countMessages(state: TownState, messages: readonly Message[]): TownState {
  const observation: Record<Seat, number> = { ...state.seen };
  for (const { to } of messages) for (const seat of to) observation[seat] = (observation[seat] ?? 0) + 1;
  return { ...state, seen: observation };
}

/** Records what each seat is shown by messages, so that the state contains everything it saw. */
export function showing(state: TownState, messages: readonly Message[]): TownState {
  const publicState = Object.fromEntries(
    seatsOf(state.task).map((seat) => [
      seat,
      messages.flatMap(({ to, from, text }) => (to.includes(seat) ? [from === undefined ? text : `${from}: ${text}`] : [])),
    ]),
  );
  return { ...state, shown: publicState };
}
