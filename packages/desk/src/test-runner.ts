/** @file Assertions about simulated conversations, for vitest, jest and node:test. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { judgeRun, type SimulatedRun } from './simulate.ts';

/** The result of a matcher in vitest or jest. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** Options for judging a run. */
export interface PassOptions {
  /** Fails if something could not be checked, such as a rule without a detector. */
  readonly strict?: boolean;
}

/** The problems of a run, with its transcript; null if it passes. By default it is judged by the policy that it was played with. */
export function complaintOf(run: SimulatedRun, policy?: string, options: PassOptions = {}): string | null {
  const judged = policy === undefined ? run : judgeRun(run, policy);
  if (judged.passed && !(options.strict === true && judged.unchecked.length > 0)) return null;
  const faults = judged.faults.map(({ fault, note, turn, quote }) => `- ${fault} in answer ${turn}: ${note}\n    "${quote}"`);
  const problems = judged.problems.map((problem) => `- ${problem}`);
  const head = judged.passed ? 'The conversation shows no fault, but not everything could be checked.' : 'The conversation does not pass:';
  return [head, ...faults, ...problems, ...uncheckedLines(judged), '', judged.transcript].join('\n');
}

/** The unchecked parts of a run, one line each with a heading; empty if everything was checked. */
export function uncheckedLines({ unchecked }: Pick<SimulatedRun, 'unchecked'>): readonly string[] {
  return unchecked.length === 0 ? [] : ['Could not be checked:', ...unchecked.map((what) => `- ${what}`)];
}

/** For `expect.extend(matchers)` of vitest and jest: `expect(run).toPass(policy, { strict: true })`. */
export const matchers = {
  toPass(run: SimulatedRun, policy?: string, options: PassOptions = {}): MatcherResult {
    const complaint = complaintOf(run, policy, options);
    const unchecked = uncheckedLines(policy === undefined ? run : judgeRun(run, policy));
    const passes = () => ['The conversation passes, and should not.', ...unchecked, '', run.transcript].join('\n');
    return { pass: complaint === null, message: () => complaint ?? passes() };
  },
} as const;

/** Throws unless a run passes the policy, for node:test and any other test runner. */
export function assertPasses(run: SimulatedRun, policy?: string, options: PassOptions = {}): void {
  const complaint = complaintOf(run, policy, options);
  if (complaint !== null) throw new Fault('input', complaint);
}
