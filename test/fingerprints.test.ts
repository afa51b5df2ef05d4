/**
 * @file Stored results belong to what produced them: where one byte of it changes, the affected episodes are played again and the result is
 * another; if nothing changes, nothing is played and no judge is asked.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadEnvironment } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import { Fingerprints } from '@ludus-agents/evaluation/internal/fingerprint';
import { checkVersions } from '@ludus-agents/evaluation/internal/plan-versions';
import { cells, episodeId, loadPlanTasks, readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folder, ludus, type Outcome } from '../packages/ludus-agents/src/cli/terminal.cases.ts';
import { until } from './fixtures/until.ts';

/** Two seats say heads or tails at once; heads pays what pay.mjs says. */
const coin = `import { pay } from './pay.mjs';
const seats = ['first', 'second'];
export const coin = {
  id: 'coin@1',
  about: { summary: 'Say heads.', tasks: [{}], turns: 4, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => seats,
  start: () => ({ state: {}, messages: [{ to: seats, text: 'Say [heads] or [tails].' }], asks: seats.map((seat) => ({ seat, choices: ['[heads]', '[tails]'] })) }),
  step: (_, actions) => ({
    state: {}, messages: [], asks: [],
    rewards: Object.fromEntries(seats.map((seat) => [seat, actions[seat].text.includes('heads') ? pay : 0])),
  }),
};
`;

/** The same where seats talk: a bot makes no moves, and hears the other seats alone. */
const talk = coin
  .replace(", choices: ['[heads]', '[tails]']", '')
  .replace('complete: true', 'complete: false')
  .replace(/messages: \[\{ to.*?\}\]/, "messages: seats.map((seat, i) => ({ to: [seat], from: seats[1 - i], text: 'Heads or tails?' }))");

/** Takes the first choice that it is shown, and the last where anything in its prompt is unlucky. */
const model = `export default { id: 'mine', async complete(prompt) {
  const all = prompt.messages.map(({ content }) => content).join('\\n');
  const moves = prompt.messages.at(-1).content.match(/\\[(?:heads|tails|yes|no|\\d)\\]/g) ?? ['[1]', '[2]'];
  const text = /unlucky/i.test(all) ? moves.at(-1) : moves[0];
  return { model: 'mine', text, finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0 };
} };
`;

const scorer = `export const lucky = { name: 'lucky', tier: 'rule', async score({ episodes }) {
  return episodes.flatMap(({ id, events }) => events[0].seats.map((seat) => ({
    name: 'lucky', seat, value: 1, status: 'ok', scale: [0, 2], evidence: [],
    cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 },
  })));
} };
`;

const program = `import { choose } from './help.mjs';
const at = 0;
export default { name: 'mine', async act({ ask }) { return { action: { text: choose(ask.choices ?? ['[heads]', '[tails]'], at) } }; } };
`;

const clerk = { name: 'clerk', kind: 'llm', model: './model.mjs', texts: { instruction: 'You are lucky.' } };

const suiteOf = (environment: string, score = 'return') => ({
  ...{ name: 'small', seeds: 2, nulls: ['random'] },
  scenes: [{ name: 'one', environment, seats: ['first'], others: { second: 'random' }, score, scale: [-2, 2], pass: 1 }],
});

/** A folder with everything in it; each thing has one of its own. */
function prepared(environment: string, word: string, more: Readonly<Record<string, string>> = {}): string {
  const here = folder();
  const files = {
    ...{ 'coin.mjs': coin, 'pay.mjs': 'export const pay = 1;\n', 'model.mjs': model, 'a.mjs': program, 'scorer.mjs': scorer },
    'help.mjs': 'export const choose = (list, at) => list[at + 0];\n',
    'clerk.json': JSON.stringify(clerk),
    'ann.json': JSON.stringify({ ...clerk, name: 'ann', persona: { name: 'Ann Lucky' } }),
    'suite.json': JSON.stringify(suiteOf(environment)),
    'plan.json': JSON.stringify({ name: 'plan', environments: [environment], seeds: 2, casts: [{ first: word, second: 'random' }] }),
    'q.json': JSON.stringify({ name: 'q', items: [{ id: 'move', text: 'Will you move?', options: ['yes', 'no'] }] }),
    ...more,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(here, name), text);
  return here;
}

interface Seen {
  /** Null where a command plays nothing itself. */
  readonly played: number | null;
  readonly result: unknown;
  readonly changes: readonly VersionChange[];
}

async function runJson<T>(here: string, ...args: string[]): Promise<T> {
  const { code, out, err } = await ludus(here, [...args, '--json']);
  expect({ words: args, code, err: code === 0 ? '' : err + out }).toEqual({ words: args, code: 0, err: '' });
  return JSON.parse(out) as T;
}

interface Printed {
  readonly played: number;
  readonly changes: readonly VersionChange[];
  readonly agents: readonly { readonly agent: string; readonly isNull: boolean; readonly value: number }[];
  readonly pairs: unknown;
  readonly seats: readonly { readonly seat: string; readonly agent: string; readonly value: number }[];
}

type Command = 'eval' | 'compare' | 'arena' | 'run' | 'survey';

interface Place {
  readonly here: string;
  readonly word: string;
  readonly name: string;
  readonly environment: string;
  readonly more: readonly string[];
}

const commands: Readonly<Record<Command, (place: Place) => Promise<Seen>>> = {
  async eval({ here, word, name, more }) {
    const { played, changes, agents } = await runJson<Printed>(
      here,
      'eval',
      './suite.json',
      '--agents',
      word,
      '--run',
      'kept',
      '--yes',
      ...more,
    );
    return { played, changes, result: agents.find(({ agent }) => agent === name)?.value };
  },
  /** Of what the evaluation before it stored. */
  async compare({ here, name }) {
    const compared = await runJson<{ readonly sides: { readonly a: unknown } }>(here, 'compare', name, 'random', '--run', 'kept');
    return { played: null, changes: [], result: compared.sides.a };
  },
  async arena({ here, word, environment, more }) {
    const games = ['--games', '8', '--yes', ...more];
    const { played, changes, pairs } = await runJson<Printed>(here, 'arena', environment, '--agents', `${word},random`, ...games);
    return { played, changes, result: pairs };
  },
  async run({ here, more }) {
    const { played, changes, seats } = await runJson<Printed>(here, 'run', './plan.json', '--yes', ...more);
    return { played, changes, result: seats.filter(({ seat }) => seat === 'first') };
  },
  async survey({ here, word, more }) {
    const args = ['--population', 'customers', '-n', '2', '--agent', word, '--yes', ...more];
    const { played, tables } = await runJson<{ readonly played: number; readonly tables: unknown }>(here, 'survey', './q.json', ...args);
    return { played, changes: [], result: tables };
  },
};

interface Thing {
  readonly thing: string;
  readonly word?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** One byte, or what stands for it. */
  readonly change: (here: string) => void | Promise<void>;
  readonly by: readonly Command[];
  /** What the change is called; null where nothing is played again for it. */
  readonly reported: Partial<VersionChange> | null;
}

function edit(file: string, from: string, to: string): (here: string) => void {
  return (here) => {
    const before = readFileSync(join(here, file), 'utf8');
    expect(before).toContain(from);
    writeFileSync(join(here, file), before.replace(from, to));
  };
}

const all: readonly Command[] = ['eval', 'compare', 'arena', 'run', 'survey'];
const trained = async (here: string, games: string) =>
  expect((await ludus(here, ['train', 'kuhn-tabular', '--name', 'q', '--games', games, '--force'])).code).toBe(0);

/**
 * Cells that are not here: a survey is asked in an environment that is built in, by a persona of its population, and cannot be answered by
 * what learned poker; arena, run and survey have neither suite nor scorer.
 */
const cases: readonly Thing[] = [
  { thing: 'program', change: edit('a.mjs', 'at = 0', 'at = 1'), by: all, reported: { what: 'agent', name: './a.mjs' } },
  { thing: 'imported module', change: edit('help.mjs', '+ 0', '+ 1'), by: all, reported: { what: 'agent', name: './a.mjs' } },
  {
    ...{ thing: 'prompt', word: './clerk.json', name: 'clerk', by: all, reported: { what: 'agent', name: 'clerk (./model.mjs)' } },
    change: edit('clerk.json', 'are lucky', 'are unlucky'),
  },
  {
    ...{ thing: 'persona', word: './ann.json', name: 'ann', by: ['eval', 'compare', 'arena', 'run'] },
    ...{ change: edit('ann.json', 'Ann Lucky', 'Ann Unlucky'), reported: { what: 'agent', name: 'ann (./model.mjs)' } },
  },
  {
    ...{ thing: 'model', word: './clerk.json', name: 'clerk', by: all, reported: { what: 'agent', name: 'clerk (./model.mjs)' } },
    change: edit('model.mjs', ': moves[0]', ': moves[1]'),
  },
  {
    ...{ thing: 'environment', by: ['eval', 'compare', 'arena', 'run'], reported: { what: 'environment', name: 'coin@1 (./coin.mjs)' } },
    change: edit('pay.mjs', 'pay = 1', 'pay = 2'),
  },
  {
    ...{
      thing: 'checkpoint',
      word: 'local/q@best',
      name: 'local/q@best',
      environment: 'kuhn-poker',
      by: ['eval', 'compare', 'arena', 'run'],
    },
    ...{ change: (here: string) => trained(here, '6000'), reported: { what: 'agent', name: 'local/q@best' } },
  },
  { thing: 'suite', change: edit('suite.json', '"scale":[-2,2]', '"scale":[-2,4]'), by: ['eval', 'compare'], reported: null },
  {
    ...{ thing: 'scorer', by: ['eval', 'compare'], reported: null, change: edit('scorer.mjs', 'value: 1', 'value: 0') },
    files: { 'suite.json': JSON.stringify(suiteOf('./coin.mjs', './scorer.mjs')) },
  },
];

describe('a changed', () => {
  it.each(cases)('$thing changes the result, and unchanged episodes are reused', async ({ change, by, reported, ...fields }) => {
    const { word = './a.mjs', name = 'mine', environment = './coin.mjs' } = fields;
    const seeds = environment === 'kuhn-poker' ? { 'plan.json': plan(environment, word, 12), 'suite.json': suite(environment, 12) } : {};
    const here = prepared(environment, word, { ...seeds, ...fields.files });
    if (fields.thing === 'checkpoint') await trained(here, '100');
    const place = { here, word, name, environment, more: [] };
    const first = new Map<Command, Seen>();
    for (const command of by) first.set(command, await commands[command](place));
    for (const command of by) {
      const { played, result, changes } = await commands[command](place);
      expect({ command, played: played ?? 0, result, changes }).toEqual({
        command,
        played: 0,
        result: first.get(command)?.result,
        changes: [],
      });
    }
    await change(here);
    for (const command of by) {
      const { played, result, changes } = await commands[command](place);
      const before = first.get(command)!;
      expect({ command, result }).not.toEqual({ command, result: before.result });
      if (reported === null || command === 'survey' || played === null) {
        expect({ command, played: played ?? 0 }).toEqual({ command, played: command === 'survey' ? 2 : 0 });
        continue;
      }
      const { what, name: called = '' } = reported;
      expect(changes).toEqual([expect.objectContaining({ reason: 'changed', what, name: expect.stringContaining(called) })]);
      // In an evaluation the agent that does not try is not played again, unless the rules are others.
      if (command === 'eval') expect(played).toBe(reported.what === 'environment' ? before.played : before.played! / 2);
      if (command === 'run') expect(played).toBe(before.played);
    }
  });

  it('plan ignores removed seats and reuses their episodes when they are added back', async () => {
    const here = prepared('./coin.mjs', './clerk.json');
    const cast = (second: string) => ({
      ...{ name: 'edited', environments: ['kuhn-poker'], seeds: { from: 1, count: 3 } },
      casts: [{ first: 'scripted:equilibrium', second }],
    });
    const run = async (second: string) => {
      writeFileSync(join(here, 'edited.json'), JSON.stringify(cast(second)));
      const { played, standings, changes } = await runJson<{
        readonly played: number;
        readonly standings: { readonly agents: readonly { readonly agent: string; readonly episodes: number }[] };
        readonly changes: readonly { readonly reason: string; readonly episodes: number }[];
      }>(here, 'run', './edited.json');
      const agents = Object.fromEntries(standings.agents.map(({ agent, episodes }) => [agent, episodes]));
      return { played, agents, changes: changes.map(({ reason, episodes }) => `${reason} ${episodes}`) };
    };
    const bold = { 'scripted:equilibrium': 3, 'scripted:bold': 3 };
    expect(await run('random')).toEqual({ played: 3, agents: { 'scripted:equilibrium': 3, random: 3 }, changes: [] });
    expect(await run('scripted:bold')).toEqual({ played: 3, agents: bold, changes: ['dropped 3'] });
    expect(await run('scripted:bold')).toEqual({ played: 0, agents: bold, changes: [] });
    expect(await run('random')).toEqual({ played: 0, agents: { 'scripted:equilibrium': 3, random: 3 }, changes: ['dropped 3'] });
  });

  it('agent file gets its own row under the same name, and changing it back restores the old row', async () => {
    const here = prepared('./coin.mjs', './clerk.json');
    const place = { here, word: './clerk.json', name: 'clerk', environment: './coin.mjs', more: [] };
    const lucky = await commands.eval(place);
    edit('clerk.json', 'are lucky', 'are unlucky')(here);
    const unlucky = await commands.eval(place);
    expect([lucky.result, unlucky.result]).toEqual([0.75, 0.5]);
    // Neither the report nor the tables mix the two.
    const report = await ludus(here, ['report', 'kept', '--suite', './suite.json', '--format', 'md']);
    expect(report.out).toMatch(/clerk.*50\.0/);
    expect(report.out).toContain('2 stored episodes of other versions are left out.');
    expect((await ludus(here, ['show', 'kept'])).out).toContain('2 stored episodes of other versions are left out.');
    edit('clerk.json', 'are unlucky', 'are lucky')(here);
    expect(await commands.eval(place)).toEqual({ played: 0, changes: [], result: 0.75 });
    // Two files with one name play side by side.
    writeFileSync(join(here, 'other.json'), JSON.stringify({ ...clerk, texts: { instruction: 'You are unlucky.' } }));
    const both = await runJson<Printed>(here, 'eval', './suite.json', '--agents', './clerk.json,./other.json', '--run', 'kept', '--yes');
    expect(both.agents.filter(({ isNull }) => !isNull).map(({ agent, value }) => [agent, value])).toEqual([
      ['clerk', 0.75],
      ['clerk (./other.json)', 0.5],
    ]);
  });

  it('scorer gives the original score again when changed back', async () => {
    const here = prepared('./coin.mjs', './a.mjs', { 'suite.json': JSON.stringify(suiteOf('./coin.mjs', './scorer.mjs')) });
    const place = { here, word: './a.mjs', name: 'mine', environment: './coin.mjs', more: [] };
    const results: unknown[] = [(await commands.eval(place)).result];
    for (const [from, to] of [
      ['value: 1', 'value: 0'],
      ['value: 0', 'value: 1'],
    ] as const) {
      edit('scorer.mjs', from, to)(here);
      results.push((await commands.eval(place)).result);
    }
    expect(results).toEqual([0.75, 0.5, 0.75]);
  });

  it('row of a case table is the only one played again, and its old version is ignored everywhere', async () => {
    const answers = `export default { name: 'mine', act: () => ({ action: { text: '4' } }) };\n`;
    const here = prepared('./coin.mjs', './a.mjs', {
      'c.csv': 'id,input,expected\nsum,2+2?,4\ntwo,1+3?,4\nbad,1+1?,2\n',
      'a.mjs': answers,
    });
    const evaluated = () => ludus(here, ['eval', './c.csv', '--agents', './a.mjs', '--run', 'kept', '--yes']);
    await evaluated();
    edit('c.csv', '1+1?,2', '1+1?,4')(here);
    const { err } = await evaluated();
    expect(err).toContain('2 episodes with other agents, environments, or tasks are left out');
    expect(err).toContain('2 episodes played, 4 already stored');
    const { out } = await ludus(here, ['show', 'kept']);
    expect(out).toContain('6 episodes ended · 3 tasks');
    expect(out).toMatch(/mine +100\.0/);
    const compared = await runJson<{ readonly sides: { readonly a: { readonly value: number } } }>(
      here,
      'compare',
      'mine',
      'scripted:echo',
    );
    expect(compared.sides.a.value).toBe(1);
  });

  it.each([
    ['a program’s import', edit('help.mjs', 'at + 0', 'at + 1')],
    ['an environment’s import', edit('pay.mjs', 'pay = 1', 'pay = 2')],
  ])('file is played again by compare --on: %s', async (_, change) => {
    const here = prepared('./coin.mjs', './a.mjs');
    const compared = () =>
      runJson<{ readonly before: { readonly mean: number } }>(here, 'compare', './a.mjs', 'random', '--on', './suite.json', '--plays', '2');
    const { before } = await compared();
    expect((await compared()).before).toEqual(before);
    change(here);
    expect((await compared()).before.mean).not.toBe(before.mean);
  });

  it.each(['eval', 'run', 'arena'] as const)(
    'file is reported if it changes while %s runs, and its episodes are not reused',
    async (command) => {
      const once = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const data = new URL('./data.txt', import.meta.url);
export default { name: 'mine', async act() {
  const text = readFileSync(data, 'utf8');
  if (!existsSync(new URL('./done', import.meta.url))) { writeFileSync(data, '[tails]'); writeFileSync(new URL('./done', import.meta.url), ''); }
  return { action: { text } };
} };
`;
      const here = prepared('./coin.mjs', './a.mjs', { 'a.mjs': once, 'data.txt': '[heads]' });
      const place = { here, word: './a.mjs', name: 'mine', environment: './coin.mjs', more: [] };
      const mixed = await commands[command](place);
      expect(mixed.changes).toEqual([expect.objectContaining({ what: 'agent', reason: 'mixed' })]);
      // Of neither version was anything played as a whole, and whoever reads the run is told.
      const run = command === 'eval' ? 'kept' : command === 'run' ? 'plan' : null;
      writeFileSync(join(here, 'data.txt'), '[heads]');
      if (run !== null) expect((await ludus(here, ['show', run])).out).toContain(`changed while ${run} was played`);
      for (const text of ['[tails]', '[heads]']) {
        writeFileSync(join(here, 'data.txt'), text);
        const whole = await commands[command](place);
        expect(whole.played).toBeGreaterThan(0);
        expect(whole.changes).not.toContainEqual(expect.objectContaining({ reason: 'mixed' }));
        expect(await commands[command](place)).toMatchObject({ played: 0, result: whole.result });
      }
    },
  );

  it('file of cases excludes its earlier versions from comparisons', async () => {
    const here = prepared('./coin.mjs', './a.mjs', {
      'c.csv': 'input,expected\n1+1?,2\n2+2?,4\n',
      'a.mjs': "export default { name: 'mine', async act() { return { action: { text: '2' } }; } };\n",
    });
    const evaluated = () => ludus(here, ['eval', './c.csv', '--agents', './a.mjs', '--yes']);
    const compared = () =>
      runJson<{ readonly sides: { readonly a: { readonly value: number; readonly tasks: number } }; readonly earlier: number }>(
        ...([here, 'compare', 'mine', 'scripted:echo'] as const),
      );
    await evaluated();
    expect((await compared()).sides.a).toMatchObject({ value: 0.5, tasks: 2 });
    edit('c.csv', '2+2?,4', '2+2?,2')(here);
    await evaluated();
    expect(await compared()).toMatchObject({ sides: { a: { value: 1, tasks: 2 } }, earlier: 4 });
    // The file is again what it was: its figures are those that were stored of it, and need no new evaluation.
    edit('c.csv', '2+2?,2', '2+2?,4')(here);
    expect((await compared()).sides.a).toMatchObject({ value: 0.5, tasks: 2 });
    edit('a.mjs', "'2'", "'4'")(here);
    await evaluated();
    edit('a.mjs', "'4'", "'2'")(here);
    edit('c.csv', '2+2?,4', '2+2?,2')(here);
    expect((await compared()).sides.a).toMatchObject({ value: 1, tasks: 2 });
  });

  it('suite, questionnaire, or scorer reports how many episodes are played or scored again', async () => {
    const here = prepared('./coin.mjs', './a.mjs', { 'suite.json': JSON.stringify(suiteOf('./coin.mjs', './scorer.mjs')) });
    const evaluated = () => ludus(here, ['eval', './suite.json', '--agents', './a.mjs', '--yes']);
    const surveyed = (...more: string[]) =>
      ludus(here, ['survey', './q.json', '--population', 'customers', '-n', '2', '--agent', './a.mjs', '--yes', ...more]);
    await evaluated();
    await surveyed();
    edit('scorer.mjs', 'value: 1', 'value: 0')(here);
    expect((await evaluated()).err).toContain('Scorer ./scorer.mjs changed since: 4 stored episodes are scored again.');
    const [{ id: run }] = await runJson<readonly [{ readonly id: string }]>(here, 'list', 'runs');
    expect((await ludus(here, ['score', run])).out).toContain('4 already had scores');
    edit('suite.json', '"scale":[-2,2]', '"scale":[-2,4]')(here);
    expect((await ludus(here, ['score', run])).out).toContain('by the suite as it was then');
    expect((await evaluated()).err).toContain(`suite small changed since run ${run}: 4 episodes are played again.`);
    edit('q.json', 'Will you move?', 'Would you move?')(here);
    expect((await surveyed()).err).toMatch(/questionnaire q changed since run survey-q-\w+: 2 episodes are played again\./);
    expect((await surveyed('--seed', '1')).err).toMatch(/The people are not those of run survey-q-\w+: 2 episodes are played again\./);
    expect((await surveyed('--agent', './clerk.json')).err).not.toContain('since run');
    edit('clerk.json', 'lucky', 'unlucky')(here);
    expect((await surveyed('--agent', './clerk.json')).err).toMatch(
      /agent \.\/model\.mjs changed since run survey-q-\w+: 2 episodes are played again\./,
    );
  });

  it('program is mentioned with stored results', async () => {
    const here = prepared('./coin.mjs', './a.mjs');
    await commands.run({ here, word: './a.mjs', name: 'mine', environment: './coin.mjs', more: [] });
    const showBoth = () =>
      Promise.all(
        [
          ['show', 'plan'],
          ['report', 'plan'],
          ['compare', './a.mjs', 'random'],
        ].map((args) => ludus(here, args)),
      );
    const silent = async () => {
      for (const { out, err } of await showBoth()) expect(out + err).not.toContain('changed after');
    };
    await silent();
    edit('help.mjs', 'at + 0', 'at + 1')(here);
    for (const { out, err } of await showBoth()) expect(out + err).toContain('./a.mjs changed after plan was last played.');
    edit('help.mjs', 'at + 1', 'at + 0')(here);
    await silent();
    const scored = () => ludus(here, ['score', 'plan', '--scorers', './scorer.mjs']);
    const before = (await scored()).out;
    expect(before).not.toContain('changed');
    expect(before).toMatch(/ of \S+: 1 in \d episode/);
    await silent();
    edit('scorer.mjs', 'value: 1', 'value: 0')(here);
    for (const { out, err } of await showBoth()) expect(out + err).toContain('./scorer.mjs changed after plan was last scored.');
    expect((await scored()).out).toContain('Scorer ./scorer.mjs changed since: 2 stored episodes are scored again.');
    await silent();
  });
});

describe('stored episodes', () => {
  const place = (here: string, ...more: string[]) => ({ here, word: './a.mjs', name: 'mine', environment: './coin.mjs', more });

  it('without fingerprints count only on request', async () => {
    const here = prepared('./coin.mjs', './a.mjs');
    const first = await commands.run(place(here));
    // As an edition before fingerprints would have left it: other ids, no versions, no journals.
    const file = join(here, '.ludus', 'ludus.sqlite');
    const store = await openStore(file);
    const logs = await Promise.all((await store.episodes()).map(async ({ id }) => store.events(id)));
    await store.close();
    rmSync(join(here, '.ludus'), { recursive: true });
    mkdirSync(join(here, '.ludus'));
    const older = await openStore(file);
    const read = readPlan(JSON.parse(readFileSync(join(here, 'plan.json'), 'utf8')));
    const sheet = await loadPlanTasks(read, (name) => loadEnvironment(name, here, Trust.commandLine));
    await older.putRun({ id: 'plan', plan: read, episodes: 2 });
    for (const cell of cells(read, sheet)) {
      const log = logs.find(([start]) => start?.kind === 'start' && start.seed === cell.seed)!;
      await older.append(episodeId('plan', cell), 0, log, 'plan');
    }
    await older.close();
    const plan = await runJson<{ readonly seats: Printed['seats'] }>(here, 'show', 'plan');
    expect(plan.seats.filter(({ seat }) => seat === 'first')).toEqual(first.result);
    expect(await commands.run(place(here, '--reuse'))).toEqual({ ...first, played: 0 });
    const again = await commands.run(place(here));
    expect(again).toEqual({ ...first, changes: [{ what: 'run', name: 'plan', reason: 'unknown', episodes: 2 }] });
    expect(await commands.run(place(here))).toEqual({ ...first, played: 0 });
  });

  it('keep their fingerprints in an export and are reused after an import', async () => {
    const here = prepared('./coin.mjs', './a.mjs');
    const first = await commands.eval(place(here));
    expect((await ludus(here, ['data', 'export', '--format', 'jsonl', '-o', 'all.jsonl'])).code).toBe(0);
    rmSync(join(here, '.ludus'), { recursive: true });
    expect((await ludus(here, ['data', 'import', 'all.jsonl'])).code).toBe(0);
    expect(await commands.eval(place(here))).toEqual({ ...first, played: 0 });
  });

  it('of workers are played again if an agent changed, and never by a worker with other files', async () => {
    const here = prepared('./coin.mjs', './a.mjs');
    const first = await commands.run(place(here, '--workers', '1'));
    expect((await commands.run(place(here, '--workers', '1'))).played).toBe(0);
    edit('help.mjs', '+ 0', '+ 1')(here);
    const again = await commands.run(place(here, '--workers', '1'));
    expect(again.played).toBe(first.played);
    expect(again.result).not.toEqual(first.result);
    const cast = { first: './a.mjs', second: 'random' };
    const prints = new Fingerprints({ cwd: here, trust: Trust.commandLine });
    const agents = { first: (await prints.agent('./a.mjs')).hash, second: (await prints.agent('random')).hash };
    const versions = { environment: (await prints.environment('./coin.mjs')).hash, agents };
    const job = { environment: './coin.mjs', cast, versions };
    await checkVersions(job, { cwd: here, trust: Trust.job });
    edit('help.mjs', '+ 1', '+ 0')(here);
    await expect(checkVersions(job, { cwd: here, trust: Trust.job })).rejects.toThrow('"./a.mjs" of this worker differs');
  });
});

function plan(environment: string, word: string, seeds: number): string {
  return JSON.stringify({ name: 'plan', environments: [environment], seeds, casts: [{ first: word, second: 'random' }] });
}

function suite(environment: string, seeds: number): string {
  return JSON.stringify({ ...suiteOf(environment), seeds });
}

describe('a bot behind a URL', () => {
  let server: Server;
  let url = '';
  let requests = 0;
  let answer = 'heads';
  beforeAll(async () => {
    // It speaks as a bot and as a model of a server.
    server = createServer((request, response) => {
      if (request.method !== 'POST' || request.url?.includes('/api/') === true) {
        response.writeHead(404).end('{}');
        return;
      }
      requests++;
      request.resume();
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } }];
      const statement = { reply: answer, choices, usage: { prompt_tokens: 1, completion_tokens: 1 } };
      request.on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(statement)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const bot = (settings: object) => JSON.stringify({ name: 'bot', kind: 'bot', settings: { url, ...settings } });

  // Questions of a survey are no words of another seat, and a bot does not hear them: there a model of the server is asked.
  it.each(['eval', 'arena', 'run', 'survey'] as const)('is called again by every %s unless stored results are reused', async (command) => {
    answer = command === 'survey' ? '[1]' : 'heads';
    const hosted = JSON.stringify({ name: 'bot', kind: 'llm', model: `${url.replace('/chat', '/v1')}#some` });
    const here = prepared('./coin.mjs', './bot.json', { 'coin.mjs': talk, 'bot.json': command === 'survey' ? hosted : bot({}) });
    const place = { here, word: './bot.json', name: 'bot', environment: './coin.mjs', more: [] };
    const first = await commands[command](place);
    answer = command === 'survey' ? '[2]' : 'tails';
    requests = 0;
    const saved = await commands[command]({ ...place, more: ['--reuse'] });
    expect([saved.played, saved.result, requests]).toEqual([0, first.result, 0]);
    const again = await commands[command](place);
    expect(again.result).not.toEqual(first.result);
    expect(requests).toBeGreaterThan(0);
    if (command !== 'survey')
      expect(again.changes).toEqual([expect.objectContaining({ reason: 'unpinned', why: `${url} has no "version"` })]);
  });

  it('is resumed with --reuse after eval was interrupted, and played from the start without it', async () => {
    const here = prepared('./coin.mjs', './bot.json', { 'coin.mjs': talk, 'bot.json': bot({}) });
    const args = ['eval', './suite.json', '--agents', './bot.json', '--seeds', '12', '--concurrency', '1', '--yes', '--json'];
    const reportOf = ({ out }: Outcome) =>
      JSON.parse(out.trim().split('\n').at(-1)!) as { played: number; before: number; planned: number };
    requests = 0;
    const stopped = await ludus(here, args, {
      during: async (interrupt) => {
        await until(() => requests >= 3);
        interrupt();
      },
    });
    expect(stopped.code, stopped.err).toBe(130);
    const requestCount = requests;
    const resumed = reportOf(await ludus(here, [...args, '--reuse']));
    expect(resumed.before).toBeGreaterThan(0);
    expect(resumed.before + resumed.played).toBe(resumed.planned);
    expect(requests - requestCount).toBeLessThan(resumed.planned);
    // It is unknown whether the server has changed since, so everything is asked again, and the output says why.
    const again = await ludus(here, args);
    expect(reportOf(again)).toMatchObject({ before: resumed.planned - 12, played: 12 });
    expect(again.err).toMatch(/agent bot may have changed since run .*: 12 episodes are played again; --reuse keeps them/);
  });

  it('with a version is called again only when the version changes', async () => {
    answer = 'heads';
    const here = prepared('./coin.mjs', './bot.json', { 'coin.mjs': talk, 'bot.json': bot({ version: '1' }) });
    const place = { here, word: './bot.json', name: 'bot', environment: './coin.mjs', more: [] };
    const first = await commands.eval(place);
    answer = 'tails';
    requests = 0;
    expect(await commands.eval(place)).toEqual({ played: 0, changes: [], result: first.result });
    expect(requests).toBe(0);
    writeFileSync(join(here, 'bot.json'), bot({ version: '2' }));
    const second = await commands.eval(place);
    expect(second.result).not.toEqual(first.result);
    expect(second.changes).toEqual([expect.objectContaining({ what: 'agent', name: 'bot', reason: 'changed', episodes: 2 })]);
  });
});
