/** @file Everything of the red team: duels, searches, arms races, GUARD, and the figures of harm and refusals. */

export { type ArmsRaceParts, type AttackRound, armsRace, type Duel, type Fought, type ProposeSpec } from './arms-race.ts';
export { type RedTeamDemo, redTeamDemo } from './demo.ts';
export { type Diversity, diversityOf, type Figures, figuresOf, leakScore, upperBound } from './figures.ts';
export { type AttackScene, type ClauseReport, type GuardParts, type GuardRoles, guard, KnownParts } from './guard.ts';
export { createRewriter, rolesBy, type Writing } from './models.ts';
export { attackerBy, defenderBy, linesFor, type RedTeam, redTeams, toggled } from './scripted.ts';
export { type Look, type SearchHit, type SearchParts, type SearchResult, threadedSearch } from './search.ts';
export { type AttackVerdict, verdictOf } from './verdict.ts';
