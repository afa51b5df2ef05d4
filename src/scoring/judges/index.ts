/** @file The door of the judges. */

export { parseFailureRate } from './ask.ts';
export { createJudge, type Judge } from './judge.ts';
export * from './rubric.ts';
