/** @file Whole plans from the command line: estimated, played, stopped, continued, and refused in a sentence when they are wrong. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResults } from '@ludus-agents/evaluation/internal/results';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';
import { describe, expect, it } from 'vitest';
import { examplePlan } from '../declarations/run.ts';
import { folder, interruptUnderWay, ludus } from '../terminal.cases.ts';

type Report = RunReport & RunResults;

const plan = { name: 'base', environments: ['kuhn-poker'], seeds: 40 };

function planned(value: unknown): string {
  const here = folder();
  writeFileSync(join(here, 'plan.json'), typeof value === 'string' ? value : JSON.stringify(value));
  return here;
}

function last(out: string): Report {
  return JSON.parse(out.trim().split('\n').at(-1) as string) as Report;
}

describe('run', () => {
  it('plays a plan once, and nothing when repeated', async () => {
    const here = planned(plan);
    const first = await ludus(here, ['run', 'plan.json', '--json']);
    expect(first.code).toBe(0);
    expect(last(first.out)).toMatchObject({ run: 'base', planned: 40, before: 0, played: 40, stopped: null });
    expect(first.out.trim().split('\n')).toHaveLength(1);
    expect(first.err).toContain('base · 40 episodes to play · kuhn-poker@1');
    expect(first.err).toContain('no models, no cost');
    const second = await ludus(here, ['run', 'plan.json', '--json']);
    expect(last(second.out)).toMatchObject({ before: 40, played: 0 });
    expect(second.err).toContain('0 episodes to play, 40 played before');
  });

  it('reports stored episodes with other seeds, and counts only those of the plan', async () => {
    const here = planned({ ...plan, seeds: 6 });
    await ludus(here, ['run', 'plan.json']);
    writeFileSync(join(here, 'plan.json'), JSON.stringify({ ...plan, seeds: { from: 4, count: 4 } }));
    const again = await ludus(here, ['run', 'plan.json']);
    expect(again.err).toContain('2 episodes to play, 2 played before');
    expect(again.err).toMatch(/2 episodes played .* 2 already stored/);
    expect(again.out).toContain('4 stored episodes with other seeds are included.');
  });

  it('summarizes the returns of all agents, as computed by hand', async () => {
    const here = planned({ ...plan, casts: [{ first: 'random', second: { name: 'Ada', kind: 'scripted:equilibrium' } }], swap: true });
    const { seats } = last((await ludus(here, ['run', 'plan.json', '--json'])).out);
    const rows = JSON.parse((await ludus(here, ['list', 'episodes', '--limit', '1000', '--json'])).out) as {
      cast: Record<string, string>;
      returns: Record<string, number>;
    }[];
    expect(rows).toHaveLength(80);
    for (const { agent, seat, tasks, episodes, value, interval } of seats) {
      const values = rows.filter((row) => row.cast[seat] === agent).map((row) => row.returns[seat]!);
      const expected = values.reduce((sum, value) => sum + value, 0) / values.length;
      const squares = values.reduce((sum, value) => sum + (value - expected) ** 2, 0);
      expect([tasks, episodes]).toEqual([1, 40]);
      expect(value).toBeCloseTo(expected, 12);
      // One task, so the interval is over seeds: Student's t with 39 degrees of freedom.
      expect(interval![1] - interval![0]).toBeCloseTo(2 * 2.0226909 * Math.sqrt(squares / 39 / 40), 6);
    }
    expect(seats.map(({ agent, seat }) => `${agent} ${seat}`)).toEqual(['Ada first', 'Ada second', 'random first', 'random second']);
    const outcome = await ludus(here, ['show', 'bas']);
    expect(outcome.out).toContain('80 episodes ended · 1 task');
    expect(outcome.out).toContain('Ada');
  });

  it('shows no mean if the environment has no rewards', async () => {
    const here = planned({ ...plan, environments: ['survey', 'questionnaire'], seeds: 2 });
    const { out } = await ludus(here, ['run', 'plan.json']);
    expect(out).toContain('Nothing was scored: 4 episodes without a reward, so there is no mean.');
    expect((await ludus(here, ['show', 'base'])).out).toContain('Nothing was scored: 4 episodes');
  });

  it('reads a plan from stdin, with all defaults', async () => {
    const { code, out } = await ludus(folder(), ['run', '-', '--json'], { typed: '{"environments":["tic-tac-toe"]}' });
    expect(code).toBe(0);
    expect(last(out)).toMatchObject({ planned: 1, played: 1 });
  });

  it('plays the plan in its help', async () => {
    const here = planned({ ...JSON.parse(examplePlan), seeds: 2 });
    const { code, out } = await ludus(here, ['run', 'plan.json', '--json']);
    expect(code).toBe(0);
    expect(last(out)).toMatchObject({ planned: 12, played: 12 });
    expect((await ludus(here, ['run', '--help'])).out).toContain(examplePlan);
  });

  it('prints a table, with progress only on a terminal', async () => {
    const here = planned({ ...plan, seeds: 300 });
    const piped = await ludus(here, ['run', 'plan.json']);
    expect(piped.out).toMatch(/agent +mean +95% +tasks +episodes +missing/);
    expect(piped.err).not.toContain('\r');
    const { err } = await ludus(planned({ ...plan, seeds: 300 }), ['run', 'plan.json'], { tty: true, columns: 60 });
    expect(err).toMatch(/\d+\/300 · \d+% · [\d,]+\/s/);
  });

  it('stops at --max-episodes and resumes', async () => {
    const here = planned(plan);
    const first = await ludus(here, ['run', 'plan.json', '--max-episodes', '10', '--concurrency', '1', '--json']);
    expect(last(first.out)).toMatchObject({ played: 10, stopped: 'episodes' });
    expect(first.code).toBe(0);
    expect(first.err).toContain('Stopped at the budget of episodes with 30 left. Run the same command to resume base');
    expect(last((await ludus(here, ['run', 'plan.json', '--json'])).out)).toMatchObject({ before: 10, played: 30, stopped: null });
  });

  it('exits with 1 if calls were used up before the plan was done', async () => {
    const here = planned({ ...plan, casts: [{ first: 'llm:fake', second: 'random' }] });
    const few = await ludus(here, ['run', 'plan.json', '--max-calls', '3', '--concurrency', '1', '--json']);
    expect(last(few.out)).toMatchObject({ stopped: 'calls' });
    expect(few.code).toBe(1);
  });

  it('stops gracefully on the first Ctrl-C, and explains how to resume', async () => {
    const here = planned({ ...plan, seeds: 50_000 });
    const { code, err, out } = await ludus(here, ['run', 'plan.json', '--json'], { during: interruptUnderWay(here) });
    expect(code).toBe(130);
    expect(err).toContain('Stopping. Press Ctrl-C again to quit immediately.');
    expect(err).toMatch(/Stopped with [\d,]+ left\. Run the same command to resume base\./);
    const report = last(out);
    expect(report.stopped).toBe('signal');
    expect(report.played).toBeGreaterThan(0);
    expect(JSON.parse((await ludus(here, ['list', 'runs', '--json'])).out)).toMatchObject([{ id: 'base', ended: report.played }]);
    const again = await ludus(here, ['run', 'plan.json', '--max-episodes', '1', '--json']);
    expect(again.err).toContain(`with ${formatGrouped(50_000 - report.played - 1)} left`);
  });

  it('quits immediately on the second Ctrl-C', async () => {
    const here = planned({ ...plan, seeds: 50_000 });
    const outcome = ludus(here, ['run', 'plan.json'], { during: interruptUnderWay(here, 2) });
    expect((await outcome).code).toBe(130);
  });
});

describe('an invalid plan', () => {
  it.each([
    ['{"environments":', 'The plan plan.json must be JSON, but is not'],
    ['[]', 'The plan plan.json must be an object, but got [].'],
    [{}, 'The plan plan.json: environments must be a list like ["kuhn-poker"], but is missing.'],
    [{ environments: [] }, 'environments must be a list like ["kuhn-poker"], but got'],
    [{ environments: 'kuhn-poker' }, 'environments must be a list like ["kuhn-poker"], but got'],
    [{ environments: [7] }, 'environments[0] must be an object'],
    [{ environments: [{ tasks: [{}] }] }, 'environments[0].environment must be the name of an environment, but is missing'],
    [{ environments: [{ environment: 'kuhn-poker', tasks: {} }] }, 'environments[0].tasks must be a list of tasks like [{}], but got {}'],
    [{ environments: [{ environment: 'kuhn-poker', task: {} }] }, 'unknown field "environments[0].task" (did you mean "tasks"?)'],
    [{ environments: ['kuhn-pokr'] }, 'Unknown environment "kuhn-pokr". Did you mean "kuhn-poker"?'],
    [{ environments: [{ environment: 'kuhn-poker', tasks: [{ rounds: -1 }] }] }, '"rounds" must be an integer'],
    [{ ...plan, seeds: -3 }, 'seeds must be a count like 100, a list like [1, 2, 3]'],
    [{ ...plan, seeds: 'many' }, 'seeds must be a count like 100, a list like [1, 2, 3]'],
    [{ ...plan, seeds: { from: 1 } }, 'seeds.count must be an integer of 1 or more, but is missing'],
    [{ ...plan, seed: 3 }, 'unknown field "seed" (did you mean "seeds"?)'],
    [{ ...plan, name: 'no spaces please' }, 'name must be up to 80 letters'],
    [{ ...plan, swap: 'yes' }, 'swap must be true or false'],
    [{ ...plan, casts: { first: 'random' } }, 'casts must be a list like'],
    [{ ...plan, casts: [{ third: 'random' }] }, 'names the seat "third"'],
    [{ ...plan, casts: [{ first: 'random' }] }, 'has no agent for the seat "second"'],
    [{ ...plan, casts: [{ '*': { kind: 'random' } }] }, 'casts[0].*.name must be a non-empty string'],
    [{ ...plan, casts: [{ '*': 'radnom' }] }, 'Unknown agent "radnom"'],
    [{ ...plan, casts: [{ '*': 'human' }] }, 'A plan cannot be played by people, but it'],
    [{ ...plan, limits: { turns: 0 } }, 'limits.turns must be a positive integer'],
    [{ ...plan, budget: { money: -1 } }, 'budget.money must be a number above 0'],
    [{ ...plan, budget: { dollars: 1 } }, 'unknown field "budget.dollars"; budget has calls, tokens, money'],
  ])('is rejected with one sentence: %j', async (value, sentence) => {
    const { code, out, err } = await ludus(planned(value), ['run', 'plan.json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [['run', 'nowhere.json'], 'The plan nowhere.json cannot be read: no such file or folder.'],
    [['run', '.'], 'The plan . cannot be read: it is a folder.'],
    [['run', 'plan.json', '--concurrency', '0'], '--concurrency: expected an integer from 1 to 100000'],
    [['run', 'plan.json', '--max-cost', 'much'], '--max-cost: expected a positive number'],
    [['run'], "Missing required argument 'plan'"],
  ])('is reported as a file error: %j', async (words, sentence) => {
    const { code, err } = await ludus(planned(plan), words);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });
});

it('seats the members of a team in the environment for that team', async () => {
  const here = planned({
    ...{ name: 'crew', environments: ['crew:./team.json@kuhn-poker'], seeds: 2 },
    casts: [{ Ann: 'member:./team.json#Ann', Ben: 'random', second: 'random' }],
  });
  const members = [
    { name: 'Ann', kind: 'random' },
    { name: 'Ben', kind: 'random' },
  ];
  writeFileSync(join(here, 'team.json'), JSON.stringify({ name: 'team', kind: 'team', settings: { protocol: 'in-order', members } }));
  const { code, out, err } = await ludus(here, ['run', 'plan.json', '--json']);
  expect([code, err.match(/✗.*/)?.[0]]).toEqual([0, undefined]);
  expect(last(out)).toMatchObject({ played: 2, stopped: null });
});
