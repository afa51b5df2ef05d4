/** @file A step critic that was trained here is a scorer, and what it calls wrong can be masked. */

import { expect, it } from 'vitest';
import { folder } from '../cli/terminal.cases.ts';
import { rng, scriptedPolicy } from '../core/index.ts';
import { rollout } from '../engine/rollout.ts';
import { builtInEnvironment } from '../environments/index.ts';
import { turnsInLog } from '../learning/rl/log-turns.ts';
import { override } from '../learning/rl/recipe-overrides.ts';
import { builtInRecipe } from '../learning/rl/recipes/index.ts';
import { maskedTurns, readBound } from '../store/exports/index.ts';
import { train } from '../training/train.ts';
import { loadScorer } from './evaluation-loaders.ts';
import { runFolder } from './run-folder.ts';
import { Trust } from './trust.ts';

it('critic=RUN scores every step of an episode, and masks read its scores', async () => {
  const cwd = folder();
  const recipe = override(builtInRecipe('spc'), ['training.games=1280', 'training.rate={"from":0.5,"to":0.5}']);
  await train({ recipe, seed: 1 }, { trust: Trust.commandLine, cwd, folder: runFolder(cwd, 'steps') });
  const lake = await builtInEnvironment('frozen-lake');
  const walker = scriptedPolicy('random', ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices!) }));
  const logs = await rollout(lake, { walker }, { seeds: Array.from({ length: 20 }, (_, i) => i), task: recipe.training.task! });
  const scorer = await loadScorer('critic=steps', cwd, Trust.commandLine);
  let [steps, wrong] = [0, 0];
  for (const events of logs) {
    const scores = await scorer.score({ episodes: [{ id: 'one', events }], rng: rng(1) }, new AbortController().signal);
    const masked = maskedTurns({ events, scores }, 'walker', [readBound('error>=1', '--mask')]);
    expect(scores.map(({ turn }) => turn)).toEqual(turnsInLog(events, ['walker']).map(({ number }) => number));
    expect([...masked]).toEqual(scores.filter(({ value }) => value === 1).map(({ turn }) => turn));
    [steps, wrong] = [steps + scores.length, wrong + masked.size];
  }
  expect([wrong > 0, wrong < steps]).toEqual([true, true]);
  await expect(async () => loadScorer('critic=nobody', cwd, Trust.commandLine)).rejects.toThrow(/no training run/);
});
