/**
 * @file Sets up a language model in this process that learns by self-play: its environments, a vocabulary, and the exact solution to
 * measure against.
 */

import type { AnyEnvironment } from '../core/index.ts';
import { distance } from '../environments/solve/best-response.ts';
import { gameTree } from '../environments/solve/tree.ts';
import { learnVocabulary, Transformer } from '../learners/transformer/index.ts';
import { LanguageTraining } from '../learning/rl/language-training.ts';
import type { LanguageRecipe } from '../learning/rl/recipes/language.ts';
import { textsOf } from '../learning/rl/vocabulary-texts.ts';
import { resolveEnvironment } from '../workspace/environments.ts';
import { opponentBy } from './rollout-trainer.ts';

export interface LanguageServices {
  readonly cwd: string;
  readonly seed: number;
  /** Where weights are kept; without it a checkpoint contains them. */
  readonly folder?: string | null;
}

export interface LanguageTrainer {
  readonly training: LanguageTraining;
  readonly learner: Transformer;
}

/** Environments whose every situation can be asked about between two updates. */
const solvable = ['kuhn-poker'];

/**
 * A training that is ready to run, and its learner. One environment that is small enough is measured by the chances of the model's own
 * tokens.
 */
export async function languageTraining(recipe: LanguageRecipe, services: LanguageServices): Promise<LanguageTrainer> {
  const { cwd, seed, folder } = services;
  const environments: AnyEnvironment[] = [];
  const texts: string[] = [];
  for (const { environment: name, task } of recipe.worlds) {
    const environment = await resolveEnvironment(name, cwd);
    environments.push(environment);
    texts.push(...(await textsOf(environment, { games: 64, seed, task })));
  }
  const { width, layers, heads, context, vocabulary } = recipe.sizes;
  const learner = await Transformer.create({
    id: `local/${recipe.name}`,
    vocabulary: learnVocabulary(texts, vocabulary),
    ...{ seed, width, layers, heads, context, maxTokens: 8 },
    ...(typeof folder === 'string' && { folder }),
  });
  const [world, ...others] = recipe.worlds;
  const parts = { environments, learner, seed, anchor: opponentBy };
  if (world === undefined || others.length > 0 || !solvable.includes(world.environment))
    return { training: new LanguageTraining(recipe, parts), learner };
  const tree = gameTree(environments[0] as AnyEnvironment, world.task);
  const training = new LanguageTraining(recipe, {
    ...parts,
    situations: tree.sets.map(({ view, choices }) => ({ view, choices })),
    exploitability: (strategy) => distance(tree, strategy).exploitability,
  });
  return { training, learner };
}
