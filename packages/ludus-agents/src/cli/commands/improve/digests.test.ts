/** @file `ludus improve digests` on a file of cases: the agent gets a policy, and the result says what it is worth on unseen cases. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const filler = 'Nobody in the village thinks about it before the winter comes.';

it('improve digests writes a loadable agent with a policy, and rejects too few cases', async () => {
  const here = folder();
  const cases = Array.from({ length: 36 }, (_, i) => {
    const passages = Array.from(
      { length: 9 },
      (__, k) => `${k === i % 9 ? `The mill${i} stands at post-${i}.` : `Shed ${k} is empty.`} ${filler}`,
    );
    return JSON.stringify({ question: `Where is mill${i}?`, result: passages.join('\n\n'), answer: `post-${i}` });
  });
  writeFileSync(join(here, 'cases.jsonl'), `${cases.join('\n')}\n`);
  writeFileSync(join(here, 'few.jsonl'), `${cases.slice(0, 5).join('\n')}\n`);
  writeFileSync(
    join(here, 'ann.json'),
    JSON.stringify({ name: 'Ann', kind: 'llm:fake', settings: { architecture: 'react', digests: true } }),
  );
  const { code, out } = await ludus(here, ['improve', 'digests', 'cases.jsonl', '--agent', './ann.json', '-o', 'taught.json', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ cases: 24, tested: 12, learned: { shown: 1 } });
  expect(JSON.parse(readFileSync(join(here, 'taught.json'), 'utf8')).settings.digests.weights).toHaveProperty('words');
  expect((await ludus(here, ['play', 'tic-tac-toe', '--agents', './taught.json,random'])).code).toBe(0);
  const few = await ludus(here, ['improve', 'digests', 'few.jsonl', '--agent', './ann.json', '-o', 'x.json']);
  expect([few.code, few.err]).toEqual([2, expect.stringContaining('at least 30 cases')]);
});
