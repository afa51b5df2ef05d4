/** @file The door of the privacy guard: the world, its task generator, and the chance of a blind claim. */

export { blindChance } from './card.ts';
export { type PrivacyOutcome, privacyGuard, privacyGuardTasks } from './privacy-guard.ts';
