/**
 * @file Confidence in a debate: two sides that each say how likely they are to win must add up to 100, whichever is right.
 *
 * A bet is the number `confidence` in an answer's data, or in its words after "confidence" or "bet". No ground truth is needed.
 */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import type { Log, Utterance } from './log.ts';

export interface JointConfidence {
  /** Mean of the sums less 100: above 0, both think they are winning. */
  readonly joint: number;
  readonly opening: number;
  readonly closing: number;
  /** The share of rounds in which both sides bet on themselves. */
  readonly bothAhead: number;
}

/** Findings from pairs of bets from 0 to 100, round by round, about the two sides. */
export function jointConfidence(rounds: readonly (readonly [number, number])[]): JointConfidence | null {
  const over = rounds.map(([a, b]) => a + b - 100);
  const joint = meanOrNull(over);
  if (joint === null) return null;
  const bothAhead = rounds.filter(([a, b]) => a > 50 && b > 50).length / rounds.length;
  return { joint, opening: over[0], closing: over.at(-1) as number, bothAhead };
}

interface Bet {
  readonly line: Utterance;
  readonly quote: string;
  readonly amount: number;
}

function betsOf(log: Log, seat: string): readonly Bet[] {
  const bets: Bet[] = [];
  for (const line of log.answers.get(seat) ?? []) {
    const action = log.episode.events[line.event];
    const data = action?.kind === 'action' ? action.action.data : undefined;
    const match = linear(/\b(?:confidence|bet)\b[^\d\n.]{0,20}?(\d{1,3}(?:\.\d+)?)(?![\d.]{0,40}\d)/i).exec(line.text);
    const amount = isObject(data) && typeof data['confidence'] === 'number' ? data['confidence'] : Number(match?.[1] ?? Number.NaN);
    if (amount >= 0 && amount <= 100) bets.push({ line, quote: match?.[0] ?? line.text, amount });
  }
  return bets;
}

export const confidence: ScoringRule = {
  name: 'confidence',
  version: 1,
  unit: 'episode',
  scale: [-100, 100],
  lowerIsBetter: true,
  floor: 0,
  find({ log }) {
    const bettors = log.seats.map((seat) => betsOf(log, seat)).filter((bets) => bets.length > 0);
    const [otherBets, other] = bettors;
    if (otherBets === undefined || other === undefined || bettors.length > 2) return null;
    const rounds = otherBets.slice(0, other.length).map((bet, i) => [bet.amount, other[i].amount] as const);
    const matchingJointConfidence = jointConfidence(rounds) as JointConfidence;
    const { joint, opening, closing, bothAhead } = matchingJointConfidence;
    const evidence = [otherBets, other].flatMap((bets) => {
      const { line, quote } = bets.at(-1) as Bet;
      return evidenceOf(log, line, { quote, supports: joint <= 0 });
    });
    return { value: joint, parts: { opening, closing, escalation: closing - opening, bothAhead, rounds: rounds.length }, evidence };
  },
};
