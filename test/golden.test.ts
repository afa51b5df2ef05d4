import { readFile, writeFile } from 'node:fs/promises';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { sha256 } from '@ludus-agents/kernel/internal/core/sha256';
import { check, playthrough } from '@ludus-agents/kernel/internal/engine/check';
import { describe, expect, it } from 'vitest';
import { amount } from './fixtures/amount.ts';

/** A transcript up to this length is kept whole; of a longer one the head is kept, and a hash of every part of the rest. */
const wholeLength = 4000;
const partLines = 40;

/** What is kept of a transcript. A part that changes changes one line of it, so that a failure still names the lines that differ. */
function shorten(text: string): string {
  if (text.length <= wholeLength) return text;
  const lines = text.split('\n');
  let head = 0;
  for (let length = 0; head < lines.length && length + lines[head]!.length < wholeLength / 2; head++) length += lines[head]!.length + 1;
  const parts: string[] = [];
  for (let from = head; from < lines.length; from += partLines) {
    const part = lines.slice(from, from + partLines);
    parts.push(`lines ${from + 1}-${from + part.length}: ${sha256(part.join('\n')).slice(0, 16)}`);
  }
  return [...lines.slice(0, head), restMark, ...parts, ''].join('\n');
}

const restMark = '… the rest by its hashes; UPDATE_GOLDEN=whole writes all of it here, before and after a change';

const update = process.env['UPDATE_GOLDEN'];
const fileOf = (name: string) => new URL(`./golden/${name}.txt`, import.meta.url);

/** The golden text of a world, or null where none was written yet. */
async function goldenOf(name: string): Promise<string | null> {
  return readFile(fileOf(name), 'utf8').catch(() => null);
}

describe('golden playthroughs', () => {
  it.each(environmentNames())('match the output of %s', async (name) => {
    const text = await playthrough(await builtInEnvironment(name));
    if (update) await writeFile(fileOf(name), update === 'whole' ? text : shorten(text));
    const golden = await goldenOf(name);
    if (golden === null) expect.fail(`test/golden/${name}.txt is missing. Run \`npm run golden\`, read the transcript, and commit it.`);
    expect(golden.includes(restMark) ? shorten(text) : text).toBe(golden);
  });
});

describe('every built-in environment', () => {
  it.each(environmentNames())('passes the conformance kit: %s', async (name) => {
    const environment = await builtInEnvironment(name);
    // A script of liar's dice solves the game first, which takes seconds with the six faces of its first task.
    const tasks = name === 'liars-dice' ? environment.about.tasks.slice(amount(1, 0)) : environment.about.tasks;
    expect(
      await check({ ...environment, about: { ...environment.about, tasks } }, { episodes: amount(1, 200), steps: amount(60, 8000) }),
    ).toEqual([]);
  });
});
