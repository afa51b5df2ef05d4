/** @file Everything that the Tinker client exports. */

export { Tinker } from './learner.ts';
export { openTinker } from './open.ts';
