import { type EndEvent, type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { drones } from './drones.ts';
import { downwash, flown, flownTogether, g, groundEffect, hoverRpm, leastHeight, mostRpm, weight } from './physics.ts';

const still = [0, 0, 0, 0];
const at = (z: number) => [0, 0, z, 0, 0, 0, 0, 0, 0, 0, 0, 0];

describe('drone physics', () => {
  // Constants of gym-pybullet-drones; the figures are computed from its formulas on their own.
  it('hovers at 14,468.43 rpm and lifts at most 2.25 times its weight', () => {
    expect(hoverRpm).toBeCloseTo(14468.429184, 5);
    expect(mostRpm).toBeCloseTo(21702.643775, 5);
    expect(weight).toBeCloseTo(0.2646, 12);
    const high = flown(at(50), [hoverRpm, hoverRpm, hoverRpm, hoverRpm], 0, 1 / 240);
    expect(Math.abs(high[5]!)).toBeLessThan(1e-5);
  });

  it('conserves energy in free fall and drops 4.9 m in the first second', () => {
    let drone: readonly number[] = at(10);
    for (let n = 0; n < 240; n++) drone = flown(drone, still, 0, 1 / 240);
    expect(drone[2]).toBeCloseTo(5.1, 9);
    expect(Math.abs(g * drone[2]! + drone[5]! ** 2 / 2 - g * 10)).toBeLessThan(1e-9);
    // The usual half-implicit step would lose 0.2 J for each kilogram.
    let [z, v] = [10, 0];
    for (let n = 0; n < 240; n++) {
      v -= g / 240;
      z += v / 240;
    }
    expect(g * z + v ** 2 / 2 - g * 10).toBeCloseTo(-0.2000833, 6);
  });

  it('applies downwash that is strongest on the axis and always finite', () => {
    expect(downwash(0.5, 0)).toBeCloseTo(0.303359, 6);
    expect(downwash(1, 0)).toBeCloseTo(0.07584, 6);
    expect(downwash(2, 0)).toBeCloseTo(0.01896, 6);
    expect(downwash(0.6875, 0.1)).toBe(0);
    expect(Number.isFinite(downwash(0.6875, 0))).toBe(true);
    expect(downwash(-1, 0)).toBe(0);
    const hover = [hoverRpm, hoverRpm, hoverRpm, hoverRpm];
    const [below] = flownTogether([at(1), at(2)], [hover, hover], 1 / 240, true);
    const [free] = flownTogether([at(1), at(2)], [hover, hover], 1 / 240, false);
    expect(below![5]!).toBeLessThan(free![5]!);
  });

  it('increases lift near the ground, up to a limit', () => {
    expect(groundEffect(leastHeight)).toBeCloseTo(0.266667, 5);
    expect(groundEffect(0.1)).toBeCloseTo(0.038029, 6);
    expect(groundEffect(0)).toBe(groundEffect(leastHeight));
  });
});

describe('drone pilots', () => {
  const script = (name: string) => drones.scripts?.[name] as Script;
  const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });
  const paid = async (pilot: Script, task: Json) => {
    const seats = drones.seats(drones.task(task));
    const policies = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy(seat, seat === 'adversary' ? script(seat) : pilot)]));
    const logs = await rollout(drones, policies, { seeds: [0, 1], task });
    return logs.map((log) => log.at(-1) as EndEvent);
  };

  it.each(['hover', 'formation', 'adversary'])('with PID control hold their places in %s, and random ones crash', async (game) => {
    for (const { turns, returns } of await paid(script('pid'), { game, seconds: 4 })) {
      expect(turns).toBe(192);
      expect(returns['pilot 1']).toBeGreaterThan(1.9);
    }
    for (const { returns } of await paid(random, { game, seconds: 4 })) expect(returns['pilot 1']).toBeLessThan(1);
  });
});
