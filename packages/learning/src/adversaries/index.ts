/** @file Everything of the red team: duels, searches, arms races, GUARD, and the figures of harm and refusals. */

export { armsRace } from './arms-race.ts';
export { diversityOf, figuresOf } from './figures.ts';
export { guard, KnownParts } from './guard.ts';
export { createRewriter, rolesBy } from './models.ts';
export { attackerBy, defenderBy, linesFor, type RedTeam, redTeams, toggleLine } from './scripted.ts';
export { threadedSearch } from './search.ts';
export { verdictOf } from './verdict.ts';
