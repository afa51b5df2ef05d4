/** @file A locally trained step critic is a scorer, and steps that it rejects can be masked. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { turnsInLog } from '@ludus-agents/learning/internal/rl/log-turns';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { train } from '@ludus-agents/learning/internal/training/train';
import { maskedTurns, readBound } from '@ludus-agents/store/internal/exports/index';
import { expect, it } from 'vitest';
import { folder } from '../../src/cli/terminal.cases.ts';

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
  await expect(async () => loadScorer('critic=nobody', cwd, Trust.commandLine)).rejects.toThrow(/No training run at/);
});
