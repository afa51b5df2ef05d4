/** @file Tasks out of a user's own texts: ideas that become quests, documents that become questions. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const suiteIn = (file: string) => JSON.parse(readFileSync(join(here, file), 'utf8'));

describe('tasks ideas', () => {
  const egg = 'The barn is north of the yard. The egg is in the barn. Bring the egg to the yard.';

  it('keeps what can be won and tells why the rest is left out; the suite is played by the script', async () => {
    writeFileSync(join(here, 'ideas.txt'), `${egg}\n\nThe egg is in the barn.\n\n${egg.replace('is in', 'is made from milk in')}\n`);
    const { code, out } = await ludus(here, ['tasks', 'ideas', 'ideas.txt', '-o', 'quests.json', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ made: 1, commands: [3], down: [{ why: expect.stringContaining('what to reach') }, {}] });
    expect(suiteIn('quests.json').scenes[0].tasks).toEqual([{ idea: egg }]);
    const played = await ludus(here, ['eval', 'quests.json', '--agents', 'scripted', '--json']);
    expect(played.code).toBe(0);
  });

  it('is refused in a sentence where nothing can be made of a file', async () => {
    writeFileSync(join(here, 'lake.txt'), 'A lake.');
    expect((await ludus(here, ['tasks', 'ideas', 'lake.txt', '-o', 'x.json'])).err).toContain('No idea of lake.txt could be used');
    expect((await ludus(here, ['tasks', 'ideas', 'none.txt', '-o', 'x.json'])).err).toContain('none.txt cannot be read');
  });
});

describe('tasks library', () => {
  it('takes Markdown and HTML of a folder, and says what it leaves out', async () => {
    mkdirSync(join(here, 'notes', 'deep'), { recursive: true });
    writeFileSync(join(here, 'notes', 'index.md'), '# Index\n[a](deep/a.md) and [b](b.html)');
    writeFileSync(join(here, 'notes', 'deep', 'a.md'), '# A\nback to the [index](../index.md)');
    writeFileSync(join(here, 'notes', 'b.html'), '<title>B</title><a href="deep/a.md">A</a>');
    writeFileSync(join(here, 'notes', 'two words.md'), '# Nobody can open this');
    writeFileSync(join(here, 'notes', 'c.txt'), 'no document');
    const { code, out } = await ludus(here, ['tasks', 'library', 'notes', '--seeds', '2', '-o', 'questions.json', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ documents: 3, skipped: [{ path: 'two words.md' }] });
    expect(Object.keys(suiteIn('questions.json').scenes[0].tasks[0].documents)).toEqual(['b.html', 'deep/a.md', 'index.md']);
    expect((await ludus(here, ['eval', 'questions.json', '--agents', 'random', '--json'])).code).toBe(0);
  });

  it('takes questions of one’s own, and refuses those that cite what is not there', async () => {
    const question = { ask: 'What is there?', answer: 'A', cites: ['deep/a.md'] };
    writeFileSync(join(here, 'asked.json'), JSON.stringify([question]));
    writeFileSync(join(here, 'wrong.json'), JSON.stringify([{ ...question, cites: ['z.md'] }]));
    const make = (file: string) => ludus(here, ['tasks', 'library', 'notes', '--questions', file, '-o', 'own.json', '--json']);
    expect((await make('asked.json')).code).toBe(0);
    expect(suiteIn('own.json').scenes[0].tasks[0].questions).toEqual([question]);
    expect((await make('wrong.json')).err).toContain('paths among the documents');
    expect((await make('none.json')).err).toContain('none.json cannot be read');
    expect((await ludus(here, ['tasks', 'library', 'nowhere', '-o', 'x.json'])).err).toContain('cannot be read as a folder');
  });
});
