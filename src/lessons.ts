/** @file The door to getting better, `ludus/learning`: trainers and recipes for weights, engines behind a gate for texts, teachers, proposers, red teams. */

export { type AnyRecipe, type TrainingRun, trainerOf } from './company/trainers.ts';
export { type TrainingReport, train, training } from './company/training.ts';
export { Tabular, Tinker } from './learners/index.ts';
export { hasRuntime, learnVocabulary, Transformer } from './learners/transformer/index.ts';
export { armsRace, diversityOf, figuresOf, guard, redTeams, threadedSearch } from './learning/adversaries/index.ts';
export { cellsReport, type FourCells, fourCells } from './learning/cells.ts';
export { acrossTexts, fastSlow } from './learning/fast-slow.ts';
export { League } from './learning/league.ts';
export { Loop, type Metrics } from './learning/loop.ts';
export { desirabilities, type PreferencePair, personaPairs, preferencePairs } from './learning/preferences.ts';
export { adapt, arenaOf, Inspector, proposerRecipe, selfPlay, tasksFromFailures, workshopOf } from './learning/proposers/index.ts';
export type { Recipe } from './learning/recipe.ts';
export { recipes } from './learning/recipes/index.ts';
export { type Splice, splice } from './learning/splice.ts';
export { Syllabus, type Teacher, teacherNames } from './learning/teachers/index.ts';
export { Archive, openArchives, restored } from './learning/texts/archive.ts';
export { type Candidate, startOf } from './learning/texts/candidate.ts';
export { componentsOf, withComponents } from './learning/texts/components.ts';
export { type Engine, engine, held, type Proposer, selectScore } from './learning/texts/engine.ts';
export { engines } from './learning/texts/engines/index.ts';
export { Evaluator, type Ground } from './learning/texts/evaluator.ts';
export { type GateRule, gateRules, judge, type Verdict } from './learning/texts/gate.ts';
export { episodeGround } from './learning/texts/ground.ts';
export { type Improvement, improve } from './learning/texts/improve.ts';
export { reflectWith } from './learning/texts/proposers/reflect.ts';
export type { ImproveReport } from './learning/texts/report.ts';
