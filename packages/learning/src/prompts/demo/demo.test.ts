import { codebreaker } from '@ludus-agents/environments/internal/codebreaker';
import { feedback } from '@ludus-agents/environments/internal/codebreaker.scripts';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import type { ImproveReport } from '../report.ts';
import { demoReport, worthOf } from './demo.cases.ts';
import { bestRules, instructionDemo as demo, lawfulPlayer, rules, textsWith } from './index.ts';
import { feedbackFor } from './player.ts';
import { mistakesIn } from './reflector.ts';

describe('lawful player', () => {
  it('gives the same feedback as the environment', () => {
    const dice = rng(1, 'codes');
    const code = () => Array.from({ length: 4 }, () => 1 + dice.int(5)).join('');
    for (let i = 0; i < 300; i++) {
      const [guess, hidden] = [code(), code()];
      const { exact, misplaced } = feedback(guess, hidden);
      expect(feedbackFor(guess, hidden)).toBe(`${exact} ${misplaced}`);
    }
  });

  it('benefits from each good rule and plays best with exactly those', async () => {
    const worth = async (names: readonly (typeof rules)[number]['name'][]) => worthOf(textsWith(names), amount(80, 150));
    const [start, best] = [await worth([]), await worth(bestRules)];
    expect(best).toBeGreaterThan(start + 0.25);
    for (const name of bestRules) expect(await worth(bestRules.filter((bestRule) => bestRule !== name))).toBeLessThan(best - 0.05);
    for (const { name } of rules) if (!bestRules.includes(name)) expect(await worth([...bestRules, name])).toBeLessThan(best + 0.01);
    for (const harm of ['edge', 'plain'] as const) expect(await worth([...bestRules, harm])).toBeLessThan(best - 0.1);
    // What only takes up room costs little by little.
    const idle = rules
      .map(({ name }) => name)
      .filter((name) => !bestRules.includes(name) && !['edge', 'lucky', 'plain', 'open'].includes(name));
    expect(await worth([...bestRules, ...idle])).toBeLessThan(best - 0.03);
  });

  it('makes mistakes that can be read from its log', async () => {
    const found = async (names: readonly (typeof rules)[number]['name'][], task: number) => {
      const all = new Set<string>();
      const player = lawfulPlayer({ ...demo.start, texts: textsWith(names) });
      for (let seed = 0; seed < 30; seed++) {
        const events = await Array.fromAsync(play(codebreaker, { [demo.seat]: player }, { seed, task: demo.tasks[task] ?? {} }));
        for (const name of mistakesIn({ id: 'x', events }, demo.seat)) all.add(name);
      }
      return [...all].sort();
    };
    expect(await found([], 0)).toEqual(['between', 'form', 'middle']);
    expect(await found(['form', 'between'], 0)).toEqual(['middle']);
    expect(await found(bestRules, 0)).toEqual([]);
    expect(await found([], 1)).toEqual(['agree', 'form', 'fresh', 'open']);
    expect(await found(['form', 'agree', 'open'], 1)).toEqual([]);
  });
});

describe('instruction-demo', () => {
  it.each(['gepa', 'skillopt', 'inspo'])('improves with %s more than with random edits at equal cost over many seeds', async (engine) => {
    const reports: ImproveReport[] = [];
    const seeds = amount(1, 6);
    for (let seed = 1; seed <= seeds; seed++) reports.push(await demoReport({ engine, seed, fresh: 80 }));
    const mean = (pick: (report: ImproveReport) => number) => reports.reduce((sum, report) => sum + pick(report), 0) / reports.length;
    expect(mean(({ overRandom }) => overRandom.mean)).toBeGreaterThan(0.08);
    expect(reports.filter(({ overRandom }) => overRandom.mean > 0).length).toBeGreaterThanOrEqual(Math.max(1, seeds - 1));
    expect(mean(({ gain }) => gain.mean)).toBeGreaterThan(0.15);
    // No score exceeds the best possible one.
    expect(mean(({ best }) => best.report)).toBeLessThan(0.6);
  });

  it('reports an engine that does not beat random edits', async () => {
    const report = await demoReport({
      engine: 'gepa',
      seed: 1,
      calls: 60,
      proposer: { ...demo.proposers['blind'], name: 'blind too' } as never,
    });
    expect(report.overRandom.low).toBeLessThanOrEqual(0);
    expect(report.words.join(' ')).toMatch(/does not beat|loses to/);
  });
});
