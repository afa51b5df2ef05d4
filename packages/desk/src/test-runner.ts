/** @file Assertions about simulated conversations, for vitest, jest and node:test. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { judgeRun, type SimulatedRun } from './simulate.ts';

/** What a matcher of vitest or jest gives back. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** What is wrong with a run, with its transcript; null where it passes. Without a policy it is judged by the one that it was played with. */
export function complaintOf(run: SimulatedRun, policy?: string): string | null {
  const judged = policy === undefined ? run : judgeRun(run, policy);
  if (judged.passed) return null;
  const faults = judged.faults.map(({ fault, note, turn, quote }) => `- ${fault} in answer ${turn}: ${note}\n    "${quote}"`);
  const problems = judged.problems.map((problem) => `- ${problem}`);
  const unchecked = judged.unchecked.length === 0 ? [] : ['Could not be checked:', ...judged.unchecked.map((what) => `- ${what}`)];
  return ['The conversation does not pass:', ...faults, ...problems, ...unchecked, '', judged.transcript].join('\n');
}

/** For `expect.extend(matchers)` of vitest and jest: `expect(run).toPass(policy)`. */
export const matchers = {
  toPass(run: SimulatedRun, policy?: string): MatcherResult {
    const complaint = complaintOf(run, policy);
    return { pass: complaint === null, message: () => complaint ?? `The conversation passes, and should not:\n\n${run.transcript}` };
  },
} as const;

/** Throws unless a run passes the policy, for node:test and any other test runner. */
export function assertPasses(run: SimulatedRun, policy?: string): void {
  const complaint = complaintOf(run, policy);
  if (complaint !== null) throw new Fault('input', complaint);
}
