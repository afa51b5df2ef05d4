/**
 * @file Calibration: does who bets on winning win as often as it says? From the note that an environment with bets leaves.
 *
 * The value is Brier's score. Bets are also counted by tens, so that the error by tens can be made over many episodes of one agent.
 */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { meanOrZero as mean } from '@ludus-agents/kernel/internal/core/mean';
import type { ScoringRule } from '../scorer.ts';
import { noteOf } from './log.ts';

/** Bets of one ten: how many, their sum, and how many were won. */
export interface BetBin {
  readonly n: number;
  readonly sum: number;
  readonly won: number;
}

export interface Calibration {
  readonly bets: number;
  readonly brier: number;
  /** Mean distance of what was said and what came, by tens, weighted by bets. */
  readonly ece: number;
  /** Mean bet less the share won: above 0 says too much. */
  readonly overconfidence: number;
}

/** Bets from 0 to 100 by tens; 100 is a ten of its own beside 90 to 99 in no published table, so it is counted with them. */
export function binsOf(bets: readonly (readonly [bet: number, won: boolean])[]): readonly BetBin[] {
  const bins = Array.from({ length: 10 }, () => ({ n: 0, sum: 0, won: 0 }));
  for (const [bet, won] of bets) {
    const bin = bins[Math.min(9, Math.floor(bet / 10))];
    bin.n++;
    bin.sum += bet;
    bin.won += won ? 1 : 0;
  }
  return bins;
}

/** The weighted sum of the errors of all bins of ten; bets are in percent. */
export function binError(bins: readonly BetBin[]): number {
  const all = bins.reduce((total, { n }) => total + n, 0);
  return bins.reduce((error, { n, sum, won }) => (n === 0 ? error : error + Math.abs(sum / 100 - won) / all), 0);
}

export function calibrationOf(bets: readonly (readonly [bet: number, won: boolean])[]): Calibration | null {
  if (bets.length === 0) return null;
  return {
    bets: bets.length,
    brier: mean(bets.map(([bet, won]) => (bet / 100 - (won ? 1 : 0)) ** 2)),
    ece: binError(binsOf(bets)),
    overconfidence: mean(bets.map(([bet, won]) => bet / 100 - (won ? 1 : 0))),
  };
}

export const calibration: ScoringRule = {
  name: 'calibration',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  lowerIsBetter: true,
  /** Who always says 50. */
  floor: 0.25,
  find({ log, seat }) {
    const note = noteOf(log, 'debate')?.value;
    const placed = isObject(note?.['bets']) ? note['bets'][seat] : undefined;
    if (!Array.isArray(placed) || typeof note?.['winner'] !== 'string') return null;
    const won = note['winner'] === seat;
    const bets = placed.filter((bet) => typeof bet === 'number').map((bet) => [bet, won] as const);
    const calibration = calibrationOf(bets);
    if (calibration === null) return null;
    const bins = binsOf(bets).flatMap(({ n, sum }, i) => (n === 0 ? [] : [[`n${10 * i}`, n] as const, [`sum${10 * i}`, sum] as const]));
    return {
      value: calibration.brier,
      parts: {
        won: won ? 1 : 0,
        opening: bets[0][0],
        closing: bets[bets.length - 1][0],
        overconfidence: calibration.overconfidence,
        ...Object.fromEntries(bins),
      },
    };
  },
};
