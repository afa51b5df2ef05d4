import { type EndEvent, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect, it } from 'vitest';
import { aimBall, airTime, flight, volleyball } from './volleyball.ts';

const script = (name: string) => volleyball.scripts?.[name] as Script;
const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });
const numbers: Script = ({ ask, rng }) => {
  const draw = () => Math.round((rng.next() * 2 - 1) * 1000) / 1000;
  return { text: ask.choices?.includes('[middle]') === true ? `[${Math.abs(draw())}]` : `[${draw()} ${draw()}]` };
};

async function won(home: Script, guests: Script, seeds = 100) {
  const logs = await rollout(
    volleyball,
    { home: scriptedPolicy('home', home), guests: scriptedPolicy('guests', guests) },
    { seeds: Array.from({ length: seeds }, (_, i) => i) },
  );
  const ends = logs.map((log) => log.at(-1) as EndEvent);
  for (const { reason, returns } of ends) {
    expect(reason).toBe('over');
    expect(returns['home']! + returns['guests']!).toBe(0);
  }
  return ends.filter(({ returns }) => returns['home']! > 0).length / seeds;
}

it('volleyball launched at (3, 4) m/s from 2 m lands at 3.498879 m', () => {
  expect(3 * airTime(2, 4)).toBeCloseTo((3 * (4 + Math.sqrt(16 + 39.2))) / 9.8, 12);
  expect(3 * airTime(2, 4)).toBeCloseTo(3.498879, 6);
});

it('flight classifies a ball as in the net, out, over, or still on its side', () => {
  expect(flight(-4, 1, 5, 0.5).fate).toBe('own');
  expect(flight(-1, 1, 5, 2).fate).toBe('net');
  expect(flight(-6, 2, 12, 6).fate).toBe('out');
  expect(flight(-5, 2, -3, 4).fate).toBe('out');
  expect(flight(-6, 2, ...aimBall(-6, 2, 4.5, 5))).toMatchObject({ fate: 'over' });
  expect(flight(-6, 2, ...aimBall(-6, 2, 4.5, 5)).lands).toBeCloseTo(4.5, 12);
});

it('skill-based team beats random numbers, and attacks beat lobs', async () => {
  expect(await won(script('team'), numbers, 60)).toBeGreaterThan(0.95);
  expect(await won(numbers, script('team'), 60)).toBeLessThan(0.3);
  expect(await won(script('team'), script('lobber'))).toBeGreaterThan(0.5);
  expect(await won(random, script('team'))).toBeLessThan(0.6);
});
