/** @file The door of the red team: duels, searches, arms races, GUARD, and the figures that must stand beside each other. */

export { type ArmsRaceParts, armsRace, type Bout, type Duel, type Fought, type Proposal } from './arms-race.ts';
export { type RedTeamDemo, redTeamDemo } from './demo.ts';
export { type Diversity, diversityOf, type Figures, figuresOf, leakScore, upperBound } from './figures.ts';
export { type ClauseReport, type GuardParts, type GuardRoles, guard, KnownParts, type Scene } from './guard.ts';
export { rewriting, rolesBy, type Writing } from './models.ts';
export { type Found, type Look, type SearchParts, type SearchResult, threadedSearch } from './search.ts';
export { attackerBy, defenderBy, linesFor, type RedTeam, redTeams, toggled } from './standins.ts';
export { type Verdict, verdictOf } from './verdict.ts';
