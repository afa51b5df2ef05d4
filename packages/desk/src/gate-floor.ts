/** @file The baseline of a gate: the pass rate of null agents. A rate that is not higher shows nothing about a bot. */

import { type EvaluateOptions, evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import { callsModels } from '@ludus-agents/evaluation/internal/suites';

/** The null agent with the highest pass rate. */
export interface GateFloor {
  readonly agent: string;
  readonly passes: number;
  readonly tries: number;
  readonly rate: number;
}

type FloorOptions = Pick<EvaluateOptions, 'trust' | 'cwd' | 'concurrency' | 'signal'>;

/** Plays every task once with the null agents of a suite, outside the user's store. Null if that would call models. */
export async function floorOf(suite: Suite, options: FloorOptions): Promise<GateFloor | null> {
  const kinds = [...suite.nulls, ...suite.scenes.flatMap(({ others }) => Object.values(others))];
  if (kinds.some((kind) => callsModels({ name: kind, kind }))) return null;
  const { scored } = await evaluateRun({ ...options, suite, agents: suite.nulls, floors: false, seeds: 1 });
  const floors = suite.nulls.flatMap((agent): GateFloor[] => {
    const rows = scored.rows.filter((row) => row.agent === agent);
    const passes = rows.filter(({ passed }) => passed === true).length;
    return rows.length === 0 ? [] : [{ agent, passes, tries: rows.length, rate: passes / rows.length }];
  });
  return floors.sort((a, b) => b.rate - a.rate)[0] ?? null;
}
