/**
 * @file Three heavy objects are in unknown rooms of a ring of ten, and two carriers must be in the same room to lift one. Each carrier
 * sees only its room, and usually waits when it finds an object. In the council they share findings and choose a meeting point; scripts
 * replace the models that plan.
 *
 * Options: council ("plan", "fixed", or "none"), seed. Prints the mean number of steps until all objects are lifted (at most 120), and
 * how often a plan was agreed on or revised.
 */

import { createCouncil } from '@ludus-agents/environments/internal/discussion/council';
import type { Action, AnyEnvironment, Json, JsonObject, Rng, Seat, Turn } from '@ludus-agents/kernel/internal/core/index';
import { isObject, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';

const [rooms, parcels, mostSteps, maps] = [10, 3, 120, 20];
const bodies = ['first', 'second'] as const;

type State = {
  readonly at: Readonly<Record<Seat, number>>;
  /** How many things are in each room. */
  readonly left: readonly number[];
  readonly steps: number;
};

const asks = () => bodies.map((seat) => ({ seat, choices: ['[clockwise]', '[back]', '[lift]', '[wait]'] }));
const viewOf = ({ at, left }: State, seat: Seat) => ({ to: [seat], text: `You are in room ${at[seat]} with ${left[at[seat]]} things.` });

const carriers: AnyEnvironment = {
  id: 'carriers@1',
  about: { summary: 'Lift heavy things together.', tasks: [{}], turns: mostSteps },
  parameters: {},
  task: () => ({}),
  seats: () => bodies,
  start(_: object, rng: Rng) {
    const left = Array.from({ length: rooms }, () => 0);
    for (let i = 0; i < parcels; i++) left[1 + rng.int(rooms - 1)]++;
    const state: State = { at: { first: 0, second: 0 }, left, steps: 0 };
    return { state, messages: bodies.map((seat) => viewOf(state, seat)), asks: asks() };
  },
  step(before: State, actions: Readonly<Record<Seat, Action>>) {
    const isLifted = before.at['first'] === before.at['second'] && bodies.every((seat) => actions[seat]?.text === '[lift]');
    const left = before.left.map((count, room) => (isLifted && room === before.at['first'] ? Math.max(0, count - 1) : count));
    const at = Object.fromEntries(bodies.map((seat) => [seat, after(before.at[seat], actions[seat]?.text ?? '')]));
    const state: State = { at, left, steps: before.steps + 1 };
    const isOver = left.every((count) => count === 0) || state.steps >= mostSteps;
    const rewards = isOver ? { rewards: { first: -state.steps, second: -state.steps } } : {};
    return { state, messages: bodies.map((seat) => viewOf(state, seat)), asks: isOver ? [] : asks(), ...rewards };
  },
};

function after(room: number, move: string): number {
  return move === '[clockwise]' ? (room + 1) % rooms : move === '[back]' ? (room + rooms - 1) % rooms : room;
}

/** What a body knows by what it saw and was told: the things in each room, where it is, and where the latest plan sends it. */
function knowledgeOf({ view: { seen: items, seat } }: Turn) {
  const counts = new Map<number, number>();
  let [room, goals]: [number, readonly number[]] = [0, []];
  for (const item of items) {
    if (item.kind !== 'message') continue;
    const view = /You are in room (\d+) with (\d+) things/.exec(item.text);
    if (view !== null) {
      room = Number(view[1]);
      counts.set(room, Number(view[2]));
    }
    for (const [, place, count] of item.text.matchAll(/room (\d+) has (\d+)/g)) counts.set(Number(place), Number(count));
    const plan = /The plan of all: (.*)/.exec(item.text)?.[1];
    if (plan !== undefined) goals = (new RegExp(`${seat} goes to ([\\d ]*)`).exec(plan)?.[1] ?? '').split(' ').filter(Boolean).map(Number);
  }
  return { counts, room, goals };
}

/** A body that lifts what it finds, reports it, and searches the rooms that the plan gives it; any room that it has not seen without one. */
const carrier = scripted('carrier', (turn) => {
  const { counts, room, goals } = knowledgeOf(turn);
  const part = isObject(turn.ask.data) ? turn.ask.data['part'] : undefined;
  if (part === 'judge') return { text: 'Agree: yes' };
  if (part === 'draft') return { text: `Plan: ${planFor(counts)}` };
  const here = counts.get(room) ?? 0;
  const isMeeting = goals.length === 1 && goals[0] === room;
  if (here > 0) {
    const isTold = goals.length === 1 && (counts.get(goals[0]) ?? 0) > 0;
    if (isMeeting || !isTold)
      return {
        text: isMeeting || turn.rng.next() < 0.9 ? `[lift]${isMeeting ? '' : `\nProgress: room ${room} has ${here}`}` : '[clockwise]',
      };
  }
  if (isMeeting) return { text: `[wait]\nProgress: room ${room} has 0` };
  const open = (goals.length > 0 ? goals : unseen(counts)).filter((place) => goals.length === 1 || !counts.has(place));
  if (open.length > 0) return { text: towards(room, nearest(room, turn.rng.shuffle(open))) };
  return { text: turn.rng.next() < 0.5 ? '[clockwise]' : '[back]' };
});

/** Both meet where an object is known to be. If there is none, they divide the rooms that neither has seen. */
function planFor(counts: ReadonlyMap<number, number>): string {
  const seenThings = [...counts].find(([, count]) => count > 0);
  if (seenThings !== undefined) return `first goes to ${seenThings[0]}; second goes to ${seenThings[0]}`;
  const left = unseen(counts);
  const half = Math.ceil(left.length / 2);
  return `first goes to ${left.slice(0, half).join(' ')}; second goes to ${left.slice(half).join(' ')}`;
}

function unseen(counts: ReadonlyMap<number, number>): readonly number[] {
  return Array.from({ length: rooms - 1 }, (_, i) => i + 1).filter((place) => !counts.has(place));
}

function nearest(room: number, goals: readonly number[]): number {
  return goals.reduce((best, place) => (distance(room, place) < distance(room, best) ? place : best));
}

function distance(from: number, to: number): number {
  const around = Math.abs(from - to);
  return Math.min(around, rooms - around);
}

function towards(from: number, to: number): string {
  if (from === to) return '[wait]';
  return (to - from + rooms) % rooms <= rooms / 2 ? '[clockwise]' : '[back]';
}

export default async function run({ council = 'plan', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = createCouncil(carriers);
  const off = council === 'none' ? ['plan'] : council === 'fixed' ? ['revision'] : [];
  const acted: Record<string, number> = { talks: 0, plans: 0, revisions: 0, reports: 0 };
  let steps = 0;
  for (let map = 0; map < maps; map++) {
    const cast = { first: carrier, second: carrier };
    const { events, returns } = await playOne(environment, cast, { council: { off } }, Number(seed) * 1000 + map);
    steps -= (returns['first'] ?? 0) / maps;
    const note = events.findLast((event) => event.kind === 'message' && event.to.length === 0);
    const counts = note?.kind === 'message' && isObject(note.data) ? (note.data['acted'] as JsonObject) : {};
    for (const name of Object.keys(acted)) acted[name] += Number(counts[name] ?? 0);
  }
  return { steps, acted };
}
