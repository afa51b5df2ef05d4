/** @file Every learner: models whose weights we can change. */

export { keyOf, Tabular, type TabularOptions, type TreeLoss, type TreePlay } from './tabular.ts';
export { type Codec, Tinker, type TinkerOptions } from './tinker/index.ts';
