/**
 * @file Everything for making tasks: the proposer environment and its arena, proposers, recipes of self-play, failures to tasks,
 * environments that adapt.
 */

export { adapt, drills, weakest } from './adaptation.ts';
export { createSolverPolicy } from './arena.ts';
export { tasksFromFailures } from './failures.ts';
export { menuProposer, taughtProposer } from './menu.ts';
export { createProposerEnvironment } from './proposer-environment.ts';
export { flawOf, type ProposedQuestion, type ProposerRecipe } from './recipes.ts';

export { selfPlay } from './selfplay.ts';
export { findCollapse } from './shapes.ts';
export { TaskChecker } from './task-checker.ts';
