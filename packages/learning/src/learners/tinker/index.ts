/** @file Everything that the Tinker client exports. */

export { fetchAdapter } from './adapter.ts';
export { peftConfigOf } from './adapter-peft.ts';
export { Tinker } from './learner.ts';
export { openTinker } from './open.ts';
