/** @file Numbers that agree with each other, and commands that say when they achieved nothing. */

import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluateReport } from '@ludus-agents/evaluation/internal/evaluate';
import type { Report } from '@ludus-agents/evaluation/internal/scoring/report/index';
import type { Comparison } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import { beforeAll, describe, expect, it } from 'vitest';
import { exits } from '../command.ts';
import { folder, ludus } from '../terminal.cases.ts';

describe('eval and compare on one run', () => {
  let here = '';
  let table: EvaluateReport;
  beforeAll(async () => {
    here = folder();
    const words = ['eval', 'privacy-core', '--agents', 'scripted:parrot,scripted:always-refuse', '--seeds', '4', '--json'];
    table = JSON.parse((await ludus(here, words)).out) as EvaluateReport;
  });
  const mean = (name: string) => table.agents.find(({ agent }) => agent === name)?.value as number;

  it('say the same difference, over all 72 pairs of episodes', async () => {
    const { out } = await ludus(here, ['compare', 'scripted:always-refuse', 'scripted:parrot', '--json']);
    const comparison = JSON.parse(out) as Comparison;
    expect([mean('scripted:always-refuse'), mean('scripted:parrot')]).toEqual([0.75, 0]);
    expect(comparison).toMatchObject({
      difference: 0.75,
      better: 'scripted:always-refuse',
      pairs: 72,
      unpaired: 0,
      missing: 0,
      leftOut: 0,
    });
    const report = JSON.parse((await ludus(here, ['report', table.run, '--format', 'json'])).out) as Report;
    for (const { a, b, difference, over } of report.comparisons) {
      expect(Math.abs(difference - (mean(a) - mean(b)))).toBeLessThanOrEqual(1e-12);
      expect(over).toBe(report.standings.over);
    }
  });

  it('say what their intervals speak about, and refuse what these tasks cannot say', async () => {
    const outcome = await ludus(here, ['eval', 'privacy-core', '--agents', 'scripted:parrot', '--seeds', '4']);
    expect(outcome.out).toMatch(/Intervals\s+cover\s+new\s+seeds\s+of\s+these\s+8\s+tasks,\s+not\s+other\s+tasks/);
    const tasks = await ludus(here, ['compare', 'scripted:always-refuse', 'scripted:parrot', '--over', 'tasks']);
    expect(tasks.out).toContain('This covers new tasks like these 8.');
    const odd = await ludus(here, ['compare', 'a', 'b', '--over', 'weeks']);
    expect([odd.code, odd.err]).toEqual([exits.input, expect.stringContaining('--over: expected "seeds" or "tasks", got "weeks"')]);
    const lonely = await ludus(here, ['eval', 'games-core', '--agents', 'random', '--over', 'tasks']);
    expect([lonely.code, lonely.err]).toEqual([exits.input, expect.stringContaining('An interval over tasks needs at least two tasks')]);
  });
});

describe('two runs', () => {
  it('are compared by the agents that they test, not by those that do not try', async () => {
    const here = folder();
    writeFileSync(join(here, 'sums.csv'), `input,expected\n${Array.from({ length: 12 }, (_, i) => `${i}+1?,${i + 1}`).join('\n')}\n`);
    for (const [run, most] of [
      ['good', 12],
      ['bad', 9],
    ] as const) {
      const sum = 'Number(JSON.stringify(view).match(/(\\d+)\\+1/)[1]) + 1';
      writeFileSync(
        join(here, 'mine.mjs'),
        `export default { name: 'mine', act: (view) => { const n = ${sum}; return { action: { text: String(n > ${most} ? 0 : n) } }; } };`,
      );
      await ludus(here, ['eval', './sums.csv', '--agents', './mine.mjs', '--run', run]);
    }
    const { out } = await ludus(here, ['compare', 'good', 'bad', '--json']);
    const { sides, difference } = JSON.parse(out) as Comparison;
    expect([sides.a.value, sides.b.value, difference]).toEqual([1, 0.75, 0.25]);
  });
});

describe('a command that achieved nothing', () => {
  it('says so: an agent whose every episode failed, with the cause', async () => {
    const here = folder();
    const poker = join(import.meta.dirname, '../../../../environments/src/kuhn-poker.ts');
    writeFileSync(
      join(here, 'mine.ts'),
      `import { kuhnPoker } from ${JSON.stringify(poker)};
      const broken = () => { throw new Error('the line is dead'); };
      export default { ...kuhnPoker, scripts: { ...kuhnPoker.scripts, broken } };`,
    );
    const scene = { environment: './mine.ts', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
    writeFileSync(join(here, 'suite.json'), JSON.stringify({ name: 'small', nulls: ['random'], seeds: 3, scenes: [scene] }));
    const { code, err } = await ludus(here, ['eval', 'suite.json', '--agents', 'scripted:broken']);
    expect([code, err]).toEqual([exits.found, expect.stringMatching(/scripted:broken failed in all 3 episodes: .*the line is dead/)]);
  });

  it('says so: a judge that gave no answer', async () => {
    const here = folder();
    await ludus(here, ['eval', 'games-core', '--agents', 'random', '--seeds', '1']);
    const { code, err } = await ludus(here, ['score', 'games-core', '--rubric', 'character-box', '--judge', 'fake:honest', '--again']);
    expect([code, err]).toEqual([exits.found, expect.stringContaining('gave 0 answers on character-box: ')]);
  });
});

describe('check', () => {
  it('knows a fault of another copy of Ludus when it sees one', async () => {
    const here = folder();
    const packages = join(import.meta.dirname, '../../../..');
    cpSync(join(packages, 'kernel'), join(here, 'kernel'), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
    cpSync(join(packages, 'environments/src/kuhn-poker.ts'), join(here, 'mine.ts'));
    // Node reads no types of a file below node_modules; through a link it is not below it.
    mkdirSync(join(here, 'node_modules', '@ludus-agents'), { recursive: true });
    symlinkSync(join(here, 'kernel'), join(here, 'node_modules', '@ludus-agents', 'kernel'));
    const { code, out } = await ludus(here, ['env', 'check', 'mine.ts', '--json']);
    expect([code, out.trim()]).toEqual([exits.fine, '{"problems":[]}']);
  });
});
