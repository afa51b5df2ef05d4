import { readFile, writeFile } from 'node:fs/promises';
import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { check, playthrough } from '@ludus-agents/kernel/internal/engine/check';
import { describe, expect, it } from 'vitest';
import { amount } from './fixtures/amount.ts';

const update = process.env['UPDATE_GOLDEN'] === '1';
const fileOf = (name: string) => new URL(`./golden/${name}.txt`, import.meta.url);

/** The golden text of a world, or null where none was written yet. */
async function goldenOf(name: string): Promise<string | null> {
  return readFile(fileOf(name), 'utf8').catch(() => null);
}

describe('golden playthroughs', () => {
  it.each(environmentNames())('of %s', async (name) => {
    const text = await playthrough(await builtInEnvironment(name));
    if (update) await writeFile(fileOf(name), text);
    const golden = await goldenOf(name);
    if (golden === null)
      expect.fail(`test/golden/${name}.txt is missing; read what \`npm run golden\` writes there, then keep it with the world.`);
    expect(text).toBe(golden);
  });
});

describe('every built-in world keeps the rules of the conformance kit', () => {
  it.each(environmentNames())('%s', async (name) => {
    const environment = await builtInEnvironment(name);
    // A script of liar's dice solves the game first, which takes seconds with the six faces of its first task.
    const tasks = name === 'liars-dice' ? environment.about.tasks.slice(amount(1, 0)) : environment.about.tasks;
    expect(
      await check({ ...environment, about: { ...environment.about, tasks } }, { episodes: amount(2, 200), steps: amount(100, 8000) }),
    ).toEqual([]);
  });
});
