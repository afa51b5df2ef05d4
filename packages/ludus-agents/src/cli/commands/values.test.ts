/** @file Values that cannot be meant are refused at the door, with what would be right. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import { recipeNames } from '@ludus-agents/learning/internal/recipes';
import { checkRecipe } from '@ludus-agents/learning/internal/rl/recipe-shape';
import { describe, expect, it } from 'vitest';
import { exits } from '../command.ts';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();

describe('an implausible value', () => {
  it.each([
    [['train', 'gigpo', '--set', 'training.batch=-5'], '--set: training.batch must be an integer from 1 to 10,000,000, but got -5.'],
    [
      ['train', 'gigpo', '--set', 'training.rate.from=1e300'],
      '--set: training.rate.from must be a number above 0, at most 1000, but got 1e+300.',
    ],
    [['train', 'gigpo', '--set', 'training.rate={"from":1e999,"to":1}'], 'but got Infinity.'],
    [['train', 'kuhn-lm', '--set', 'training.batch=0'], '--set: training.batch must be an integer from 1'],
    [['help', 'nosuch'], 'Unknown command "nosuch".'],
    [['help', 'evla'], 'Did you mean "eval"?'],
    [['help', 'persona', 'imprt'], 'Unknown command "persona imprt". Did you mean "import"?'],
  ])('is rejected with an explanation: %j', async (words, sentence) => {
    const { code, err } = await ludus(here, words);
    expect([code, err]).toEqual([exits.input, expect.stringContaining(sentence)]);
  });

  it('is in no built-in recipe', async () => {
    for (const name of Object.keys(recipeNames)) {
      const recipe = await loadRecipe(name, '.', Trust.commandLine);
      expect(checkRecipe(recipe, name)).toEqual(recipe);
    }
  });

  it('can be an unknown score', async () => {
    await ludus(here, ['play', 'kuhn-poker', '--watch', '--agents', 'random']);
    const words = ['data', 'export', '--format', 'trl-sft', '-o', 'sft', '--where'];
    const wrong = await ludus(here, [...words, 'retrun>=1']);
    expect([wrong.code, wrong.err]).toEqual([exits.input, expect.stringContaining('Did you mean "return"?')]);
    expect((await ludus(here, [...words, 'return>=-9'])).code).toBe(exits.fine);
  });

  it('can be a misspelled text name', async () => {
    const spec = { name: 'slip', kind: 'llm', model: 'fake', texts: { instrution: 'Be brief.' } };
    writeFileSync(join(here, 'slip.json'), JSON.stringify(spec));
    const { code, err } = await ludus(here, ['eval', 'games-core', '--agents', 'slip.json', '--yes']);
    expect([code, err]).toEqual([exits.input, expect.stringContaining('a text called "instrution"; did you mean "instruction"?')]);
    writeFileSync(
      join(here, 'fine.json'),
      JSON.stringify({ ...spec, texts: { instruction: 'Be brief.', 'skill/refund': 'Ask.', construction: 'x' } }),
    );
    expect((await ludus(here, ['eval', 'games-core', '--agents', 'fine.json', '--seeds', '1', '--yes'])).err).not.toContain('did you mean');
  });

  it('is reported as JSON with --json', async () => {
    const { code, out } = await ludus(here, ['report', 'nothing', '--json']);
    expect(JSON.parse(out)).toEqual({ error: expect.any(String), exit: code, code: 'E_NOT_FOUND' });
    expect(JSON.parse((await ludus(here, ['eval', 'nothing', '--json'])).out)).toMatchObject({ error: expect.any(String), exit: 2 });
  });

  it.each(['ts', 'mjs'])('in a custom file is reported with file and line (.%s)', (ending) => {
    writeFileSync(join(here, `bad.${ending}`), 'export const a = 1;\nconst x = ;\n');
    const file = join(import.meta.dirname, '../../../../agents/src/workspace/environments.ts');
    const trust = join(import.meta.dirname, '../../../../agents/src/workspace/trust.ts');
    const loading = `m.resolveEnvironment('./bad.${ending}', ${JSON.stringify(here)}, t.Trust.commandLine)`;
    const program = `Promise.all([import(${JSON.stringify(file)}), import(${JSON.stringify(trust)})]).then(([m, t]) => ${loading}).catch((e) => console.log(e.message))`;
    const speech = execFileSync(process.execPath, ['--no-warnings', '-e', program], { encoding: 'utf8' });
    expect(speech).toContain(`bad.${ending}:2 could not be loaded: `);
  });
});
