/** @file Two agents of one name are two agents everywhere: an agent is the file that the user named. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluateReport } from '@ludus-agents/evaluation/internal/evaluate';
import { describe, expect, it } from 'vitest';
import { exits } from '../command.ts';
import { folder, ludus } from '../terminal.cases.ts';

/** A folder with two programs that are called z; the first takes the first choice, or answers 3. */
function prepared(): string {
  const here = folder();
  mkdirSync(join(here, 'd'));
  const program = (at: number, answer: string) =>
    `export default { name: 'z', act: ({ ask }) => ({ action: { text: ask.choices?.[${at}] ?? '${answer}' } }) };\n`;
  const cast = (first: string, second: string) => ({ first, second });
  const files = {
    'z.mjs': program(0, '3'),
    'd/z.mjs': program(1, '4'),
    'a.json': JSON.stringify({ name: 'x', kind: './z.mjs' }),
    'b.json': JSON.stringify({ name: 'x', kind: './d/z.mjs' }),
    'cases.csv': 'id,input,expected\nc1,1+2?,3\nc2,2+1?,3\nc3,0+3?,3\nc4,2+2?,4\n',
    'p.json': JSON.stringify({
      ...{ name: 'pp', environments: ['kuhn-poker'], seeds: 4 },
      casts: [cast('./z.mjs', './d/z.mjs'), cast('./d/z.mjs', './z.mjs')],
    }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(here, name), text);
  return here;
}

async function asked<T>(here: string, ...words: string[]): Promise<T> {
  const { code, out, err } = await ludus(here, [...words, '--json']);
  expect({ words, code, err: code === 0 ? '' : err + out }).toEqual({ words, code: 0, err: '' });
  return JSON.parse(out) as T;
}

interface Standing {
  readonly agents: readonly { readonly agent: string; readonly value: number | null; readonly isNull: boolean }[];
}

const rowsIn = ({ agents }: Standing) => agents.filter(({ isNull }) => !isNull).map(({ agent, value }) => [agent, value]);

async function evaluated(here: string, agents: string, run = 'r') {
  const { out } = await ludus(here, ['eval', './cases.csv', '--agents', agents, '--run', run, '--json']);
  const report = JSON.parse(out) as EvaluateReport;
  return { played: report.played, changes: report.changes, rows: rowsIn(report) };
}

describe('two agents with the same name', () => {
  it('have a row each in a run, in any seats', async () => {
    const here = prepared();
    const { standings } = await asked<{ readonly standings: Standing }>(here, 'run', './p.json');
    expect(standings.agents.map(({ agent }) => agent).sort()).toEqual(['z', 'z (./d/z.mjs)']);
    const [first, second] = standings.agents;
    expect(first!.value).toBeCloseTo(-Number(second!.value));
    expect(first!.value).not.toBe(0);
    expect(await asked<{ readonly played: number }>(here, 'run', './p.json')).toMatchObject({ played: 0 });
    const report = await asked<{ readonly standings: Standing }>(here, 'show', 'pp');
    expect(report.standings).toEqual(standings);
    // Both played in each of the episodes that an edit leaves out.
    writeFileSync(join(here, 'z.mjs'), "export default { name: 'z', act: ({ ask }) => ({ action: { text: ask.choices.at(-1) } }) };");
    await asked(here, 'run', './p.json');
    expect(await asked(here, 'compare', './z.mjs', './d/z.mjs')).toMatchObject({ a: 'z', b: 'z (./d/z.mjs)', earlier: 8 });
  });

  it('are rejected if they are specs without a file that differ only in settings', async () => {
    const here = prepared();
    const cast = (text: string) => ({
      first: { name: 'x', kind: 'llm', model: 'fake:first', texts: { instruction: text } },
      second: 'random',
    });
    writeFileSync(
      join(here, 'q.json'),
      JSON.stringify({ environments: ['kuhn-poker'], seeds: 1, casts: [cast('a'), cast('b'), cast('c')] }),
    );
    const { code, err } = await ludus(here, ['run', './q.json', '--yes']);
    expect([code === 0, err]).toEqual([false, expect.stringContaining('Two agents are named "x"')]);
  });

  it('keep their names and episodes in a run when one of them is evaluated alone', async () => {
    const here = prepared();
    const rows = [
      ['z', 0.75],
      ['z (./d/z.mjs)', 0.25],
    ];
    expect(await evaluated(here, './z.mjs,./d/z.mjs')).toMatchObject({ rows, changes: [] });
    expect(await evaluated(here, './d/z.mjs')).toEqual({ rows: [rows[1]], changes: [], played: 0 });
    expect(await evaluated(here, './z.mjs')).toEqual({ rows: [rows[0]], changes: [], played: 0 });
    expect(await evaluated(here, './d/z.mjs,./z.mjs')).toMatchObject({ changes: [], played: 0 });
    const shown = await asked<{ readonly standings: Standing }>(here, 'show', 'r');
    expect(shown.standings.agents.filter(({ agent }) => agent.startsWith('z')).map(({ agent, value }) => [agent, value])).toEqual(rows);
    // The second alone first: it has the name, and the other gets its file.
    expect(await evaluated(here, './d/z.mjs', 'r2')).toMatchObject({ rows: [['z', 0.25]] });
    expect(await evaluated(here, './z.mjs', 'r2')).toMatchObject({ rows: [['z (./z.mjs)', 0.75]], changes: [] });
  });

  it('from documents keep their identity when one is renamed', async () => {
    const here = prepared();
    expect(await evaluated(here, './a.json,./b.json')).toMatchObject({
      rows: [
        ['x', 0.75],
        ['x (./b.json)', 0.25],
      ],
    });
    writeFileSync(join(here, 'a.json'), JSON.stringify({ name: 'y', kind: './z.mjs' }));
    const again = await evaluated(here, './a.json,./b.json');
    expect(again).toEqual({
      rows: [
        ['y', 0.75],
        ['x (./b.json)', 0.25],
      ],
      changes: [],
      played: 4,
    });
  });
});

describe('compare with a file', () => {
  const compared = (here: string, ...words: string[]) =>
    asked<{ readonly a: string; readonly b: string; readonly sides: Record<'a' | 'b', { readonly value: number }> }>(
      here,
      'compare',
      ...words,
    );
  const values = ({ sides: { a, b } }: { readonly sides: Record<'a' | 'b', { readonly value: number }> }) => [a.value, b.value];

  it('reads the results of exactly this file', async () => {
    const here = prepared();
    await evaluated(here, './a.json,./b.json,./z.mjs,./d/z.mjs');
    expect(values(await compared(here, './z.mjs', './b.json'))).toEqual([0.75, 0.25]);
    expect(values(await compared(here, './z.mjs', './b.json', '--run', 'r'))).toEqual([0.75, 0.25]);
    const both = await compared(here, './d/z.mjs', 'z');
    expect([both.a, ...values(both)]).toEqual(['z (./d/z.mjs)', 0.25, 0.75]);
    // In another run the second has the name.
    await evaluated(here, './d/z.mjs', 'r2');
    expect(values(await compared(here, './z.mjs', './d/z.mjs'))).toEqual([0.75, 0.25]);
    expect(values(await compared(here, './z.mjs', './a.json'))).toEqual([0.75, 0.75]);
  });

  it('without episodes names the file that owns the name', async () => {
    const here = prepared();
    await evaluated(here, './d/z.mjs');
    const { code, err } = await ludus(here, ['compare', './z.mjs', 'scripted:echo']);
    expect([code, err]).toEqual([exits.input, expect.stringContaining('./z.mjs has no stored episodes')]);
    expect(err).toContain('The name "z" belongs to ./d/z.mjs');
  });

  it('compares an agent named directly despite different opponents later', async () => {
    const here = prepared();
    await asked(here, 'arena', 'kuhn-poker', '--agents', 'random,./z.mjs', '--games', '8');
    await evaluated(here, './d/z.mjs');
    const { sides } = await compared(here, 'random', 'z');
    expect(sides.a.value).toBeCloseTo(-sides.b.value);
    const { code, err } = await ludus(here, ['compare', './z.mjs', './d/z.mjs']);
    expect([code, err]).toEqual([exits.input, expect.stringContaining('./z.mjs and ./d/z.mjs have not played the same tasks')]);
  });
});
