/** @file Everything that the judges export. */

export { type JudgeBudget, type JudgeCache, parseFailureRate, type Tally } from './ask.ts';
export { checklistScore } from './checklist.ts';
export { createJudge, type Judge, type JudgeOptions } from './judge.ts';
export { type SwapReport, shareOf, swapReport } from './pairwise.ts';
export { panelMean, refusals, riskRates } from './panel.ts';
export { penaltyScore } from './penalty.ts';
export * from './rubric.ts';
