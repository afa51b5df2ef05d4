/** @file Everything that the judges export. */

export { parseFailureRate } from './ask.ts';
export { createJudge, type Judge } from './judge.ts';
export * from './rubric.ts';
