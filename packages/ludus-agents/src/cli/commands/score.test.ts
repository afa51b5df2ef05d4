import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

it('score exits with 1 if every score failed, but one success is enough', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'plan.json'), '{"name":"r","environments":["kuhn-poker"],"seeds":2,"casts":[{"*":"random"}]}');
  writeFileSync(
    join(cwd, 'bad.mjs'),
    'export const bad = { name: "bad", tier: "rule", async score() { throw new Error("the ink is dry"); } };\n',
  );
  expect((await ludus(cwd, ['run', 'plan.json'])).code).toBe(0);
  const [first] = JSON.parse((await ludus(cwd, ['list', 'episodes', '--json'])).out) as readonly { readonly id: string }[];
  const id = first?.id ?? '';
  expect((await ludus(cwd, ['score', id.slice(0, 8)])).err).toMatch(/is an episode, but a run was expected\. It belongs to the run "r"/);
  const failed = await ludus(cwd, ['score', 'r', '--scorers', './bad.mjs']);
  expect(failed.out).toContain('bad failed 4 times: the ink is dry.');
  expect(failed.code).toBe(1);
  expect((await ludus(cwd, ['score', 'r', '--scorers', './bad.mjs,return', '--again'])).code).toBe(0);
  const idle = await ludus(cwd, ['score', 'r', '--scorers', 'planning,edits', '--again']);
  expect([idle.code, idle.err]).toEqual([1, expect.stringContaining('Nothing was scored: planning, edits')]);
});

it("score reports only the current judge's verdicts, without earlier failures or axes", async () => {
  const cwd = folder();
  const judge = (answer: string) => `export default { id: 'mine', async complete(prompt) {
    const all = prompt.messages.map(({ content }) => content).join('\\n');
    const items = [...all.matchAll(/^ITEM (\\S+) /gm)].map(([, item]) => item);
    const answers = items.map((item) => ({ item, answer: '${answer}', event: 1, quote: 'You are playing Kuhn poker', why: '' }));
    return { model: 'mine', text: JSON.stringify({ answers }), finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0 };
  } };\n`;
  const axis = (id: string) => ({
    id,
    about: 'Kindness.',
    scale: [0, 1],
    start: 0,
    questions: [{ id: 'q', ask: 'Is it kind?', points: 1 }],
  });
  const rubric = (id: string) =>
    JSON.stringify({
      name: 'kind',
      form: 'checklist',
      about: 'Kind?',
      verdict: { name: 'risky', axes: ['warm'] },
      axes: [axis('warm'), axis(id)],
    });
  writeFileSync(join(cwd, 'plan.json'), '{"name":"r","environments":["kuhn-poker"],"seeds":2,"casts":[{"*":"random"}]}');
  writeFileSync(join(cwd, 'judge.mjs'), judge('perhaps'));
  writeFileSync(join(cwd, 'rubric.json'), rubric('cold'));
  await ludus(cwd, ['run', 'plan.json']);
  const scored = async () => (await ludus(cwd, ['score', 'r', '--rubric', './rubric.json', '--judge', './judge.mjs'])).out;
  const reported = async () => {
    expect((await ludus(cwd, ['report', 'r', '-o', 'r.json'])).code).toBe(0);
    return JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as {
      risks: readonly { axes: readonly string[]; rows: readonly { axes: readonly { mean: number }[] }[] }[];
      failures: readonly unknown[];
    };
  };
  await scored();
  expect((await reported()).failures).not.toEqual([]);
  writeFileSync(join(cwd, 'judge.mjs'), judge('yes'));
  expect(await scored()).toContain('Scorer ./judge.mjs changed since');
  const first = await reported();
  expect([first.failures, first.risks[0]?.axes, first.risks[0]?.rows[0]?.axes[0]?.mean]).toEqual([[], ['warm', 'cold'], 1]);
  writeFileSync(join(cwd, 'rubric.json'), rubric('icy'));
  expect(await scored()).toContain('Scorer ./rubric.json changed since');
  expect((await reported()).risks[0]?.axes).toEqual(['warm', 'icy']);
  writeFileSync(join(cwd, 'judge.mjs'), judge('no'));
  expect(await scored()).toContain('judged again');
  expect((await reported()).risks[0]?.rows[0]?.axes[0]?.mean).toBe(0);
});
