/** @file Exports of the privacy guard: the environment, its task generator, and the chance of a blind guess. */

export { blindChance } from './card.ts';
export { type PrivacyOutcome, privacyGuard, privacyGuardTasks } from './privacy-guard.ts';
