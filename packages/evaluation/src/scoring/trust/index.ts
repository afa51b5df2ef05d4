/** @file Everything about the trust in judges. */

export { cardLine, examine, type Grade, type TrustCard } from './card.ts';
export { controlNames } from './control-names.ts';
export { controlJudge } from './controls.ts';
