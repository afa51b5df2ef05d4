/** @file Trains a language model in this process to play a small world by self-play, and measures it by the chances of its own tokens. */

import { distance } from '../environments/solve/best-response.ts';
import { gameTree } from '../environments/solve/tree.ts';
import { learnVocabulary, Transformer } from '../learners/transformer/index.ts';
import { type LanguageProgress, type LanguageRecipe, LanguageTraining } from '../learning/language.ts';
import { textsOf } from '../learning/texts.ts';
import { worldOf } from './worlds.ts';

export interface LanguageHands {
  readonly cwd: string;
  readonly seed: number;
  /** Where the last weights are kept; nothing is kept without it. */
  readonly folder?: string;
  readonly tell?: (progress: LanguageProgress, updates: number) => void;
  readonly every?: number;
  readonly signal?: AbortSignal;
}

export interface LanguageReport {
  readonly exploitability: number;
  readonly games: number;
  readonly seconds: number;
  readonly invalid: number;
  /** Tokens it has said in play. */
  readonly sampled: number;
}

/** A training that is ready to run, and its learner. */
export async function languageTraining(
  recipe: LanguageRecipe,
  hands: LanguageHands,
): Promise<{ readonly training: LanguageTraining; readonly learner: Transformer }> {
  const { cwd, seed, folder, tell, every, signal } = hands;
  const environment = await worldOf(recipe.environment, cwd);
  const tree = gameTree(environment);
  const vocabulary = learnVocabulary(await textsOf(environment, 64, seed), 1024);
  const learner = await Transformer.create({
    id: `local/${recipe.name}`,
    vocabulary,
    seed,
    maxTokens: 8,
    ...(folder !== undefined && { folder }),
  });
  const training: LanguageTraining = new LanguageTraining(recipe, {
    environment,
    learner,
    seed,
    situations: tree.sets.map(({ view, choices }) => ({ view, choices })),
    exploitability: (strategy) => distance(tree, strategy).exploitability,
    ...(tell !== undefined && { tell: (progress: LanguageProgress) => tell(progress, training.updates) }),
    ...(every !== undefined && { every }),
    ...(signal !== undefined && { signal }),
  });
  return { training, learner };
}

export async function trainLanguage(recipe: LanguageRecipe, hands: LanguageHands): Promise<LanguageReport> {
  const began = performance.now();
  const { training, learner } = await languageTraining(recipe, hands);
  const { exploitability, games, invalid } = await training.run();
  if (hands.folder !== undefined) await learner.save();
  const seconds = (performance.now() - began) / 1000;
  return { exploitability: exploitability as number, games, seconds, invalid, sampled: learner.sampled };
}
