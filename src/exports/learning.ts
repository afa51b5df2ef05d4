/** @file `ludus/learning`: trainers and recipes for weights, engines behind a gate for texts, teachers, proposers, red teams. */

import '../workspace/all-kinds.ts';

export {
  estimateMake,
  type MakeReport,
  type MakeRequest,
  type MakeWork,
  makeDataset,
} from '../datasets/make/dataset.ts';
export type { ImproveRequest } from '../improving/improve.ts';
export { Gaussian, Tabular, Tinker } from '../learners/index.ts';
export { hasRuntime, learnVocabulary, Transformer } from '../learners/transformer/index.ts';
export {
  armsRace,
  attackerBy,
  createRewriter,
  defenderBy,
  diversityOf,
  figuresOf,
  guard,
  KnownParts,
  linesFor,
  type RedTeam,
  redTeams,
  rolesBy,
  threadedSearch,
  toggleLine,
  verdictOf,
} from '../learning/adversaries/index.ts';
export {
  adapt,
  createProposerEnvironment,
  createSolverPolicy,
  drills,
  findCollapse,
  flawOf,
  menuProposer,
  type ProposedQuestion,
  type ProposerRecipe,
  selfPlay,
  TaskChecker,
  tasksFromFailures,
  taughtProposer,
  weakest,
} from '../learning/curricula/proposers/index.ts';
export { TaskTeacher, type Teacher } from '../learning/curricula/teachers/index.ts';
export {
  definePipeline,
  type MadeItem,
  type MakeSteps,
  type Pipeline,
  type PipelineSource,
} from '../learning/pipelines/pipeline.ts';
export { type Archive, openArchives, restoreSpec } from '../learning/prompts/archive.ts';
export type { Candidate } from '../learning/prompts/candidate.ts';
export { componentsOf, withComponents } from '../learning/prompts/components.ts';
export { defineEngine, type Engine, holdChild, type Proposer, selectScore } from '../learning/prompts/engine.ts';
export { engines } from '../learning/prompts/engines/index.ts';
export { togetherWith } from '../learning/prompts/engines/together.ts';
export { createEpisodeTrials } from '../learning/prompts/episode-trials.ts';
export type { TrialEnvironment, TrialRunner } from '../learning/prompts/evaluator.ts';
export { acrossTexts, fastSlow } from '../learning/prompts/fast-slow.ts';
export { type GateRule, type GateVerdict, gateRules, judgePairs } from '../learning/prompts/gate.ts';
export { type Improvement, improve } from '../learning/prompts/improve.ts';
export { reflectWith } from '../learning/prompts/proposers/reflect.ts';
export type { ImproveReport } from '../learning/prompts/report.ts';
export { lightRound } from '../learning/prompts/round.ts';
export { cellsReport, type FourCells, fourCells } from '../learning/prompts/weights-by-texts.ts';
export { League } from '../learning/rl/league.ts';
export { desirabilities, type PreferencePair, personaPairs, preferencePairs } from '../learning/rl/preference-pairs.ts';
export type { Recipe } from '../learning/rl/recipe.ts';
export { recipes } from '../learning/rl/recipes/index.ts';
export { usual as recipeDefaults } from '../learning/rl/recipes/parts.ts';
export { type Splice, splice } from '../learning/rl/splice.ts';
export { type Metrics, TrainingLoop } from '../learning/rl/training-loop.ts';
export type { TrainingReport } from '../training/train.ts';
export type { TrainingRun } from '../workspace/training-run.ts';
export { createImproveServices, improveRun, prepareMake, runTraining, train } from './user-learning.ts';
