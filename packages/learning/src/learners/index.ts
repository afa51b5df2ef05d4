/** @file Every learner: models whose weights we can change. */

export { Gaussian, numbersAsked } from './gaussian/gaussian.ts';
export { countTerms } from './matching/features.ts';
export { MatchingLearner } from './matching/matching.ts';
export { Tabular } from './tabular.ts';
export { Tinker } from './tinker/index.ts';
