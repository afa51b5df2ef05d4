/** @file An experimenter leads a training: what it says to curves of three kinds, what becomes of its skills, and that it goes on where it stopped. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, expect, it } from 'vitest';
import { askSkill, askVerdict, laboratory } from '../curricula/experimenter.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { train } from './train.ts';

const cwd = mkdtempSync(join(tmpdir(), 'experiment-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const rule = scriptedPolicy('rule', laboratory.scripts!['rule']!);

it.each([
  ['rising', [0, 0.1, 0.3, 0.5], 'go on'],
  ['flat', [0.2, 0.8, 0.98, 1, 0.98], 'keep'],
  ['collapsing', [0.2, 0.8, 0.9, 0.3], 'roll back'],
  ['flat at nothing', [0, 0, 0, 0.01, 0], 'go on'],
  ['too short to tell', [0.9, 0.9], 'go on'],
] as const)('a curve that is %s, %j: %s', async (_, curve, verdict) => {
  expect(await askVerdict(rule, 'any', curve, 1)).toBe(verdict);
});

it('takes what a model says in a sentence, and the first choice where it says nothing of the kind', async () => {
  const says = (text: string) => scriptedPolicy('model', () => ({ text }));
  expect(await askVerdict(says('I would roll back now.'), 'any', [1], 1)).toBe('roll back');
  expect(await askVerdict(says('Bananas.'), 'any', [1], 1)).toBe('go on');
  expect(await askSkill(says('Next: Four'), ['two', 'four'], [], 1)).toBe('four');
});

const led = (...settings: readonly string[]) => override(builtInRecipe('game-on'), settings);

it('keeps skill after skill and ends when all are kept; the last one alone is never learned in half of its games', async () => {
  const statements: string[] = [];
  const report = (await train(
    { recipe: led(), seed: 1 },
    { trust: Trust.commandLine, cwd, folder: null, say: (item) => statements.push(item) },
  ))!;
  const verdicts = statements.flatMap((item) => /says (\w+) for (\w+)/.exec(item)?.slice(1) ?? []);
  expect(verdicts).toEqual(['keep', 'two', 'keep', 'four', 'keep', 'six', 'keep', 'eight']);
  expect(report.gain!.after).toBeGreaterThan(0.9);
  expect(report.games).toBeLessThan(9600);
  const alone = await train(
    { recipe: led('experiment.skills={"eight":{"dials":8}}', 'training.games=3200'), seed: 1 },
    { trust: Trust.commandLine, cwd, folder: null },
  );
  expect(alone!.gain!.after).toBeLessThan(0.1);
});

it('goes on where it stopped to the same end', async () => {
  const recipe = led('training.games=3840');
  const whole = await train({ recipe, seed: 2 }, { trust: Trust.commandLine, cwd, folder: join(cwd, 'whole') });
  let looks = 0;
  const folder = join(cwd, 'cut');
  expect(await train({ recipe, seed: 2 }, { trust: Trust.commandLine, cwd, folder, stopped: () => looks++ === 9 })).toBeNull();
  expect(await train({ recipe, seed: 2 }, { trust: Trust.commandLine, cwd, folder })).toMatchObject({
    returned: whole!.returned,
    games: whole!.games,
  });
});

it('has learned something though its schedule ended within a skill: the next stage has played no game yet', async () => {
  const recipe = led('training.games=320', 'experiment.skills={"one":{"dials":1},"two":{"dials":2}}');
  expect((await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd, folder: null }))!.nothing).toBeNull();
});
