/** @file Export and import: an import restores the export exactly, and unreadable data is reported with its position. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();

beforeAll(async () => {
  const plan = JSON.stringify({ name: 'base', environments: ['kuhn-poker', 'tic-tac-toe'], seeds: 5 });
  expect((await ludus(here, ['run', '-'], { typed: plan })).code).toBe(0);
});

describe('export and import', () => {
  it('copy a whole store byte for byte', async () => {
    expect((await ludus(here, ['data', 'export', '-o', 'all.jsonl'])).err).toMatch(/\d+ lines written to all\.jsonl\./);
    const copy = await ludus(here, ['data', 'import', 'all.jsonl', '--store', 'copy.sqlite']);
    expect(copy.out).toMatch(/✓ 10 new episodes with \d+ events\./);
    const again = await ludus(here, ['data', 'export', '--store', 'copy.sqlite']);
    expect(again.out).toBe(readFileSync(join(here, 'all.jsonl'), 'utf8'));
  });

  it('can be repeated and piped', async () => {
    const { out: lines } = await ludus(here, ['data', 'export', '--format', 'jsonl']);
    const first = await ludus(here, ['data', 'import', '-', '--store', 'piped.sqlite', '--json'], { typed: lines });
    expect(JSON.parse(first.out)).toMatchObject({ runs: 1, episodes: 10, skipped: 0 });
    const second = await ludus(here, ['data', 'import', '-', '--store', 'piped.sqlite', '--json'], { typed: lines });
    expect(JSON.parse(second.out)).toMatchObject({ runs: 0, episodes: 0, skipped: 10 });
  });

  it('warn if a corrected file is mixed with its earlier version, and show a run by its full name', async () => {
    const talk = (answer: string) => ({
      conversations: [
        { from: 'human', value: 'Hi.' },
        { from: 'gpt', value: answer },
      ],
    });
    const imported = async (...answers: string[]) => {
      writeFileSync(join(here, 'e.json'), JSON.stringify(answers.map(talk)));
      return (await ludus(here, ['data', 'import', 'e.json', '--store', 'talks.sqlite'])).out;
    };
    expect(await imported('Hello.', 'Good day.')).not.toContain('not in this file');
    expect(await imported('Hello.', 'Good day.', 'Hey.')).not.toContain('not in this file');
    expect(await imported('Hello.', 'Good evening.', 'Hey.')).toContain('The run also has 1 episode that is not in this file');
    await ludus(here, ['store', 'prune', 'import-e', '--yes', '--store', 'talks.sqlite']);
    expect(await imported('Hello.', 'Good evening.', 'Hey.')).not.toContain('not in this file');
    expect((await ludus(here, ['show', 'import-e', '--store', 'talks.sqlite'])).out).toContain('3 episodes ended');
  });

  it('filter episodes', async () => {
    const some = (await ludus(here, ['data', 'export', '--environment', 'tic-tac-toe@1'])).out;
    expect(some.match(/"kind":"episode"/g)).toHaveLength(5);
    expect((await ludus(here, ['data', 'export', '--run', 'ba'])).out.match(/"kind":"episode"/g)).toHaveLength(10);
  });

  it('print JSON', async () => {
    const { out, err } = await ludus(here, ['data', 'export', '-o', 'x.jsonl', '--json']);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({ file: 'x.jsonl', lines: expect.any(Number) });
  });

  it.each([
    [['data', 'export', '--format', 'jsonk'], 'Unknown format "jsonk". Available: jsonl,'],
    [['data', 'export', '--run', 'nobody'], 'Run "nobody" not found'],
    [['data', 'export', '-o', 'odd.jsonl/x'], 'odd.jsonl/x cannot be written: part of the path is a file; use another folder.'],
    [['data', 'export', '--store', 'missing.sqlite'], 'missing.sqlite. Run an episode first'],
    [['data', 'import', 'missing.jsonl'], 'missing.jsonl cannot be read: no such file or folder.'],
    [['data', 'import', '.'], '. cannot be read: it is a folder.'],
    [['data', 'import', 'odd.jsonl', '--store', 'odd.sqlite'], 'odd.jsonl: line 1 has an unknown format'],
    [['data', 'import', 'half.jsonl', '--store', 'half.sqlite'], 'incomplete'],
  ])('report an input error: %j', async (words, sentence) => {
    writeFileSync(join(here, 'odd.jsonl'), '{"hello":"world"}\n');
    const { out: lines } = await ludus(here, ['data', 'export']);
    writeFileSync(join(here, 'half.jsonl'), lines.split('\n').slice(0, 6).join('\n'));
    const { code, out, err } = await ludus(here, words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
