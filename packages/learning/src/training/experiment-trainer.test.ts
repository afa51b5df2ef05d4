/** @file An experimenter leads a training: what it says to curves of three kinds, what becomes of its skills, and that it goes on where it stopped. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { afterAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { askSkill, askVerdict, laboratory } from '../curricula/experimenter.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { runFolder } from './run-folder.ts';
import { policyFor } from './seat-policies.ts';
import { train } from './train.ts';

const cwd = mkdtempSync(join(tmpdir(), 'experiment-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const rule = scriptedPolicy('rule', laboratory.scripts!['rule']!);

it.each([
  ['rising', [0, 0.1, 0.3, 0.5], 'go on'],
  ['flat', [0.2, 0.8, 0.98, 1, 0.98], 'keep'],
  ['collapsing', [0.2, 0.8, 0.9, 0.3], 'roll back'],
  ['flat at zero', [0, 0, 0, 0.01, 0], 'go on'],
  ['too short to tell', [0.9, 0.9], 'go on'],
] as const)('experimenter judges a curve that is %s, %j: %s', async (_, curve, verdict) => {
  expect(await askVerdict(rule, 'any', curve, 1)).toBe(verdict);
});

it("reads a model's verdict from a sentence and defaults to the first choice", async () => {
  const says = (text: string) => scriptedPolicy('model', () => ({ text }));
  expect(await askVerdict(says('I would roll back now.'), 'any', [1], 1)).toBe('roll back');
  expect(await askVerdict(says('Bananas.'), 'any', [1], 1)).toBe('go on');
  expect(await askSkill(says('Next: Four'), ['two', 'four'], [], 1)).toBe('four');
});

/** Enough of a language model for what does not depend on its size. */
const small = amount(0, 1) === 1 ? [] : ['training.sizes={"width":16,"layers":1,"heads":2,"context":192}'];

const led = (...settings: readonly string[]) => override(builtInRecipe('game-on'), settings);

it('keeps skill after skill until all are kept, where the hardest skill alone is never learned', async () => {
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

it('resumes to the same end', async () => {
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

it('reports learning even if the schedule ends inside a skill', async () => {
  const recipe = led('training.games=320', 'experiment.skills={"one":{"dials":1},"two":{"dials":2}}');
  expect((await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd, folder: null }))!.nothing).toBeNull();
});

it('moves the weights of a language model from skill to skill, whose texts differ', async () => {
  const skills = 'experiment.skills={"one":{"dials":1},"four":{"dials":4}}';
  const recipe = led('experiment.by=random', 'experiment.look=1', 'training.learner=transformer', 'training.games=256', skills, ...small);
  const statements: string[] = [];
  await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd, folder: null, say: (item) => statements.push(item) });
  expect(statements.filter((item) => /says (keep|roll back)/.test(item)).length).toBeGreaterThan(1);
});

it('lets a language model choose among skills, and play them from its checkpoint', async () => {
  const games = `training.games=${amount(50, 100)}`;
  const settings = ['training.learner=transformer', 'training.optimiser=adam', 'training.rate={"from":0.003,"to":0.003}', games, ...small];
  const recipe = override(builtInRecipe('skill-controller'), settings);
  const report = await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd, folder: runFolder(cwd, 'chooser') });
  expect(report!.gain!.after).toBeGreaterThan(report!.gain!.before);
  const environment = await builtInEnvironment('dilemma');
  const policy = await policyFor('local/chooser@last', { seat: 'first', environment, cwd, trust: Trust.commandLine });
  const other = await policyFor('allc', { seat: 'second', environment, cwd, trust: Trust.commandLine });
  const [log] = await rollout(environment, { first: policy, second: other }, { seeds: [1], task: { rounds: 10 } });
  expect(log!.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
});

it('lets the solver of written tasks imitate before the first game', async () => {
  const start = [
    'training.learner=transformer',
    `training.games=${amount(32, 128)}`,
    'training.optimiser=adam',
    'training.rate={"from":0.001,"to":0.001}',
  ];
  const settings = [...start, 'training.warmUp={"games":64,"steps":40,"rate":0.003,"rows":32}'];
  const at = { trust: Trust.commandLine, cwd, folder: null };
  const plain = await train({ recipe: override(builtInRecipe('pae'), start), seed: 1 }, at);
  expect(plain!.nothing).toMatch(/training\.warmUp/);
  const shown = await train({ recipe: override(builtInRecipe('pae'), settings), seed: 1 }, at);
  expect(shown!.gain!.before).toBeGreaterThan(plain!.gain!.before);
});

describe('proposed skills', () => {
  const skills = 'experiment.skills={"four":{"dials":4},"six":{"dials":6}}';
  const at = (folder: string | null, say?: (item: string) => void) => ({
    ...{ trust: Trust.commandLine, cwd, folder },
    ...(say !== undefined && { say }),
  });

  it('are written from the first update on, with rejections counted', async () => {
    const statements: string[] = [];
    const recipe = led(
      'training.games=2560',
      'training.environment=forge',
      'experiment.propose=3',
      'experiment.skills={"four":{"goal":4}}',
    );
    const report = (await train(
      { recipe, seed: 1 },
      at(null, (item) => statements.push(item)),
    ))!;
    expect(report.acted['skills proposed']).toBeGreaterThan(0);
    expect(report.acted['skills proposed that were refused']).toBeGreaterThan(0);
    const proposals = statements.filter((item) => /proposes .* solved at a rate/.test(item));
    expect(proposals[0]).toMatch(/^Update 0/);
    expect(proposals).toHaveLength(report.acted['skills proposed']!);
  });

  it('that are invalid are reported, counted, and replaced by listed skills', async () => {
    writeFileSync(
      join(cwd, 'experimenter.mjs'),
      `export default { name: 'experimenter', act: async ({ ask }) => ({ action: { text: ask.choices ? 'keep' : '{"dials": "many"}' } }) };`,
    );
    const statements: string[] = [];
    const recipe = led('training.games=640', skills, 'experiment.propose=2', 'experiment.by=./experimenter.mjs');
    const report = (await train(
      { recipe, seed: 1 },
      at(null, (item) => statements.push(item)),
    ))!;
    expect(report.acted).toMatchObject({ 'skills proposed': 0, 'skills proposed that were refused': 16 });
    expect(statements.filter((item) => item.includes('no proposed skill is valid'))).toHaveLength(2);
    expect(statements.flatMap((item) => /says keep for (\w+)/.exec(item)?.[1] ?? [])).toEqual(['four', 'six']);
  });

  it('resume to the same end', async () => {
    const recipe = led('training.games=1920', skills, 'experiment.propose=3');
    const whole = await train({ recipe, seed: 2 }, at(join(cwd, 'proposed')));
    let looks = 0;
    const cut = join(cwd, 'proposed-cut');
    expect(await train({ recipe, seed: 2 }, { ...at(cut), stopped: () => looks++ === 5 })).toBeNull();
    expect(await train({ recipe, seed: 2 }, at(cut))).toMatchObject({ returned: whole!.returned, games: whole!.games });
  });
});
