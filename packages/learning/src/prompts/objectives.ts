/**
 * @file The costs of a play besides its score: tokens, money and model seconds. Gates may price, limit or reduce them, and they define a
 * Pareto front of candidates.
 */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { TrialRecord } from './trial-ledger.ts';

export const costNames = ['tokens', 'money', 'seconds'] as const;
export type CostName = (typeof costNames)[number];

/** The cost of one play. Money is null if a price is unknown. */
export type PlayCost = {
  readonly tokens: number;
  readonly money: number | null;
  readonly seconds: number;
};

export function costOfPlay({ cost, seconds = 0 }: Pick<TrialRecord, 'cost' | 'seconds'>): PlayCost {
  return { tokens: cost.promptTokens + cost.completionTokens, money: cost.money, seconds };
}

/** The mean over plays; money is unknown if that of one play is. */
export function meanCost(costs: readonly PlayCost[]): PlayCost {
  const money = costs.map((cost) => cost.money);
  return {
    tokens: meanOrZero(costs.map(({ tokens }) => tokens)),
    money: money.some((item) => item === null) ? null : meanOrZero(money as readonly number[]),
    seconds: meanOrZero(costs.map(({ seconds }) => seconds)),
  };
}

/** A candidate's score and its cost per play. */
export type FrontPoint = PlayCost & {
  readonly candidate: string;
  readonly score: number;
};

/** The points that no other dominates by being at least as good in everything and better in something. The best score comes first. */
export function frontOfPoints(points: readonly FrontPoint[]): readonly FrontPoint[] {
  const open = points.filter((point) => !points.some((other) => dominates(other, point)));
  return open.toSorted((a, b) => b.score - a.score || a.tokens - b.tokens);
}

/** An unknown cost is worse than a known one, and equal to another unknown one. */
function dominates(a: FrontPoint, b: FrontPoint): boolean {
  const signs = [Math.sign(a.score - b.score), ...costNames.map((name) => Math.sign(orMost(b[name]) - orMost(a[name])))];
  return signs.every((sign) => sign >= 0) && signs.some((sign) => sign > 0);
}

const orMost = (value: number | null): number => value ?? Number.MAX_VALUE;

/** The point of a candidate from its plays. */
export function pointOf(candidate: string, plays: readonly TrialRecord[], score: number): FrontPoint {
  return { candidate, score, ...meanCost(plays.map(costOfPlay)) };
}

/** A description of a point. */
export function pointWords({ candidate, score, tokens, money, seconds }: FrontPoint): string {
  const price = money === null ? 'unknown price' : `$${money.toPrecision(2)}`;
  return `${candidate.slice(0, 8)} scores ${score.toFixed(3)} for ${Math.round(tokens)} tokens, ${price}, ${seconds.toFixed(1)} s a play`;
}
