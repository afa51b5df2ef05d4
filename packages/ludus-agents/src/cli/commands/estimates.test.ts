/** @file One imported benchmark run, and the same estimate of it wherever a mean is shown. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import { standingsOf } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { CompareShown, HomeShown, ReportShown } from '@ludus-agents/servers/internal/studio/api';
import { openStudio } from '@ludus-agents/servers/internal/studio/studio.cases';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

/** 20 tasks with 10 repeats each, in the format of tau2-bench; whether a task is passed depends mostly on the task. */
function results(agent: string, rate: (task: number) => number): string {
  const simulations = Array.from({ length: 200 }, (_, i) => ({
    ...{ task_id: String(Math.floor(i / 10)), trial: i % 10, termination_reason: 'user_stop' },
    messages: [
      { role: 'user', content: `Please help with case ${i}.` },
      { role: 'assistant', content: 'Done.' },
    ],
    reward_info: { reward: rng(i, agent).next() < rate(Math.floor(i / 10)) ? 1 : 0 },
  }));
  return JSON.stringify({
    info: { agent_info: { llm: agent }, user_info: { llm: 'customer' }, environment_info: { domain_name: 'airline' } },
    simulations,
  });
}

it('a mean is the same in show, eval, report, compare, standings, and the studio', async () => {
  const here = folder();
  writeFileSync(
    join(here, 'alpha.json'),
    results('alpha', (task) => (task % 5 < 3 ? 0.95 : 0.1)),
  );
  writeFileSync(
    join(here, 'beta.json'),
    results('beta', (task) => (task % 5 < 2 ? 0.9 : 0.05)),
  );
  for (const file of ['alpha.json', 'beta.json']) expect((await ludus(here, ['data', 'import', file])).code).toBe(0);
  const jsonOf = async (...words: readonly string[]) => JSON.parse((await ludus(here, [...words, '--json'])).out);
  const report = await jsonOf('report', 'import-alpha');
  const [standing] = report.standings.agents;
  const estimate = { value: standing.value, interval: standing.interval, tasks: 20, episodes: 200 };
  expect(standing).toMatchObject(estimate);
  expect(report.standings.over).toBe('tasks');
  // Repeats of a task are not tasks: an interval that took them for tasks would be less than half as wide.
  const naive = Math.sqrt((standing.value * (1 - standing.value)) / 200);
  expect(standing.interval[1] - standing.interval[0]).toBeGreaterThan(2 * 2 * 1.96 * naive);

  const shown = await jsonOf('show', 'import-alpha');
  expect(shown.standings).toEqual(report.standings);
  expect(shown.seats).toMatchObject([{ agent: 'alpha', seat: 'assistant', ...estimate }]);
  expect(await jsonOf('eval', 'import-alpha')).toEqual(shown);
  const played = await ludus(here, ['eval', 'import-alpha', '--agents', 'random']);
  expect([played.code, played.err]).toEqual([2, expect.stringContaining('--agents: import-alpha is a stored run')]);
  const compared = await jsonOf('compare', 'alpha', 'beta');
  expect(compared.sides.a).toMatchObject({ over: 'tasks', ...estimate });
  expect(compared.tasks).toBe(20);

  const points = (value: number) => (100 * value).toFixed(1);
  const written = `${points(standing.value)}|${points(standing.interval[0])} to ${points(standing.interval[1])}`;
  const [value, interval] = written.split('|') as [string, string];
  const show = (await ludus(here, ['show', 'import-alpha'])).out;
  expect(show).toContain('200 episodes ended · 20 tasks');
  expect(show).toMatch(new RegExp(`alpha +${value} +${interval} +20 +200 +0`));
  expect(show.replace(/\s+/g, ' ')).toContain('95% intervals cover new tasks like these 20; episodes include repeats of a task');
  expect((await ludus(here, ['report', 'import-alpha', '--format', 'md'])).out).toContain(`| alpha | ${value} | ${interval} |`);
  expect((await ludus(here, ['compare', 'alpha', 'beta'])).out).toContain(`alpha: ${value} (95% ${interval}), 20 tasks, 200 episodes`);

  const store = await openStore(join(here, '.ludus', 'ludus.sqlite'));
  const { rows } = await readScoredRows(store, { run: 'import-alpha' });
  expect(standingsOf(rows).agents[0]).toMatchObject(estimate);
  const studio = await openStudio({ store, cwd: here });
  try {
    const page = (await studio.get('/api/runs/of/import-alpha/report')).body as unknown as ReportShown;
    expect(page.standings).toEqual(report.standings);
    expect(page.seats).toEqual(shown.seats);
    const sides = (await studio.get('/api/runs/compare?a=alpha&b=beta')).body as unknown as CompareShown;
    expect(sides.sides).toEqual(compared.sides);
    expect(((await studio.get('/api/home')).body as unknown as HomeShown).runs).toHaveLength(2);
  } finally {
    await studio.close();
    await store.close();
  }
});
