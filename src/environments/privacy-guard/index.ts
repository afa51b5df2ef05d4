/** @file The door of the privacy guard: the world, its task generator, and the leak detector. */

export { blindChance } from './card.ts';
export { type Encoding, type Exchange, leakAcross, leakIn, revealed } from './leaks.ts';
export { type Outcome, privacyGuard, privacyGuardTasks } from './world.ts';
