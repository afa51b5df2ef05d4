/** @file Ratings: who is stronger, how sure that is, and who should play whom next. */

export * from './bout.ts';
export {
  type BradleyTerry,
  type BradleyTerryOptions,
  bradleyTerry,
  chanceToWin,
  type Rated,
} from './bradley-terry.ts';
export * from './elo.ts';
export * from './glicko.ts';
export * from './pairing.ts';
export * from './rank-bootstrap.ts';
export * from './separation.ts';
export * from './trueskill.ts';
