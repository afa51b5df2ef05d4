/**
 * @file Everything for making tasks: the proposer environment and its arena, proposers, recipes of self-play, failures to tasks,
 * environments that adapt.
 */

export { type AdaptationParts, adapt, type Cycle, type CycleFigures, drills, evenly, type Writer, weakest } from './adaptation.ts';
export { type ArenaParts, createSolverPolicy, type TriedTask } from './arena.ts';
export { type FailureParts, neighbours, tasksFromFailures } from './failures.ts';
export { menuProposer, taughtProposer } from './menu.ts';
export { createProposerEnvironment, type WorkshopOptions } from './proposer-environment.ts';
export type { ProposerRecipe } from './recipes.ts';
export { proposerRecipe, proposerRecipes } from './recipes.ts';
export { type LearnedProposer, type SelfPlayParts, type SelfPlayReport, selfPlay } from './selfplay.ts';
export { type Attempted, type DifficultyReward, findCollapse, learnable } from './shapes.ts';
export { type InspectorParts, type Solvable, TaskChecker } from './task-checker.ts';
