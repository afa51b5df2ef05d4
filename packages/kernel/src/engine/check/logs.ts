/** @file Rules checked on the logs of random play: plain, frozen, seated, finite, ended in time, and summing up. */

import type { Seat } from '../../core/index.ts';
import { type CheckContext, type ConformanceRule, type RuleBreach, where } from './bench.ts';

/** The messages of the engine, or of freezing, for faults that have their own rule. */
export const sentences = {
  plain: /^Expected plain JSON at step(?!\.(rewards|penalties))/,
  frozen: /^Cannot (assign to read only|add|delete|define) property/,
  seats: /^The rules (use an unknown|ask) seat "/,
  finite: /^Expected plain JSON at step\.(rewards|penalties)|^The (reward|penalty) of seat "/,
} as const;

/** Samples that ended with a fault whose message matches. */
export function faults(like: RegExp): ConformanceRule['find'] {
  return function* ({ samples }) {
    for (const { task, seed, end } of samples)
      if (end.fault !== undefined && like.test(end.fault.message)) yield { message: end.fault.message, task, seed };
  };
}

export function* otherFaults({ samples }: CheckContext): Iterable<RuleBreach> {
  for (const { task, seed, end } of samples) {
    if (end.fault === undefined) continue;
    const { message, seat } = end.fault;
    if (!Object.values(sentences).some((like) => like.test(message)))
      yield { message: seat === undefined ? message : standInFails(seat, message), task, seed };
  }
}

/** Some answers of a sample are deliberately invalid, so a script finds them among its own. */
function standInFails(seat: Seat, why: string): string {
  return `The stand-in of seat "${seat}" fails: ${why.replace(/\.?$/, '.')} The script of that name must answer in every situation, even after it has given an illegal answer.`;
}

export function* choices(bench: CheckContext): Iterable<RuleBreach> {
  for (const { task, seed, steps } of bench.samples)
    for (const { seat, choices: listed } of steps.flatMap((step) => step?.asks ?? [])) {
      if (listed?.length === 0) yield { message: `Seat "${seat}" has an empty list of choices. Omit choices, or list some.`, task, seed };
      if (listed && new Set(listed).size < listed.length)
        yield { message: `Seat "${seat}" has a duplicate in its choices ${listed.join(' ')}.`, task, seed };
    }
}

export function* endings({ environment, samples }: CheckContext): Iterable<RuleBreach> {
  for (const { task, seed, end, manner } of samples)
    if (end.reason === 'limit') {
      const how = manner === 'chance' ? 'listed choices' : 'choices and nonsense';
      yield {
        message: `Playing ${how}, the episode is not over after about.turns = ${environment.about.turns} turns. Each retry of an illegal answer is a turn, too.`,
        task,
        seed,
      };
    }
}

export function* sums({ environment, samples }: CheckContext): Iterable<RuleBreach> {
  const declared = environment.about.sum;
  if (declared === undefined) return;
  for (const sample of samples) {
    const sum = Object.values(sample.end.returns).reduce((total, amount) => total + amount, 0);
    if (Math.abs(sum - declared) > 1e-9 * Math.max(1, Math.abs(declared)))
      yield { message: `about.sum is ${declared}, but the rewards of this episode add up to ${sum}.`, ...where(sample) };
  }
}
