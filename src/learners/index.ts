/** @file Every learner: models whose weights we can change. */

export { Tabular } from './tabular.ts';
export { Tinker } from './tinker/index.ts';
