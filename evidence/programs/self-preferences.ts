/**
 * @file A policy over five answers learns from comparisons of its own answers by a noisy judge. Three answers beat each other in a
 * cycle, and two are worse than these. Options: recipe, settings (JSON list of NAME=VALUE), matrix ("cyclic" or "transitive"), seed.
 * Prints how often the best opponent is preferred to the last policy and to the average of all policies (.5 is the best possible), and
 * the mean log-probability of winning answers.
 */

import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { type Environment, type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { Tabular } from '@ludus-agents/learning/internal/learners/index';
import type { JudgedEpisode } from '@ludus-agents/learning/internal/rl/judging';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { TrainingLoop } from '@ludus-agents/learning/internal/rl/training-loop';
import type { ProgramOptions } from '../arms.ts';

const answers = ['[a]', '[b]', '[c]', '[d]', '[e]'];

const writer: Environment<{ done: boolean }, Record<string, never>> = {
  id: 'writer@1',
  about: { summary: 'One of five answers.', tasks: [{}], turns: 1 },
  parameters: {},
  task: () => ({}),
  seats: () => ['writer'],
  start: () => ({ state: { done: false }, messages: [], asks: [{ seat: 'writer', choices: answers }] }),
  step: () => ({ state: { done: true }, messages: [], asks: [], rewards: { writer: 0 } }),
};

export default async function run({
  recipe: name = 'sppo',
  settings = '[]',
  matrix = 'cyclic',
  noise = 'no',
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'self-preferences');
  const beats = preferencesBy(String(matrix), random);
  const recipe = override(builtInRecipe(String(name)), JSON.parse(String(settings)) as readonly string[]);
  const decisions = flatten(gameTree(writer));
  const learner = new Tabular({ game: decisions, optimiser: recipe.training.optimiser });
  let compared = 0;
  const prefer = (left: JudgedEpisode, right: JudgedEpisode) => {
    compared++;
    const chance = beats[answerOf(left)][answerOf(right)];
    return noise === 'yes' ? (random.next() < chance ? 1 : 0) : chance;
  };
  const loop = new TrainingLoop(recipe, { environment: writer as never, learner, seed: Number(seed), decisions, prefer });
  await loop.run();
  const worst = (policy: readonly number[]) =>
    Math.max(...beats.map((row) => row.reduce((sum, chance, other) => sum + chance * policy[other], 0)));
  const last = Array.from(learner.strategy()[0] ?? []);
  return { worst: worst(last), average: worst(Array.from(loop.average()?.[0] ?? [])), compared, last };
}

/** Three answers beat each other in a circle and the other two by far; or the earlier of any two wins. */
function preferencesBy(matrix: string, random: Rng): readonly (readonly number[])[] {
  const beats = answers.map(() => answers.map(() => 0.5));
  for (let a = 0; a < answers.length; a++)
    for (let b = a + 1; b < answers.length; b++) {
      const wins = matrix === 'transitive' || b > 2 || b - a === 1;
      beats[a][b] = 0.5 + (wins ? 1 : -1) * (0.05 + 0.4 * random.next());
      beats[b][a] = 1 - beats[a][b];
    }
  return beats;
}

function answerOf({ log }: JudgedEpisode): number {
  const action = log.find((event) => event.kind === 'action');
  return answers.indexOf(action?.kind === 'action' ? (action.action.text ?? '') : '');
}
