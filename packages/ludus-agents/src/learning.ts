/** @file `ludus-agents/learning`: trainers and recipes for weights, engines behind a gate for texts, teachers, proposers, red teams. */

import '@ludus-agents/servers/internal/kinds';

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
} from '@ludus-agents/learning/internal/adversaries/index';
export {
  checkNames,
  createCheck,
  createProposerEnvironment,
  createSolverPolicy,
  draftForm,
  findCollapse,
  type ProposerRecipe,
  type TaskCheck,
  TaskChecker,
} from '@ludus-agents/learning/internal/curricula/proposers/index';
export { TaskTeacher, type Teacher } from '@ludus-agents/learning/internal/curricula/teachers/index';
export {
  estimateMake,
  type MakeReport,
  type MakeRequest,
  type MakeWork,
  makeDataset,
} from '@ludus-agents/learning/internal/datasets/make/dataset';
export type { ImproveRequest } from '@ludus-agents/learning/internal/improving/improve';
export { Gaussian, Tabular, Tinker } from '@ludus-agents/learning/internal/learners/index';
export { hasRuntime, learnVocabulary, Transformer } from '@ludus-agents/learning/internal/learners/transformer/index';
export {
  definePipeline,
  type MadeItem,
  type MakeSteps,
  type Pipeline,
  type PipelineSource,
} from '@ludus-agents/learning/internal/pipelines/pipeline';
export { type Archive, openArchives, restoreSpec } from '@ludus-agents/learning/internal/prompts/archive';
export type { Candidate } from '@ludus-agents/learning/internal/prompts/candidate';
export { componentsOf, withComponents } from '@ludus-agents/learning/internal/prompts/components';
export { defineEngine, type Engine, holdChild, type Proposer, selectScore } from '@ludus-agents/learning/internal/prompts/engine';
export { engines } from '@ludus-agents/learning/internal/prompts/engines/index';
export { togetherWith } from '@ludus-agents/learning/internal/prompts/engines/together';
export { createEpisodeTrials } from '@ludus-agents/learning/internal/prompts/episode-trials';
export type { TrialEnvironment, TrialRunner } from '@ludus-agents/learning/internal/prompts/evaluator';
export { acrossTexts, fastSlow } from '@ludus-agents/learning/internal/prompts/fast-slow';
export { type GateRule, type GateVerdict, gateRules, judgePairs } from '@ludus-agents/learning/internal/prompts/gate';
export { type Improvement, improve as improveSteps } from '@ludus-agents/learning/internal/prompts/improve';
export { reflectWith } from '@ludus-agents/learning/internal/prompts/proposers/reflect';
export type { ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
export { lightRound } from '@ludus-agents/learning/internal/prompts/round';
export { cellsReport, type FourCells, fourCells } from '@ludus-agents/learning/internal/prompts/weights-by-texts';
export { League } from '@ludus-agents/learning/internal/rl/league';
export { desirabilities, type PreferencePair, personaPairs, preferencePairs } from '@ludus-agents/learning/internal/rl/preference-pairs';
export type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
export { recipes } from '@ludus-agents/learning/internal/rl/recipes/index';
export { type Splice, splice } from '@ludus-agents/learning/internal/rl/splice';
export { type Metrics, TrainingLoop } from '@ludus-agents/learning/internal/rl/training-loop';
export type { TrainingReport } from '@ludus-agents/learning/internal/training/train';
export type { TrainingRun } from '@ludus-agents/learning/internal/training/training-run';
export { prepareMake, runTraining } from './user-learning.ts';
