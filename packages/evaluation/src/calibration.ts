/** @file How well the bets of each agent of a run are calibrated, over all its debates. */

import type { Score } from '@ludus-agents/kernel/internal/core/index';
import { type BetBin, binError } from './scoring/rules/calibration.ts';
import type { StoredRun } from './stored-run.ts';

export interface AgentCalibration {
  readonly agent: string;
  readonly debates: number;
  readonly bets: number;
  readonly won: number;
  /** Mean first and last bet, from 0 to 100. */
  readonly opening: number;
  readonly closing: number;
  readonly brier: number;
  readonly ece: number;
  readonly overconfidence: number;
  /** By tens, from 0 to 9 up to 90 to 100. */
  readonly bins: readonly BetBin[];
}

/** The calibration of each agent that made bets in a run. */
export function calibrationIn({ scores, records }: StoredRun, agents: readonly string[]): readonly AgentCalibration[] {
  const lists = [...scores].filter(([, list]) => list.some(({ name }) => name === 'calibration'));
  return agents.flatMap((agent) => {
    const scores = lists.flatMap(([id, list]) => {
      const cast = records.get(id)?.cast ?? {};
      const latest = new Map(list.filter(({ name }) => name === 'calibration').map((score) => [score.seat ?? '', score]));
      return [...latest.values()].filter(({ seat, value }) => value !== null && cast[seat ?? ''] === agent);
    });
    return scores.length === 0 ? [] : [summaryOf(agent, scores)];
  });
}

function summaryOf(agent: string, scores: readonly Score[]): AgentCalibration {
  const part = (score: Score, name: string) => score.parts?.[name] ?? 0;
  const bins = Array.from({ length: 10 }, (_, i): BetBin => {
    const counts = scores.map((score) => part(score, `n${10 * i}`));
    return {
      n: counts.reduce((sum, n) => sum + n, 0),
      sum: scores.reduce((sum, score) => sum + part(score, `sum${10 * i}`), 0),
      won: scores.reduce((sum, score, j) => sum + part(score, 'won') * counts[j], 0),
    };
  });
  const over = (name: string) => scores.reduce((sum, score) => sum + part(score, name), 0) / scores.length;
  return {
    agent,
    debates: scores.length,
    bets: bins.reduce((sum, { n }) => sum + n, 0),
    won: over('won'),
    opening: over('opening'),
    closing: over('closing'),
    brier: scores.reduce((sum, { value }) => sum + (value ?? 0), 0) / scores.length,
    ece: binError(bins),
    overconfidence: over('overconfidence'),
    bins,
  };
}
