/** @file `ludus data make` from the command line: pipelines that come along and one's own, budgets, formats and refusals. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const rowsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const ownText = `export default {
  name: 'echoes', about: 'echoes of lines', takes: 'text', proof: 'it is not empty',
  async make({ item, source, ask, agree }) {
    const line = source.text.trim().split('\\n')[item];
    if (line === undefined) return { refused: 'there are no more lines' };
    const answer = await ask('echo', 'Say: ' + line);
    if (!(await agree('judge', 'Is it good? ' + answer))) return { refused: 'not good' };
    return { kept: { key: line, messages: [{ role: 'user', content: line }, { role: 'assistant', content: answer }], facts: {} } };
  },
};
`;

describe('ludus data make', () => {
  it('generates role dialogues with a card and a manifest, estimates the cost, and repeats nothing', async () => {
    const home = folder();
    const command = ['data', 'make', 'ditto', 'villain', '--model', 'fake', '-n', '10', '-o', 'out.jsonl', '--json'];
    const first = await ludus(home, command);
    expect(first.err).toMatch(/ditto · 10 items · about \d+ .* model calls; nothing to pay/);
    expect([first.code, JSON.parse(first.out)]).toMatchObject([0, { pipeline: 'ditto', items: 10, wanted: 10, cost: 0, stopped: false }]);
    const text = readFileSync(join(home, 'out.jsonl'), 'utf8');
    expect(rowsIn(join(home, 'out.jsonl'))).toHaveLength(10);
    expect(readFileSync(join(home, 'out.card.md'), 'utf8')).toMatch(/10 items: role dialogues[\s\S]+judged by: the stand-in/);
    expect(JSON.parse(readFileSync(join(home, 'out.jsonl.manifest.json'), 'utf8')).files[0]).toMatchObject({ file: 'out.jsonl', rows: 10 });
    expect(JSON.parse((await ludus(home, command)).out)).toMatchObject({ items: 10, newCalls: 0 });
    expect(readFileSync(join(home, 'out.jsonl'), 'utf8')).toBe(text);
    const more = await ludus(home, command.with(7, '12'));
    expect(JSON.parse(more.out)).toMatchObject({ items: 12 });
    expect(readFileSync(join(home, 'out.jsonl'), 'utf8').startsWith(text)).toBe(true);
    const other = await ludus(home, [...command, '--seed', '2']);
    expect([other.code, JSON.parse(other.out).error]).toMatchObject([
      2,
      expect.stringMatching(/started with other settings: seed was 0 and is 2/),
    ]);
  });

  it('runs a custom pipeline from a file within a budget, and continues without one', async () => {
    const home = folder();
    writeFileSync(join(home, 'mine.mjs'), ownText);
    writeFileSync(join(home, 'lines.txt'), 'one\ntwo\nthree\n');
    const command = ['data', 'make', './mine.mjs', './lines.txt', '--model', 'fake/yes', '-n', '3', '-o', 'mine.jsonl', '--json'];
    const stopped = await ludus(home, [...command, '--max-calls', '6', '--concurrency', '1']);
    expect(stopped.code).toBe(1);
    expect(JSON.parse(stopped.out)).toMatchObject({ items: 0, stopped: true });
    const rest = JSON.parse((await ludus(home, command)).out);
    expect(rest).toMatchObject({ items: 3, calls: 12, stopped: false });
    expect(rest.newCalls).toBeLessThan(12);
    const sharegpt = await ludus(home, [...command, '--format', 'sharegpt']);
    expect(sharegpt.code).toBe(0);
    expect(rowsIn(join(home, 'mine.jsonl'))[0]).toMatchObject({
      conversations: [
        { from: 'human', value: 'one' },
        { from: 'gpt', value: 'yes' },
      ],
    });
    const fewer = await ludus(home, [...command.with(7, '9')]);
    expect(fewer.code).toBe(1);
    expect(JSON.parse(fewer.out)).toMatchObject({ items: 3, wanted: 9, refused: { 'there are no more lines': 33 } });
  });

  it('writes probes that are a suite, even where a shuffle changes nothing', async () => {
    const home = folder();
    const question = (i: number) =>
      JSON.stringify({ question: `What is ${i} plus ${i}?`, choices: [`${2 * i}`, `${i}`], answer: `${2 * i}` });
    writeFileSync(join(home, 'q.jsonl'), `${[10, 20, 30, 40].map(question).join('\n')}\n`);
    const command = ['data', 'make', 'mpa', './q.jsonl', '--model', 'fake', '-n', '12', '--format', 'cases', '-o', 'probes.jsonl'];
    expect((await ludus(home, command)).code).toBe(0);
    const inputs = rowsIn(join(home, 'probes.jsonl')).map(({ input }) => input);
    expect(inputs).toHaveLength(new Set(inputs).size);
    expect((await ludus(home, ['eval', 'probes.jsonl', '--agents', 'llm:fake', '--yes'])).err).not.toContain('the same input');
  });

  it('lists and shows pipelines, and explains errors', async () => {
    const home = folder();
    expect((await ludus(home, ['list', 'pipelines'])).out).toMatch(/ditto[\s\S]+self-prompt-tuning[\s\S]+mmat[\s\S]+mpa/);
    expect((await ludus(home, ['show', 'pipeline', 'mpa'])).out).toMatch(/ludus data make mpa maths --model fake/);
    writeFileSync(join(home, 'bad.mjs'), 'export const mine = { name: "a", takes: "cake", make() {} };');
    const wrong = async (...words: string[]) => (await ludus(home, ['data', 'make', ...words, '--model', 'fake', '-o', 'a.jsonl'])).err;
    expect(await wrong('dito', 'villain')).toMatch(/Unknown pipeline "dito".*ditto/);
    expect(await wrong('ditto')).toMatch(/starts from a persona/);
    expect(await wrong('./bad.mjs', 'x')).toMatch(/"takes" must be one of persona, questions, text, but got "cake"/);
    expect(await wrong('mpa', './none.jsonl')).toMatch(/none.jsonl cannot be read/);
    writeFileSync(join(home, 'q.jsonl'), '{"question": "a"}\n');
    expect(await wrong('mpa', './q.jsonl')).toMatch(/question 1 must be/);
  });
});
