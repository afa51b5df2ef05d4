import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Proposer } from '../engine.ts';
import { toyGround, toySpec } from '../toy.cases.ts';
import { trialled } from './engines.cases.ts';
import { inspo } from './inspo.ts';
import { resample } from './resample.ts';

const chances: Readonly<Record<string, number>> = { start: 0.3, a: 0.35, b: 0.35, c: 0.4, d: 0.4, e: 0.45, f: 0.45, g: 0.6 };

/** Instructions with a known chance of success each; tasks differ in difficulty, for all alike. */
const arms = toyGround((spec, { seed, task }) => {
  const chance = (chances[spec.texts?.['instruction'] ?? ''] ?? 0) + (task % 2 === 0 ? 0.2 : -0.2);
  return rng(seed, 'coin').next() < chance ? 1 : 0;
});

/** Writes any of the instructions. */
const writer: Proposer = {
  name: 'writer',
  improver: ({ rng: dice }) => ({ name: 'writer', improve: async () => [toySpec(dice.pick(Object.keys(chances)))] }),
};

const common = { ground: arms, tasks: { propose: 12, select: 30, report: 1 }, start: toySpec('start'), proposer: writer, calls: 1500 };

describe('inspo', () => {
  it('finds the known best instruction among its proposals', async () => {
    let count = 0;
    for (let seed = 0; seed < 10; seed++) {
      const { best } = await trialled({ ...common, engine: inspo, seed });
      if (best.components['instruction'] === 'g') count++;
    }
    expect(count).toBeGreaterThanOrEqual(7);
  });

  it('limits its population and selects through the gate', async () => {
    const { archive, happenings } = await trialled({ ...common, engine: inspo, seed: 3, settings: { size: 3 } });
    expect(happenings.some((happening) => happening.kind === 'note' && happening.words.includes('leaves the population'))).toBe(true);
    const answers = happenings.flatMap((happening) => (happening.kind === 'best' ? [happening.candidate.id] : []));
    const passed = new Set(archive.tried.filter(({ verdict }) => verdict.accept).map(({ candidate }) => candidate));
    for (const id of answers.slice(1)) expect(passed.has(id)).toBe(true);
  });
});

describe('resample baseline', () => {
  it('changes nothing but reports an inflated score', async () => {
    const { best, select, evaluator } = await trialled({ ...common, engine: resample, seed: 1 });
    expect(best.components['instruction']).toBe('start');
    const scores = evaluator.seen(best.id, 'select').map(({ score }) => score as number);
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    expect(Math.abs(mean - 0.3)).toBeLessThan(0.05);
    expect(select).toBeGreaterThan(mean + 0.08);
  });
});
