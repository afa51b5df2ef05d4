/** @file Everything for writing tasks: the environment of a writer and its arena, drafts, checks, and recipes of how writers are rewarded. */

export { createSolverPolicy } from './arena.ts';
export { checkNames, createCheck, type TaskCheck } from './checks.ts';
export { draftForm } from './drafts.ts';
export { createProposerEnvironment } from './proposer-environment.ts';
export type { ProposerRecipe } from './recipes.ts';

export { findCollapse } from './shapes.ts';
export { TaskChecker } from './task-checker.ts';
