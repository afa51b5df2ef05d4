/** @file A PID pilot: the place sets the wanted tilt and lift, the tilt sets the rotors. And one that leaves the rotors at hover. */

import { Fault, type Script, type Seat, type View } from '@ludus-agents/kernel/internal/core/index';
import { type Drone, hoverRpm, mostRpm, weight } from './physics.ts';

type Sight = {
  readonly drone: Drone;
  readonly target: readonly number[];
};

const clamp = (value: number, most: number) => Math.max(-most, Math.min(most, value));

/** The speed of a rotor as the action that asks for it. */
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
  // A force sideways is lift times tilt: pitch forward for x, roll to the other side for y.
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
