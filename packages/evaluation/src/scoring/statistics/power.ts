/** @file How many episodes: sample sizes and power for rates and means, paired or not, with repeats of a task or without. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalQuantile } from './distributions.ts';

/** Error rates of a test: `alpha` is the probability of a false positive, `power` of detecting a real difference. */
export interface Risks {
  readonly alpha?: number;
  readonly power?: number;
}

export interface RatesPlan extends Risks {
  /** The difference to detect, such as 0.05 for 5 points. */
  readonly difference: number;
  /** The base rate; one half needs the most episodes. */
  readonly rate?: number;
  /** Correlation of the two agents on the same task and seed; 0 is unpaired. */
  readonly correlation?: number;
}

/** Episodes for each of two agents (or pairs of episodes) to see a difference between two success rates. */
export function episodesForRates({ difference, rate = 0.5, correlation = 0, ...risks }: RatesPlan): number {
  const other = rate + difference;
  if (!(rate >= 0 && rate <= 1 && other >= 0 && other <= 1))
    throw new Fault(
      'input',
      `Both rates must be from 0 to 1, but got ${rate} and ${rate} + ${difference}. Choose a smaller difference, such as 0.05, or another starting rate.`,
    );
  const spreads = [rate * (1 - rate), other * (1 - other)] as const;
  const spread = spreads[0] + spreads[1] - 2 * checkCorrelation(correlation) * Math.sqrt(spreads[0] * spreads[1]);
  return episodesFor(spread, difference, risks);
}

export interface MeansPlan extends Risks {
  readonly difference: number;
  /** Standard deviation of one agent's score from episode to episode. */
  readonly deviation: number;
  readonly correlation?: number;
}

/** Episodes for each of two agents (or pairs of episodes) to see a difference between two mean scores. */
export function episodesForMeans({ difference, deviation, correlation = 0, ...risks }: MeansPlan): number {
  return episodesFor(2 * deviation ** 2 * (1 - checkCorrelation(correlation)), difference, risks);
}

/** How many independent differences of variance `spread` show a mean of `difference`. */
export function episodesFor(spread: number, difference: number, risks: Risks = {}): number {
  if (!(Math.abs(difference) > 0)) throw new Fault('input', `difference: expected a number other than 0, got ${difference}.`);
  if (!(spread >= 0 && spread < Infinity)) throw new Fault('input', `A variance must be 0 or more, but got ${spread}.`);
  // Rounding of the quantiles must not push an exact whole number to the next.
  return Math.max(1, Math.ceil((reach(risks) ** 2 * spread) / difference ** 2 - 1e-9));
}

/** The number of standard errors that detects a difference with the required power. */
function reach({ alpha = 0.05, power = 0.8 }: Risks): number {
  return normalQuantile(1 - checkShare(alpha, 'alpha') / 2) + normalQuantile(checkShare(power, 'power'));
}

function checkShare(share: number, name: string): number {
  if (!(share > 0 && share < 1)) throw new Fault('input', `${name} must be between 0 and 1, but got ${share}.`);
  return share;
}

function checkCorrelation(correlation: number): number {
  if (!(correlation >= -1 && correlation <= 1)) throw new Fault('input', `A correlation must be from −1 to 1, but got ${correlation}.`);
  return correlation;
}
