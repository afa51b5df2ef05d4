/** @file Everything about the trust in judges. */

export { cardLine, examine, type Grade, gradeOf, type TrustCard, type TrustOptions } from './card.ts';
export { type Control, controlJudge, controlNames } from './controls.ts';
export { corruptors, type Planted, type Source } from './corrupt.ts';
export type { Count, Measures } from './measure.ts';
export { cleanScene } from './scenes.ts';
export { type Appointment, appoint, driftOf, permit, type TrustUse } from './use.ts';
