/** @file Everything that the privacy guard exports: the environment, its task generator, and the chance of a blind claim. */

export { blindChance } from './card.ts';
export { type PrivacyOutcome, privacyGuard, privacyGuardTasks } from './privacy-guard.ts';
