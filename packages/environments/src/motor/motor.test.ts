import { type EndEvent, type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { readNumbers } from '../numbers.ts';
import { motor, motorConstants, motorStep, stepMotor } from './motor.ts';

const script = (name: string) => motor.scripts?.[name] as Script;

async function played(one: Script, task: Json, seeds = 1) {
  const logs = await rollout(
    motor,
    { controller: scriptedPolicy('one', one) },
    { seeds: Array.from({ length: seeds }, (_, i) => i), task },
  );
  return logs.map((log) => ({
    returned: (log.at(-1) as EndEvent).returns['controller']!,
    currents: log.flatMap((event) =>
      event.kind === 'message' && event.data !== undefined ? [(event.data as { current: number }).current] : [],
    ),
    minds: log.flatMap((event) => (event.kind === 'action' ? [event.mind as { volts: number } | undefined] : [])),
  }));
}

/** Steps of equal length under one volt. */
function under(seconds: number, steps: number, locked: boolean) {
  let [i, w] = [0, 0];
  for (let n = 0; n < steps; n++) [i, w] = stepMotor(motorStep(seconds, locked), i, w, 1, 0) as [number, number];
  return [i, w] as const;
}

describe('motor at one volt', () => {
  // Closed forms of the equations of gym-electric-motor, computed on their own.
  it('with a locked rotor follows 62.5 (1 − e^(−t/τ))', () => {
    expect(under(1e-4, 1, true)[0]).toBeCloseTo(5.047643, 6);
    expect(under(1.1875e-3, 1, true)[0]).toBeCloseTo(39.507535, 6);
    expect(motorStep(1e-4, true)[0]![0]).toBeCloseTo(0.919237712, 9);
  });

  it.each([
    [10, 35.23991, 0.133083],
    [50, 50.662192, 1.452973],
    [100, 35.966294, 2.879469],
    [500, 1.815036, 5.900212],
  ])('with a free rotor has after %i steps the current %d and the speed %d', (steps, current, speed) => {
    const [i, w] = under(1e-4, steps, false);
    expect(i).toBeCloseTo(current, 6);
    expect(w).toBeCloseTo(speed, 6);
    const [i1, w1] = under(1e-4 * steps, 1, false);
    expect(Math.abs(i - i1) + Math.abs(w - w1)).toBeLessThan(1e-9);
  });

  it('is approximated by Runge–Kutta with an error 16 times smaller at half the step size', () => {
    const { resistance: R, inductance: L, flux, inertia } = motorConstants;
    const slope = ([i, w]: readonly number[]) => [(1 - R * i! - flux * w!) / L, (flux * i!) / inertia];
    const plus = (a: readonly number[], b: readonly number[], h: number) => a.map((value, k) => value + h * b[k]!);
    const error = (steps: number) => {
      const h = 0.01 / steps;
      let x: readonly number[] = [0, 0];
      for (let n = 0; n < steps; n++) {
        const [a, b] = [slope(x), slope(plus(x, slope(x), h / 2))];
        const c = slope(plus(x, b, h / 2));
        const d = slope(plus(x, c, h));
        x = x.map((value, k) => value + (h / 6) * (a[k]! + 2 * b[k]! + 2 * c[k]! + d[k]!));
      }
      return Math.abs(x[0]! - under(0.01, 1, false)[0]);
    };
    expect(error(100) / error(200)).toBeGreaterThan(14);
    expect(error(100) / error(200)).toBeLessThan(19);
  });
});

describe('PI controller', () => {
  it('follows a reference step as 1 − e^(−1000 t), more closely with shorter steps', async () => {
    const off = async (seconds: number) => {
      const steps = Math.round(1e-3 / seconds);
      const [game] = await played(script('pi'), { reference: 50, seconds, steps, hold: steps });
      return Math.abs((game?.currents.at(-1) as number) / 50 - 0.632121);
    };
    const [coarse, fine] = [await off(1e-4), await off(1e-5)];
    expect(fine).toBeLessThan(0.003);
    expect(fine).toBeLessThan(coarse / 5);
  });

  it('limits its integral while the voltage is saturated', async () => {
    // One volt holds 62.5 A of the 90: 0.019 V for each ampere that is missing leave no more than 0.4775 V. Unchecked it would pass 2.
    const [game] = await played(script('pi'), { reference: 90, supply: 1, steps: 40, hold: 40 });
    expect(Math.max(...(game?.minds ?? []).map((mind) => mind?.volts ?? 0))).toBeLessThan(0.48);
  });

  it('tracks the reference in both control modes, and doing nothing does not', async () => {
    for (const task of [{ steps: 100 }, { control: 'speed', seconds: 1e-3, steps: 400, hold: 200, reference: 60 }]) {
      const total = async (name: string) => (await played(script(name), task, 5)).reduce((sum, { returned }) => sum + returned, 0);
      expect(await total('pi')).toBeGreaterThan((await total('off')) / 2);
    }
  });
});

it('motor episode ends at a cost of 10 when a limit is exceeded', async () => {
  const full: Script = () => ({ text: '[1]', data: [1] });
  const [game] = await played(full, {});
  expect(game?.currents.at(-1)).toBeGreaterThan(210);
  expect(game?.returned).toBeLessThan(-10);
});

it('readNumbers accepts data and brackets, and rejects out-of-range values and wrong counts', () => {
  expect(readNumbers({ text: '', data: [0.5, -1] }, 2)).toEqual({ ok: true, move: [0.5, -1] });
  expect(readNumbers({ text: 'I say [0.25, -.5]' }, 2)).toEqual({ ok: true, move: [0.25, -0.5] });
  for (const text of ['[2]', '[0.1 0.2]', '[a]', '[]', '[1e]', '[Infinity]', '[NaN]', '0.5'])
    expect(readNumbers({ text }, 1).ok).toBe(false);
  expect(readNumbers({ text: '[0]', data: ['0'] }, 1).ok).toBe(false);
});
