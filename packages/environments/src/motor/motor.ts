/** @file A DC motor: set a voltage every step, so that the current or the speed follows a reference without violating a limit. */

import type { Message, Rng, Script, TaskOf, View } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { askNumbers, formatNumber, numberChoices, readNumbers } from '../numbers.ts';

/**
 * A permanently excited DC motor: L di/dt = u − R i − ψ ω, J dω/dt = ψ i − load. A step under constant voltage and load is exact, by the
 * matrix exponential. Constants as in gym-electric-motor.
 */
export const motorConstants = { resistance: 0.016, inductance: 19e-6, flux: 0.165, inertia: 0.025 } as const;
const { resistance: R, inductance: L, flux: psi, inertia: J } = motorConstants;

/** The linear map of a step from current, speed, voltage, and load to current and speed: two rows of four. */
type MotorStep = readonly (readonly number[])[];

type Matrix = readonly (readonly number[])[];

const times = (a: Matrix, b: Matrix): Matrix => a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)));

/** Computes e^A from its series on A / 2^n, squared n times. */
function exponential(matrix: Matrix): Matrix {
  const norm = Math.max(...matrix.map((row) => row.reduce((sum, value) => sum + Math.abs(value), 0)));
  const halvings = Math.max(0, Math.ceil(Math.log2(norm)) + 4);
  const scaled = matrix.map((row) => row.map((value) => value / 2 ** halvings));
  const unit = matrix.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  let [sum, term]: [Matrix, Matrix] = [unit, unit];
  for (let n = 1; n <= 14; n++) {
    term = times(term, scaled).map((row) => row.map((value) => value / n));
    sum = sum.map((row, i) => row.map((value, j) => value + term[i][j]));
  }
  for (let n = 0; n < halvings; n++) sum = times(sum, sum);
  return sum;
}

const steps = new Map<string, MotorStep>();

/** Returns the exact step of the given duration. With a locked rotor, the speed is constant. */
export function motorStep(seconds: number, locked: boolean): MotorStep {
  const key = `${seconds} ${locked}`;
  const before = steps.get(key);
  if (before !== undefined) return before;
  const rates: Matrix = [[-R / L, -psi / L, 1 / L, 0], locked ? [0, 0, 0, 0] : [psi / J, 0, 0, -1 / J], [0, 0, 0, 0], [0, 0, 0, 0]];
  const results = exponential(rates.map((row) => row.map((value) => value * seconds))).slice(0, 2);
  if (steps.size < 1000) steps.set(key, results);
  return results;
}

export function stepMotor([i, w]: MotorStep, current: number, speed: number, voltage: number, load: number): readonly [number, number] {
  const along = (row: readonly number[]) => row[0] * current + row[1] * speed + row[2] * voltage + row[3] * load;
  return [along(i), along(w)];
}

const { resistance, inductance, flux, inertia } = motorConstants;
/** The gains of the two loops, per second: lower if steps are long, because the loop would overshoot otherwise. */
const loops = (seconds: number) => {
  const currentLoop = Math.min(1000, 0.5 / seconds);
  return { currentLoop, speedLoop: currentLoop / 10 };
};

type Sight = {
  readonly current: number;
  readonly speed: number;
  readonly reference: number;
  readonly control: string;
  readonly supply: number;
  readonly seconds: number;
};

type Integrals = { readonly volts: number; readonly amperes: number };

const pi: Script = ({ view, mind }) => {
  const visible = sightOf(view);
  const { volts, amperes } = (mind as Integrals | undefined) ?? { volts: 0, amperes: 0 };
  const { currentLoop, speedLoop } = loops(visible.seconds);
  const gain = (inertia * speedLoop) / flux;
  const slip = visible.reference - visible.speed;
  const wanted = visible.control === 'current' ? visible.reference : Math.max(-150, Math.min(150, gain * slip + amperes));
  const error = wanted - visible.current;
  // The voltage induced by the rotor is known, so it is added.
  const voltage = inductance * currentLoop * error + volts + flux * visible.speed;
  const limited = Math.max(-visible.supply, Math.min(visible.supply, voltage));
  const free = limited === voltage;
  return {
    action: { text: `[${limited / visible.supply}]` },
    mind: {
      volts: free ? volts + resistance * currentLoop * error * visible.seconds : volts,
      amperes: free && Math.abs(wanted) < 150 ? amperes + gain * (speedLoop / 5) * slip * visible.seconds : amperes,
    },
  };
};

/** No voltage. */
const off: Script = () => ({ text: '[0]' });

function sightOf(view: View): Sight {
  const last = view.seen.findLast((item) => item.kind === 'message' && item.data !== undefined);
  if (last?.kind !== 'message') throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  return last.data as Sight;
}

export const scripts: Readonly<Record<string, Script>> = { pi, off };

const parameters = {
  control: parameter.choice({
    options: ['current', 'speed'],
    default: 'current',
    description: 'the quantity that must follow its reference; for the current, the rotor is locked',
  }),
  steps: parameter.integer({ min: 1, max: 10_000, default: 100, description: 'maximum number of steps' }),
  seconds: parameter.number({ min: 1e-6, max: 1e-2, default: 1e-4, description: 'length of a step' }),
  hold: parameter.integer({ min: 1, max: 10_000, default: 25, description: 'number of steps after which a new reference is drawn' }),
  reference: parameter.number({
    min: -400,
    max: 400,
    default: 0,
    description: 'a fixed reference, in A or rad/s; 0 draws them from the seed',
  }),
  supply: parameter.number({ min: 1, max: 60, default: 60, description: 'volts that an action of 1 stands for' }),
  load: parameter.number({ min: -10, max: 10, default: 0, description: 'torque against the rotor, in Nm' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type Motion = {
  readonly current: number;
  readonly speed: number;
  readonly reference: number;
  readonly left: number;
};

const seat = 'controller';
const alone = [seat] as const;
const choices = numberChoices(1);
const nominal = { current: 97, speed: 300 } as const;
const limits = { current: 210, speed: 400 } as const;
/** An episode that violates a limit is rewarded like the worst step forever, at a discount of 0.9. */
const worst = -1 / (1 - 0.9);

export const motor = defineEnvironment({
  id: 'motor@1',
  about: {
    summary:
      'A controller sets the voltage of a DC motor every tenth of a millisecond, so that its current (with a locked rotor) or its speed follows a changing reference. Each step costs the distance to the reference divided by the range. A current above 210 A or a speed above 400 rad/s ends the episode and costs 10. The motion is computed exactly: with one volt on a locked rotor, the current is 39.507535 A after the time constant of 1.1875 ms.',
    tasks: [{ steps: 40 }, { control: 'speed', steps: 60, seconds: 1e-3 }, { supply: 6, reference: 50, steps: 20 }],
    turns: 60 * 11,
  },
  parameters,
  seats: alone,

  start(task, rng) {
    const state: Motion = { current: 0, speed: 0, reference: drawReference(task, rng), left: task.steps };
    return { state, messages: [viewMessage(state, task, `${rulesFor(task)}\n`)] };
  },

  /** Current, speed, and reference, relative to their nominal values. */
  turn: ({ task, current, speed, reference }) =>
    askNumbers(seat, choices, 1, [current / nominal.current, speed / nominal.speed, reference / nominal[task.control]]),
  read: (action) => readNumbers(action, 1),

  play(state, [share], { rng }) {
    const { task } = state;
    const locked = task.control === 'current';
    const voltage = share * task.supply;
    const [current, speed] = stepMotor(motorStep(task.seconds, locked), state.current, state.speed, voltage, task.load);
    const left = state.left - 1;
    const isNew = (task.steps - left) % task.hold === 0 && left > 0;
    const next = { ...state, current, speed, reference: isNew ? drawReference(task, rng) : state.reference, left };
    if (Math.abs(current) > limits.current || Math.abs(speed) > limits.speed)
      return { state: next, messages: [viewMessage(next, task, 'A limit is broken.\n')], rewards: { [seat]: worst }, over: true };
    const error = Math.abs((locked ? current : speed) - state.reference) / (2 * limits[task.control]);
    return { state: next, messages: [viewMessage(next, task, '')], rewards: { [seat]: -error }, over: left === 0 };
  },

  forfeit: (state, _, messages) => ({ state, messages, rewards: { [seat]: worst }, over: true }),

  knows: ({ current, speed, reference, left }) => ({ current, speed, reference, left }),
  scripts,
});

function drawReference({ reference, control }: Task, rng: Rng): number {
  return reference !== 0 ? reference : (rng.next() * 1.6 - 0.8) * nominal[control];
}

function rulesFor({ control, steps, seconds, supply }: Task): string {
  return `You control a DC motor${control === 'current' ? ' whose rotor is locked' : ''}. Each step of ${seconds} s you give a voltage from -1 to 1, where 1 is ${supply} V; ${steps} steps in all. The ${control} is to follow its reference: each step costs the distance, as a share of the range. A current above ${limits.current} A or a speed above ${limits.speed} rad/s ends it and costs ${-worst.toFixed(0)}.\nAnswer with a number from -1 to 1 in square brackets, such as [0.25].`;
}

function viewMessage({ current, speed, reference, left }: Motion, { control, supply, seconds }: Task, first: string): Message {
  const text = `${first}Current ${formatNumber(current)} A, speed ${formatNumber(speed)} rad/s; the ${control} should be ${formatNumber(reference)} ${control === 'current' ? 'A' : 'rad/s'}. Steps to go: ${left}.`;
  return { to: alone, text, data: { current, speed, reference, control, supply, seconds } };
}
