/** @file Everything that the Tinker client exports. */

export type { Codec } from './codec.ts';
export { Tinker, type TinkerOptions } from './learner.ts';
