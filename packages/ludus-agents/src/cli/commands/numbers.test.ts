/** @file Numbers that agree with each other, and commands that say when they achieved nothing. */

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluateReport } from '@ludus-agents/evaluation/internal/evaluate';
import type { Report } from '@ludus-agents/evaluation/internal/scoring/report/index';
import type { Comparison } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import type { SpecComparison } from '@ludus-agents/learning/internal/improving/compare-specs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, type ScriptedServer, scriptedServer, whole } from '../../../../../test/fixtures/scripted-server.ts';
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

  it('report the same difference over all 72 pairs of episodes', async () => {
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

  it('state the scope of their intervals, and reject a scope that the tasks do not support', async () => {
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
  it('are compared by the agents under test, not by null agents', async () => {
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

  it('do not differ from themselves, and are not averaged over several agents', async () => {
    const here = folder();
    const scene = { environment: 'kuhn-poker', seats: ['first', 'second'], others: { '*': 'random' }, score: 'return', scale: [-2, 2] };
    writeFileSync(join(here, 'poker.json'), JSON.stringify({ name: 'poker', about: 'x', nulls: ['random'], seeds: 4, scenes: [scene] }));
    for (const [name, at] of [
      ['first', 0],
      ['last', -1],
    ] as const)
      writeFileSync(
        join(here, `${name}.mjs`),
        `export default { name: '${name}', act: (view) => ({ action: { text: view.ask.choices.at(${at}) } }) };`,
      );
    await ludus(here, ['eval', './poker.json', '--agents', './first.mjs,./last.mjs', '--run', 'both']);
    await ludus(here, ['eval', './poker.json', '--agents', './last.mjs', '--run', 'sole']);
    const same = await ludus(here, ['compare', 'sole', 'sole', '--no-worse', '--json']);
    expect(JSON.parse(same.out)).toMatchObject({ difference: 0, tasks: 1 });
    for (const words of [
      ['compare', 'both', 'sole'],
      ['compare', 'sole', 'both', '--no-worse'],
    ]) {
      const { code, err } = await ludus(here, [...words, '--json']);
      expect([code, err]).toEqual([exits.input, expect.stringMatching(/first.*last/)]);
    }
    const named = await ludus(here, ['compare', 'both', 'sole', '--no-worse', '--agent', 'last', '--json']);
    expect(JSON.parse(named.out)).toMatchObject({ difference: 0, tasks: 1 });
  });
});

describe('agents of a suite', () => {
  const here = folder();
  const program = (file: string, answer: string) =>
    writeFileSync(join(here, file), `export default { name: 'a', act: async () => ({ action: { text: '${answer}' } }) };`);

  it('are compared on the case file that was evaluated last, including reverted edits', async () => {
    program('a.mjs', '3');
    const evaluate = async (cases: readonly string[]) => {
      writeFileSync(join(here, 'sums.csv'), `input,expected\n${cases.join('\n')}\n`);
      await ludus(here, ['eval', 'sums.csv', '--agents', './a.mjs', '--seeds', '1']);
      const { out } = await ludus(here, ['compare', 'a', 'scripted:echo', '--json']);
      return (JSON.parse(out) as Comparison).sides.a.value;
    };
    const [sums, edited] = [
      ['1+2?,3', '2+2?,4'],
      ['1+2?,3', '2+1?,3'],
    ];
    expect([await evaluate(sums), await evaluate(edited), await evaluate(sums)]).toEqual([0.5, 1, 0.5]);
    expect(await evaluate(edited)).toBe(1);
    expect(await evaluate([...edited, '5?,5'])).toBeCloseTo(2 / 3);
  });

  it('use different random numbers for every case, even with the same seed', async () => {
    const rows = Array.from({ length: 24 }, (_, i) => `Is ${i} odd?,yes`);
    writeFileSync(join(here, 'coins.csv'), `input,expected\n${rows.join('\n')}\n`);
    const coin = "export default { name: 'coin', act: async ({ rng }) => ({ action: { text: rng.pick(['yes', 'no']) } }) };";
    writeFileSync(join(here, 'coin.mjs'), coin);
    const { out } = await ludus(here, ['eval', 'coins.csv', '--agents', './coin.mjs', '--seeds', '1', '--json']);
    const value = (JSON.parse(out) as EvaluateReport).agents.find(({ agent }) => agent === 'coin')?.value as number;
    expect([value > 0.2, value < 0.8]).toEqual([true, true]);
  });

  it('with the same name are distinguished or not compared', async () => {
    program('a.mjs', '3');
    program('b.mjs', '4');
    const words = ['compare', './a.mjs', './b.mjs', '--json'];
    expect(await ludus(here, words)).toMatchObject({
      code: exits.input,
      err: expect.stringContaining('./b.mjs has no stored episodes. The name "a" belongs to ./a.mjs'),
    });
    await ludus(here, ['eval', 'sums.csv', '--agents', './a.mjs,./b.mjs', '--seeds', '1']);
    expect(JSON.parse((await ludus(here, words)).out)).toMatchObject({ a: 'a', b: 'a (./b.mjs)', sides: { b: { value: 0 } } });
  });
});

describe('returns that are all 1', () => {
  it('are not rates: if the other agent loses 1, neither has an interval', async () => {
    const here = folder();
    const plan = {
      name: 'p',
      environments: [{ environment: 'kuhn-poker', tasks: [{}] }],
      seeds: { from: 0, count: 6 },
      casts: [{ first: './bet.mjs', second: './fold.mjs' }],
    };
    writeFileSync(join(here, 'plan.json'), JSON.stringify(plan));
    const agent = (name: string, moves: string) =>
      writeFileSync(
        join(here, `${name}.mjs`),
        `export default { name: '${name}', act: async ({ ask }) => ({ action: { text: ask.choices.find((move) => /${moves}/.test(move)) } }) };`,
      );
    agent('bet', 'bet|call');
    agent('fold', 'fold|check');
    expect((await ludus(here, ['run', 'plan.json'])).code).toBe(exits.fine);
    const { out } = await ludus(here, ['compare', 'bet', 'fold', '--json']);
    expect((JSON.parse(out) as Comparison).sides).toMatchObject({ a: { value: 1, interval: null }, b: { value: -1, interval: null } });
  });
});

describe('a run stopped by its budget', () => {
  it('counts only earlier episodes of its own plan', async () => {
    const here = folder();
    writeFileSync(join(here, 'a.mjs'), "export default { name: 'a', act: async () => ({ action: { text: '3' } }) };");
    writeFileSync(join(here, 'sums.csv'), 'input,expected\n1+2?,3\n2+2?,4\n3+0?,3\n');
    await ludus(here, ['eval', 'sums.csv', '--agents', './a.mjs', '--seeds', '1']);
    const { out } = await ludus(here, ['eval', 'sums.csv', '--agents', 'llm:fake', '--seeds', '1', '--max-calls', '1', '--yes', '--json']);
    expect(JSON.parse(out) as EvaluateReport).toMatchObject({ planned: 6, before: 3, played: 1 });
  });
});

describe('a command without results', () => {
  it('reports an agent whose every episode failed, with the cause', async () => {
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

  it('reports a judge that gave no answer', async () => {
    const here = folder();
    await ludus(here, ['eval', 'games-core', '--agents', 'random', '--seeds', '1']);
    const { code, err } = await ludus(here, ['score', 'games-core', '--rubric', 'character-box', '--judge', 'fake:honest', '--again']);
    expect([code, err]).toEqual([exits.found, expect.stringContaining('gave 0 answers on character-box: ')]);
  });
});

describe('check', () => {
  it('recognizes a fault from another copy of Ludus', async () => {
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

describe('four cases, played several times each', () => {
  const here = folder();
  let server: ScriptedServer;
  const capitals = { France: 'Paris', Spain: 'Madrid', Italy: 'Rome', Peru: 'Lima' } as const;
  beforeAll(async () => {
    server = await scriptedServer((response, observation, socket) => {
      if (!observation.url.endsWith('/chat/completions')) return json(404, {})(response, observation, socket);
      const prompt = (observation.body['messages'] as { content: string }[]).map(({ content }) => content).join('\n');
      const country = Object.keys(capitals).find((name) => prompt.includes(`capital of ${name}`)) as keyof typeof capitals;
      return whole(country === 'France' || prompt.includes('one word') ? capitals[country] : 'Who knows?')(response, observation, socket);
    });
    const rows = Object.entries(capitals).map(([country, city]) => `What is the capital of ${country}?,${city}`);
    writeFileSync(join(here, 'cases.csv'), `question,answer\n${rows.join('\n')}\n`);
    writeFileSync(join(here, 'lines.txt'), 'Answer in one word.\n');
    writeAgent('You answer.');
  });
  afterAll(() => server.close());
  const writeAgent = (instruction: string) =>
    writeFileSync(
      join(here, 'agent.json'),
      JSON.stringify({ name: 'clerk', kind: `llm:${server.url}#m-2024-08-06`, texts: { instruction } }),
    );
  const compareOn = (...more: string[]) => ludus(here, ['compare', './agent.json', './w.agent.json', '--on', 'cases.csv', ...more]);

  it('are four tasks to the gate, in the report, and in a comparison', async () => {
    const words = ['improve', './agent.json', '--on', 'cases.csv', '--proposer', 'lines.txt', '--budget', '60', '--yes', '--name', 'w'];
    const { out } = await ludus(here, words);
    // The gains of the four tasks are 0, 1, 1 and 1, so the standard error is 0.5 / √4 whatever the number of episodes.
    expect(out).toContain('accepted: +0.750 ± 0.250 over 4 tasks, 12 episodes');
    expect(out).toMatch(
      /On 4 tasks \(48 episodes\), which the proposer has seen under other seeds,\s+the\s+best\s+scores\s+1\.000\s+\(0\.398/,
    );
    expect(out).toMatch(/4\s+tasks\s+cannot\s+support\s+a\s+claim/);
    const compared = JSON.parse((await compareOn('--json')).out) as SpecComparison;
    expect(compared).toMatchObject({ after: { tasks: 4, episodes: 48, over: 'tasks' }, verdict: 'too few', notice: null });
    const suite = ['eval', 'cases.csv', '--agents', './w.agent.json', '--seeds', '12', '--over', 'tasks', '--json'];
    const table = JSON.parse((await ludus(here, suite)).out) as EvaluateReport;
    const [row] = table.agents;
    expect([compared.after.mean, [compared.after.low, compared.after.high]]).toEqual([row?.value, row?.interval]);
  });

  it('are reported as a subset of the unseen tasks if the report is shortened', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, i) => `${i}: What is the capital of ${i % 2 === 0 ? 'Spain' : 'Peru'}?,${i % 2 === 0 ? 'Madrid' : 'Lima'}`,
    );
    writeFileSync(join(here, 'twelve.csv'), `question,answer\n${rows.join('\n')}\n`);
    const words = ['improve', './agent.json', '--on', 'twelve.csv', '--proposer', 'lines.txt', '--budget', '20', '--yes'];
    const short = await ludus(here, [...words, '--tasks', '4,4,4', '--name', 'short']);
    expect(short.err + short.out).toContain('The report plays 4 of them.');
    expect(short.out).toContain('unseen tasks');
    expect(short.out).toContain('On 4 tasks that the proposer did not see,');
    const full = await ludus(here, [...words, '--name', 'whole']);
    expect(full.err + full.out).toContain('The report plays all of them.');
    expect(full.out).toContain('On the 8 tasks that the proposer did not see (32 episodes),');
    const runs = JSON.parse((await ludus(here, ['list', 'runs', '--json'])).out) as { id: string; planned: number; ended: number }[];
    expect(runs.map(({ id }) => id)).toEqual(expect.arrayContaining(['short', 'whole']));
    for (const { planned, ended } of runs.filter(({ id }) => id === 'short' || id === 'whole')) expect(planned).toBe(ended);
    expect((await ludus(here, ['show', 'short'])).out).toMatch(/^short · \d+ episodes ended/);
  });

  it('with an agent and its copy are compared with a warning', async () => {
    writeFileSync(join(here, 'copy.json'), readFileSync(join(here, 'agent.json')));
    const { out } = await ludus(here, ['compare', './agent.json', './copy.json', '--on', 'cases.csv', '--plays', '4', '--json']);
    expect((JSON.parse(out) as SpecComparison).words[0]).toMatch(/^Both are the same agent/);
  });

  it('mark results as outdated after an edit of the prompt', async () => {
    const suite = ['eval', 'cases.csv', '--agents', './agent.json,./w.agent.json', '--seeds', '1', '--json'];
    const { run } = JSON.parse((await ludus(here, suite)).out) as EvaluateReport;
    const seen = async () => {
      const commands = [
        ['show', run],
        ['report', run, '--format', 'md'],
        ['score', run],
        ['compare', 'clerk', 'scripted:echo'],
      ];
      const results: boolean[] = [];
      for (const command of commands)
        results.push(/\.\/agent\.json changed after/.test((await ludus(here, command)).out.replace(/\s+/g, ' ')));
      return results;
    };
    expect(await seen()).toEqual([false, false, false, false]);
    writeAgent('You answer, sir.');
    expect(await seen()).toEqual([true, true, true, true]);
    expect((await compareOn()).out.replace(/\s+/g, ' ')).toMatch(
      /^\.\/agent\.json changed since run compare-clerk\S+: what depends on it is played again\./,
    );
    writeAgent('You answer.');
    expect(await seen()).toEqual([false, false, false, false]);
  });

  it('are played again by compare --on for a model without a revision, unless reused', async () => {
    const spec = { name: 'free', kind: `llm:${server.url}#m`, texts: { instruction: 'Answer.' } };
    writeFileSync(join(here, 'free.json'), JSON.stringify(spec));
    const calls = async (...more: string[]) => {
      const asked = () => server.seen.filter(({ url }) => url.endsWith('/chat/completions')).length;
      const before = asked();
      const { out } = await ludus(here, ['compare', './free.json', './agent.json', '--on', 'cases.csv', '--plays', '4', ...more]);
      return { asked: asked() - before, again: out.includes('--reuse keeps') };
    };
    expect(await calls()).toEqual({ asked: 8, again: false });
    expect(await calls('--reuse')).toEqual({ asked: 0, again: false });
    expect(await calls()).toEqual({ asked: 8, again: true });
  });
});
