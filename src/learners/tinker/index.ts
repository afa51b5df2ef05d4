/** @file The door of the Tinker client. */

export type { Codec } from './codec.ts';
export { Tinker, type TinkerOptions } from './learner.ts';
