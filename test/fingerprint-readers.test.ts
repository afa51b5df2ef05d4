/**
 * @file Commands that only read a run notice what has changed since it was played or scored, as the commands that play do: programs with
 * their imports, documents, weights, cases, and what a command starts. Undone edits are not mentioned.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportShown } from '@ludus-agents/servers/internal/studio/api';
import { openStudio } from '@ludus-agents/servers/internal/studio/studio.cases';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';
import { until } from './fixtures/until.ts';

const model = `export default { id: 'mine', async complete() {
  return { model: 'mine', text: '2', finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0 };
} };
`;

const files: Readonly<Record<string, string>> = {
  'c.csv': 'input,expected\n1+1?,2\n2+2?,4\n',
  'table.csv': 'name,price\ntea,3\nmilk,2\nbread,5\n',
  'check.mjs': "import { ok } from './lib.mjs';\nexport default (output, one) => ok(output, one.expected);\n",
  'lib.mjs': 'export const ok = (a, b) => a.trim() === String(b);\n',
  'a.mjs': "import { text } from './text.mjs';\nexport default { name: 'mine', async act() { return { action: { text } }; } };\n",
  'text.mjs': "export const text = '2';\n",
  'bot.mjs': "import { answer } from './answer.mjs';\nprocess.stdin.on('data', () => console.log(JSON.stringify({ reply: answer })));\n",
  'answer.mjs': "export const answer = '2';\n",
  'model.mjs': model,
  'ann.json': JSON.stringify({ schema: 'persona/1', name: 'Ann', tags: ['calm'] }),
  'clerk.json': JSON.stringify({ name: 'clerk', kind: 'llm', model: './model.mjs', persona: './ann.json' }),
};

interface Thing {
  readonly thing: string;
  readonly play: readonly string[];
  readonly change: (here: string) => Promise<void> | void;
  readonly undo?: (here: string) => Promise<void> | void;
  /** What the readers say. */
  readonly name: string;
  readonly use?: 'scored';
  readonly agents?: readonly [string, string];
}

const cases = (agent: string, ...more: string[]) => ['eval', './c.csv', '--agents', agent, '--run', 'kept', '--yes', ...more];

function edit(file: string, from: string, to: string): Pick<Thing, 'change' | 'undo'> {
  const replace = (here: string, a: string, b: string) => {
    const text = readFileSync(join(here, file), 'utf8');
    expect(text).toContain(a);
    writeFileSync(join(here, file), text.replace(a, b));
  };
  return { change: (here) => replace(here, from, to), undo: (here) => replace(here, to, from) };
}

const trained = async (here: string, games: string) =>
  expect((await ludus(here, ['train', 'kuhn-tabular', '--name', 'q', '--games', games, '--force'])).code).toBe(0);

const dependencies: readonly Thing[] = [
  { thing: 'import of an agent', play: cases('./a.mjs'), name: './a.mjs', ...edit('text.mjs', "'2'", "'4'") },
  {
    thing: 'document',
    play: cases('./clerk.json'),
    name: './clerk.json',
    ...edit('clerk.json', '"clerk"', '"clerk","settings":{"memory":"off"}'),
  },
  { thing: 'persona', play: cases('./clerk.json'), name: 'ann.json', ...edit('ann.json', 'calm', 'loud') },
  { thing: 'model', play: cases('./clerk.json'), name: './model.mjs', ...edit('model.mjs', "text: '2'", "text: '4'") },
  { thing: 'case', play: cases('./a.mjs'), name: './c.csv', ...edit('c.csv', '2+2?,4', '2+2?,2') },
  {
    ...{ thing: 'import of a check', play: cases('./a.mjs', '--check', './check.mjs'), name: './check.mjs', use: 'scored' },
    ...edit('lib.mjs', '=== String', '!== String'),
  },
  {
    ...{
      thing: 'library of a command',
      play: cases(`cmd:node bot.mjs`),
      name: 'node bot.mjs',
      agents: ['cmd:node bot.mjs', 'scripted:echo'],
    },
    ...edit('answer.mjs', "'2'", "'4'"),
  },
  {
    ...{ thing: 'table of questions', play: ['run', './questions.json'], name: 'questions:./table.csv' },
    ...edit('table.csv', 'bread,5', 'bread,9'),
  },
  {
    ...{ thing: 'checkpoint', play: ['run', './kuhn.json'], name: 'local/q@best', agents: ['local/q@best', 'random'] },
    change: (here) => trained(here, '3000'),
  },
];

const plan = (environment: string, first: string) =>
  JSON.stringify({
    name: 'kept',
    environments: [environment],
    seeds: 2,
    casts: [{ [environment === 'kuhn-poker' ? 'first' : '*']: first, ...(environment === 'kuhn-poker' ? { second: 'random' } : {}) }],
  });

async function prepared(dependency: string): Promise<string> {
  const here = folder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(here, name), text);
  writeFileSync(join(here, 'questions.json'), plan('questions:./table.csv', './a.mjs'));
  writeFileSync(join(here, 'kuhn.json'), plan('kuhn-poker', 'local/q@best'));
  if (dependency === 'checkpoint') await trained(here, '100');
  return here;
}

async function played(here: string, args: readonly string[]): Promise<string> {
  const { code, out, err } = await ludus(here, [...args]);
  expect({ code, said: code === 0 ? '' : err + out }).toEqual({ code: 0, said: '' });
  return out + err;
}

describe('a changed', () => {
  it.each(dependencies)(
    '$thing is mentioned by show, report, and compare',
    async ({ thing, play, change, undo, name, use = 'played', agents }) => {
      const here = await prepared(thing);
      await played(here, play);
      const showBoth = () =>
        Promise.all([
          ludus(here, ['show', 'kept']),
          ludus(here, ['report', 'kept']),
          ...(agents === undefined ? [] : [ludus(here, ['compare', ...agents, '--run', 'kept'])]),
        ]);
      const silent = async () => {
        for (const { out, err } of await showBoth()) expect(out + err).not.toContain('changed after');
      };
      await silent();
      const figures = async () => JSON.parse(await played(here, ['show', 'kept', '--json'])) as unknown;
      const first = await figures();
      await change(here);
      for (const { out, err } of await showBoth()) expect(out + err).toContain(`${name} changed after kept was last ${use}.`);
      await undo?.(here);
      if (undo !== undefined) await silent();
      await change(here);
      await played(here, play);
      await silent();
      if (undo === undefined || use === 'scored') return;
      // Undone again, the first version counts without being played, and nothing has changed.
      await undo(here);
      await silent();
      expect({ ...((await figures()) as object), earlier: 0 }).toEqual({ ...(first as object), earlier: 0 });
    },
  );

  it('table creates new questions, and those of the earlier table no longer count', async () => {
    const here = await prepared('');
    await played(here, ['run', './questions.json']);
    const episodes = async () => {
      const { seats } = JSON.parse(await played(here, ['show', 'kept', '--json'])) as {
        seats: readonly { episodes: number; tasks: number }[];
      };
      return seats.map(({ episodes, tasks }) => [tasks, episodes]);
    };
    expect(await episodes()).toEqual([[1, 2]]);
    writeFileSync(join(here, 'table.csv'), 'name,price\ntea,3\nmilk,2\nbread,9\n');
    expect(await played(here, ['run', './questions.json'])).toContain('The plan of run kept, or a file that it names, changed: 2 episodes');
    expect(await episodes()).toEqual([[1, 2]]);
    expect(await played(here, ['run', './questions.json'])).not.toContain('changed');
    expect(await episodes()).toEqual([[1, 2]]);
  });

  it('file that is changed back has its original results in the studio and in show', async () => {
    const here = await prepared('');
    const { change, undo } = edit('text.mjs', "'2'", "'1'");
    await played(here, cases('./a.mjs'));
    change(here);
    await played(here, cases('./a.mjs'));
    const store = await openStore(join(here, '.ludus', 'ludus.sqlite'));
    const studio = await openStudio({ store, cwd: here });
    try {
      // A report of the studio is given out for a moment before it is made again.
      const meanOf = (agents: ReportShown['standings']['agents']) => agents.find(({ agent }) => agent === 'mine')?.value;
      const inStudio = async () => ((await studio.get('/api/runs/of/kept/report')).body as unknown as ReportShown).standings;
      const inShow = async () => (JSON.parse(await played(here, ['show', 'kept', '--json'])) as Pick<ReportShown, 'standings'>).standings;
      expect(meanOf((await inStudio()).agents)).toBe(0);
      undo!(here);
      const standings = await until(inStudio, ({ agents }) => meanOf(agents) === 0.5);
      expect(standings).toEqual(await inShow());
    } finally {
      await studio.close();
      await store.close();
    }
  });

  it('file with fewer cases leaves no run that looks unfinished', async () => {
    const here = await prepared('');
    await played(here, cases('./a.mjs'));
    writeFileSync(join(here, 'c.csv'), 'input,expected\n1+1?,2\n');
    await played(here, cases('./a.mjs'));
    expect(await played(here, ['show', 'kept'])).toContain('2 episodes ended');
    const [run] = JSON.parse(await played(here, ['list', 'runs', '--json'])) as readonly { ended: number; planned: number }[];
    expect(run).toMatchObject({ ended: 2, planned: 2 });
  });
});
