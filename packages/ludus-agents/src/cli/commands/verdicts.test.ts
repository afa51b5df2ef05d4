/** @file Verdicts belong to a version of the judge and an agent to its file; an unparseable grader reply is a failure. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const rubric = (ask: string) =>
  JSON.stringify({
    ...{ name: 'polite', form: 'checklist', about: 'politeness' },
    axes: [{ id: 'tone', about: 'the tone', scale: [0, 1], start: 0, questions: [{ id: 'kind', ask, points: 1 }] }],
  });

const agent = "export default { name: 'mine', async act() { return { action: { text: '2' } }; } };\n";

function prepared(): string {
  const here = folder();
  const files = { 'a.mjs': agent, 'r.json': rubric('Is it kind?'), 'c.csv': 'input,expected\n1+1?,2\n2+2?,4\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(here, name), text);
  return here;
}

interface Judged {
  readonly judges: readonly { readonly replies: number }[];
  readonly restored: number;
  readonly judgedByOther: number;
}

async function judged(here: string, ...more: string[]): Promise<readonly number[]> {
  const { code, out, err } = await ludus(here, ['score', 'r', '--rubric', './r.json', '--judge', 'fake:honest', '--json', ...more]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { judges, restored, judgedByOther } = JSON.parse(out) as Judged;
  return [judges[0]!.replies, restored, judgedByOther];
}

const evaluated = (here: string, ...words: string[]) => ludus(here, ['eval', './c.csv', '--run', 'r', '--yes', ...words]);

describe('judge verdicts', () => {
  it('count again when an edit of the rubric is reverted, without new calls', async () => {
    const here = prepared();
    await evaluated(here, '--agents', './a.mjs');
    const [asked = 0] = await judged(here);
    expect(asked).toBeGreaterThan(0);
    expect(await judged(here)).toEqual([0, 0, 0]);
    writeFileSync(join(here, 'r.json'), rubric('Is it polite?'));
    expect(await judged(here)).toEqual([asked, 0, 4]);
    writeFileSync(join(here, 'r.json'), rubric('Is it kind?'));
    expect(await judged(here)).toEqual([0, 4, 0]);
    expect(await judged(here)).toEqual([0, 0, 0]);
    expect((await judged(here, '--again'))[0]).toBe(asked);
  });
});

describe('a grader', () => {
  it('without a readable answer makes eval and score fail', async () => {
    const here = prepared();
    writeFileSync(
      join(here, 'silent.mjs'),
      "export default { id: 'silent', async complete() { return { model: 'silent', text: 'no idea', finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0 }; } };\n",
    );
    writeFileSync(join(here, 'c.csv'), 'input,expected,rubric\n1+1?,2,It is kind.\n2+2?,4,It is kind.\n');
    const first = await evaluated(here, '--agents', './a.mjs', '--grader', './silent.mjs');
    expect([first.code, first.err]).toEqual([1, expect.stringContaining('grader=./silent.mjs gave no readable score.')]);
    expect((await ludus(here, ['score', 'r', '--scorers', 'grader=./silent.mjs'])).code).toBe(1);
  });
});

describe('an agent in a file', () => {
  it('is the same agent for any spelling of its path', async () => {
    const here = prepared();
    const played = async (word: string) => {
      const { played: episodes, agents } = JSON.parse((await evaluated(here, '--agents', word, '--json')).out) as {
        readonly played: number;
        readonly agents: readonly { readonly agent: string }[];
      };
      return [episodes, agents.map((row) => row.agent)];
    };
    const agents = ['mine', 'scripted:echo'];
    expect(await played('./a.mjs')).toEqual([4, agents]);
    expect(await played('a.mjs')).toEqual([0, agents]);
    expect(await played(join(here, 'a.mjs'))).toEqual([0, agents]);
  });
});
