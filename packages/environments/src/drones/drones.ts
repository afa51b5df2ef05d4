/**
 * @file Drones: set rotor speeds every step to hover at a place, hold a formation, or follow a moving target that another seat controls.
 */

import type { Ask, Message, Script, Seat, TaskOf, TaskState, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, forfeitText, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { askNumbers, formatNumber, numberChoices, readNumbers } from '../numbers.ts';
import { type Drone, flownTogether, hoverRpm, mostRpm, rpmOf, weight } from './physics.ts';

type Sight = {
  readonly drone: Drone;
  readonly target: readonly number[];
};

const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));

/** Returns the action that requests a rotor speed. */
function actionOf(rpm: number): number {
  const action = rpm <= hoverRpm ? rpm / hoverRpm - 1 : (rpm - hoverRpm) / (mostRpm - hoverRpm);
  return Math.round(Math.max(-1, Math.min(1, action)) * 1e6) / 1e6;
}

type Integral = readonly number[];

const pid: Script = ({ view, ask, mind }) => {
  pilotsOnly(ask.seat);
  const { drone, target } = sightOf(view);
  const sum = ((mind as Integral | undefined) ?? [0, 0, 0]).map((value, k) =>
    clamp(value + (target[k] - drone[k]) / 48, k === 2 ? 0.15 : 2),
  );
  const force = [0, 1, 2].map((k) => {
    const [p, i, d] = k === 2 ? [1.25, 0.05, 0.5] : [0.4, 0.05, 0.2];
    return p * clamp(target[k] - drone[k], 1) + i * sum[k] - d * drone[3 + k];
  });
  const lift = Math.max(0.1 * weight, Math.min(2 * weight, (weight + force[2]) / (Math.cos(drone[6]) * Math.cos(drone[7]))));
  const [cos, sin] = [Math.cos(drone[8]), Math.sin(drone[8])];
  // A sideways force is lift times tilt: pitch forward for x, roll to the other side for y.
  const pitch = clamp((force[0] * cos + force[1] * sin) / weight, 0.25);
  const roll = clamp((force[0] * sin - force[1] * cos) / weight, 0.25);
  const turn = [roll - drone[6], pitch - drone[7], -drone[8]].map((error, k) => 60_000 * error - [9000, 9000, 20_000][k] * drone[9 + k]);
  const base = hoverRpm * Math.sqrt(lift / weight);
  const [a, b, c] = turn.map((value) => clamp(value / 10, 3200)) as [number, number, number];
  const rpms = [base + a - b - c, base + a + b + c, base - a + b - c, base - a - b + c];
  return { action: { text: `[${rpms.map(actionOf).join(' ')}]` }, mind: sum };
};

const hover: Script = ({ ask }) => {
  pilotsOnly(ask.seat);
  return { text: '[0 0 0 0]' };
};

function pilotsOnly(seat: Seat): void {
  if (!seat.startsWith('pilot'))
    throw new Fault('input', `This script flies a drone, but "${seat}" has none. Use scripted:adversary there.`);
}

function sightOf(view: View): Sight {
  const last = view.seen.findLast((item) => item.kind === 'message' && item.data !== undefined);
  if (last?.kind !== 'message') throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  return last.data as Sight;
}

export const scripts: Readonly<Record<string, Script>> = { pid, hover };

const parameters = {
  game: parameter.choice({
    options: ['hover', 'formation', 'adversary'],
    default: 'hover',
    description: 'hover at (0, 0, 1), hold places in a row, or hover while an adversary blows a wind',
  }),
  drones: parameter.integer({ min: 2, max: 4, default: 2, description: 'formation: number of drones, one per seat' }),
  spread: parameter.number({
    min: 0,
    max: 1,
    default: 0.4,
    description: 'maximum distance between a drone’s start and its place, in meters',
  }),
  wind: parameter.number({ min: 0, max: 0.05, default: 0.01, description: 'adversary: maximum force of its wind, in N' }),
  downwash: parameter.boolean({ default: true, description: 'whether drones press down those below them' }),
  seconds: parameter.number({ min: 0.1, max: 60, default: 8, description: 'length of a flight' }),
  rate: parameter.integer({
    min: 24,
    max: 240,
    default: 48,
    description: 'actions per second; physics is computed five times as often',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Flight, Task>;
type Flight = {
  readonly drones: readonly Drone[];
  readonly left: number;
};

const pilots: readonly Seat[] = ['pilot 1', 'pilot 2', 'pilot 3', 'pilot 4'];
const adversary = 'adversary';
const rotors = numberChoices(4);
const winds = numberChoices(2);
const substeps = 5;

const count = ({ game, drones }: Task) => (game === 'formation' ? drones : 1);
const stepsOf = ({ seconds, rate }: Task) => Math.max(1, Math.round(seconds * rate));

/** Cached targets by number of drones: a row with half a meter between drones, around (0, 0, 1). */
const targets = [1, 2, 3, 4].map((all) =>
  Array.from({ length: all }, (_, i) => [all === 1 ? 0 : (i - (all - 1) / 2) * 0.5, 0, 1] as const),
);
const targetOf = (task: Task, i: number): readonly number[] => targets[count(task) - 1][i];

/** Cached asks by number of pilots. A single pilot may have an adversary. */
const seatsFor: readonly (readonly Ask[])[] = [1, 2, 3, 4].map((all) => pilots.slice(0, all).map((seat) => ({ seat, choices: rotors })));
const seatsWithAdversary: readonly Ask[] = [...seatsFor[0], { seat: adversary, choices: winds }];
const seatsOf = (task: Task) => (task.game === 'adversary' ? seatsWithAdversary : seatsFor[count(task) - 1]);
const toOne = new Map([...pilots, adversary].map((seat) => [seat, [seat]]));

export const drones = defineEnvironment({
  id: 'drones@1',
  about: {
    summary:
      'Pilots set the four rotors of small quadcopters 48 times per second. One hovers at (0, 0, 1), several keep a row, or one resists the wind of an adversary. The physics includes drag, downwash from drones above, and ground effect. A step pays (2 − d⁴) divided by the number of steps, where d is the distance to the target, and at most 2 over a flight. The flight ends if a drone leaves the room (1.5 m to each side, 2 m high) or tilts by more than 0.4. Hovering takes 14,468.43 revolutions per minute.',
    tasks: [{ seconds: 0.4 }, { game: 'formation', seconds: 0.4 }, { game: 'adversary', seconds: 0.4, rate: 24 }],
    turns: 400 * 3,
  },
  parameters,
  seats: (task) => seatsOf(task).map(({ seat }) => seat),

  start(task, rng) {
    const all = Array.from({ length: count(task) }, (_, i): Drone => {
      // In a formation, drones start closer to their places, because a drone right above another one presses it to the ground.
      const far = task.game === 'formation' ? task.spread / 8 : task.spread;
      const [x, y, z] = targetOf(task, i).map((value) => value + (rng.next() * 2 - 1) * far) as [number, number, number];
      return [x, y, Math.max(0.1, z), 0, 0, 0, 0, 0, 0, 0, 0, 0];
    });
    const state: Flight = { drones: all, left: stepsOf(task) };
    const messages = seatsOf(task).map(({ seat }, i) => viewMessage({ ...state, task }, seat, i, `${rulesFor(task, seat)}\n`));
    return { state, messages };
  },

  turn: asksOf,
  read: (action, _, { seat }) => readNumbers(action, seat === adversary ? 2 : 4),

  playTogether(state, moves) {
    const { task } = state;
    const seats = seatsOf(task);
    const rpms = state.drones.map((_, i) => (moves[pilots[i]] ?? [0, 0, 0, 0]).map(rpmOf));
    let all = state.drones;
    const dt = 1 / (task.rate * substeps);
    const blows = task.game === 'adversary' ? (moves[adversary] ?? [0, 0]).map((value) => (value * task.wind) / 0.027) : null;
    for (let n = 0; n < substeps; n++) {
      all = flownTogether(all, rpms, dt, task.downwash);
      if (blows !== null) all = all.map((drone) => drone.map((value, k) => (k === 3 || k === 4 ? value + blows[k - 3] * dt : value)));
    }
    const next: State = { ...state, drones: all, left: state.left - 1 };
    const out = all.some(isOut);
    let sum = 0;
    for (let i = 0; i < all.length; i++) sum += Math.max(0, 2 - distanceTo(all[i], targetOf(task, i)) ** 4) / stepsOf(task);
    const share = sum / all.length;
    const rewards: Record<Seat, number> = {};
    const messages: Message[] = [];
    for (let i = 0; i < seats.length; i++) {
      const { seat } = seats[i];
      rewards[seat] = seat === adversary ? -share : share;
      if (moves[seat] === null) messages.push({ to: toOne.get(seat)!, text: forfeitText(seat) });
      messages.push(viewMessage(next, seat, i, out ? 'A drone is out.\n' : ''));
    }
    return { state: next, messages, rewards, over: out || next.left === 0 };
  },

  knows: ({ drones: all, left }) => ({ drones: all, left }),
  scripts: { ...scripts, adversary: gusts },
});

/** The adversary's script: a steady wind that changes direction about every second. */
function gusts({ ask }: { readonly ask: Ask }): { readonly text: string } {
  if (ask.seat !== adversary) return { text: '[0 0 0 0]' };
  const { observation } = ask.data as { readonly observation: readonly number[] };
  return { text: Math.floor(observation[observation.length - 1] * 8) % 2 === 0 ? '[1 0]' : '[-1 0]' };
}

const distanceTo = (drone: Drone, target: readonly number[]) =>
  Math.hypot(drone[0] - target[0], drone[1] - target[1], drone[2] - target[2]);

function isOut(drone: Drone): boolean {
  const [x, y, z, , , , roll, pitch] = drone as readonly [number, number, number, number, number, number, number, number];
  return Math.abs(x) > 1.5 || Math.abs(y) > 1.5 || z > 2 || z < 0 || Math.abs(roll) > 0.4 || Math.abs(pitch) > 0.4;
}

function asksOf({ task, drones: all, left }: State): readonly Ask[] {
  const seats = seatsOf(task);
  const asks: Ask[] = [];
  for (let i = 0; i < seats.length; i++) {
    const { seat } = seats[i];
    const droneIndex = seat === adversary ? 0 : i;
    const [x, y, z] = targetOf(task, droneIndex) as readonly [number, number, number];
    const d = all[droneIndex];
    // biome-ignore format: three to a line
    const observations = [
      d[0] - x, d[1] - y, d[2] - z,
      d[3], d[4], d[5],
      d[6], d[7], d[8],
      d[9] / 10, d[10] / 10, d[11] / 10,
      left / stepsOf(task),
    ];
    asks.push(seat === adversary ? askNumbers(seat, winds, 2, observations) : askNumbers(seat, rotors, 4, observations));
  }
  return asks;
}

function rulesFor({ game, seconds, rate, wind }: Task, seat: Seat): string {
  if (seat === adversary)
    return `You are the adversary: each step you blow at a drone that tries to hover at x 0, y 0, z 1; your two numbers from -1 to 1 are the wind along x and y, where 1 is ${wind} N. What the pilot is paid, you lose.\nAnswer with two numbers in square brackets, such as [0.25 0.25].`;
  const others =
    game === 'formation'
      ? ' Others fly beside you; below another you are pressed down.'
      : game === 'adversary'
        ? ' An adversary blows a wind.'
        : '';
  return `You are ${seat} and set the four rotors of a small drone ${rate} times a second, for ${seconds} s: -1 stops a rotor, 0 is the speed of hovering, 1 its most. Rotors 1 and 2 against 3 and 4 roll it, 2 and 3 against 1 and 4 pitch it, 2 and 4 against 1 and 3 turn it.${others} Being near your place is paid; 1.5 m to a side, 2 m up, the ground, or a tilt of 0.4 end the flight.\nAnswer with four numbers in square brackets, such as [0.25 0.25 0.25 0.25].`;
}

function viewMessage({ task, drones: all, left }: Flight & { readonly task: Task }, seat: Seat, i: number, first: string): Message {
  const droneIndex = seat === adversary ? 0 : i;
  const drone = all[droneIndex];
  const target = targetOf(task, droneIndex);
  const list = (from: number) => `${formatNumber(drone[from])} ${formatNumber(drone[from + 1])} ${formatNumber(drone[from + 2])}`;
  const text = `${first}Place ${list(0)} m, wanted ${target.join(' ')}; velocity ${list(3)} m/s; tilt ${list(6)}; turning ${list(9)} per s. Steps to go: ${left}.`;
  return { to: toOne.get(seat)!, text, data: { drone, target } };
}
