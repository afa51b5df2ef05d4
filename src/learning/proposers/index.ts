/** @file The door to making tasks: the workshop and its arena, proposers, recipes of self-play, failures to tasks, worlds that adapt. */

export { type AdaptationParts, adapt, type Cycle, drills, evenly, type Measured, type Writer, weakest } from './adaptation.ts';
export { type ArenaParts, arenaOf, type Tried } from './arena.ts';
export { type FailureParts, neighbours, tasksFromFailures } from './failures.ts';
export { menuProposer, taughtProposer } from './menu.ts';
export type { ProposerRecipe } from './recipe.ts';
export { proposerRecipe, proposerRecipes } from './recipes/index.ts';
export { type LearnedProposer, type SelfPlayParts, type SelfPlayReport, selfPlay } from './selfplay.ts';
export { type Attempted, collapsed, learnable, type Shape } from './shapes.ts';
export { Inspector, type InspectorParts, type Solvable } from './validity.ts';
export { type WorkshopOptions, workshopOf } from './workshop.ts';
