/** @file Rules that are read off the logs of random play: plain, frozen, seated, finite, over in time, and adding up. */

import { type Bench, type Found, type Rule, where } from './bench.ts';

/** Samples that the rules ended with a fault whose sentence is like this one, and unlike that one. */
export function faults(like: RegExp, unlike = /$^/): Rule['find'] {
  return function* (bench) {
    for (const { task, seed, end } of bench.samples)
      if (end.fault !== undefined && like.test(end.fault.message) && !unlike.test(end.fault.message)) {
        const who = end.fault.seat === undefined ? '' : ` (the stand-in of seat "${end.fault.seat}")`;
        yield { message: `${end.fault.message}${who}`, task, seed };
      }
  };
}

export function* choices(bench: Bench): Iterable<Found> {
  for (const { task, seed, steps } of bench.samples)
    for (const { seat, choices: listed } of steps.flatMap((step) => step.asks ?? [])) {
      if (listed?.length === 0)
        yield { message: `Seat "${seat}" is asked to choose from nothing; leave choices out or list some.`, task, seed };
      if (listed && new Set(listed).size < listed.length)
        yield { message: `Seat "${seat}" is asked to choose from ${listed.join(' ')}, where one stands twice.`, task, seed };
    }
}

export function* endings({ environment, samples }: Bench): Iterable<Found> {
  for (const { task, seed, end, manner } of samples)
    if (end.reason === 'limit') {
      const how = manner === 'chance' ? 'listed choices' : 'choices and nonsense';
      yield { message: `Playing ${how}, the episode is not over after about.turns = ${environment.about.turns} turns.`, task, seed };
    }
}

export function* sums({ environment, samples }: Bench): Iterable<Found> {
  const declared = environment.about.sum;
  if (declared === undefined) return;
  for (const one of samples) {
    const sum = Object.values(one.end.returns).reduce((total, amount) => total + amount, 0);
    if (Math.abs(sum - declared) > 1e-9 * Math.max(1, Math.abs(declared)))
      yield { message: `about.sum is ${declared}, but the rewards of this episode add up to ${sum}.`, ...where(one) };
  }
}
