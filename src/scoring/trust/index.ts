/** @file Everything about the trust in judges. */

export { cardLine, examine, type Grade, type TrustCard } from './card.ts';
export { type Control, controlJudge, controlNames } from './controls.ts';
