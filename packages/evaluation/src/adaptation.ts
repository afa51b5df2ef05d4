/** @file What each agent of a run lost by a change and made good again, for each scene in which something changes half-way. */

import type { Score } from '@ludus-agents/kernel/internal/core/index';
import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import { resultName } from './scoring/evaluation/row.ts';
import type { Adaptation } from './scoring/rules/adaptability.ts';
import type { StoredRun } from './stored-run.ts';

/** Means over episodes. Recovery is over those that lost something, steps over those that came back. */
export interface AgentAdaptation {
  readonly agent: string;
  readonly scene: string;
  readonly episodes: number;
  readonly before: number;
  readonly drop: number;
  /** The share of the loss that was made good by the end; null where nothing was lost. */
  readonly recovery: number | null;
  /** Episodes in which it was paid nine tenths of what it was before again. */
  readonly cameBack: number;
  /** Steps after the change until then; null where it never was. */
  readonly steps: number | null;
}

/** Scene by scene, each agent that was there when something changed. */
export function adaptationIn({ scores, records }: StoredRun, agents: readonly string[]): readonly AgentAdaptation[] {
  const groups = new Map<string, Map<string, Score[]>>();
  for (const [id, list] of scores) {
    if (!list.some(({ name }) => name === 'adaptability')) continue;
    const latest = new Map(list.filter(({ name }) => name === 'adaptability').map((score) => [score.seat ?? '', score]));
    for (const [seat, score] of latest) {
      const record = records.get(id);
      const agent = record?.cast[seat];
      if (score.value === null || record === undefined || agent === undefined || !agents.includes(agent)) continue;
      const observation = list.findLast(({ name }) => name === resultName)?.provenance?.['scene'];
      const scene = typeof observation === 'string' ? observation : record.environment;
      const group = groups.get(scene) ?? new Map<string, Score[]>();
      groups.set(scene, group.set(agent, [...(group.get(agent) ?? []), score]));
    }
  }
  // A store has its own order; scenes are read best in the order of their names.
  const inOrder = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.flatMap(([scene, byAgent]) =>
    agents.flatMap((agent) => (byAgent.has(agent) ? [{ agent, scene, ...summaryOf(byAgent.get(agent)!) }] : [])),
  );
}

function summaryOf(scores: readonly Score[]): Omit<AgentAdaptation, 'agent' | 'scene'> {
  const valuesOf = (part: keyof Adaptation) => scores.flatMap(({ parts }) => parts?.[part] ?? []);
  const mean = (part: keyof Adaptation) => meanOrNull(valuesOf(part));
  return {
    episodes: scores.length,
    before: mean('before') ?? 0,
    drop: mean('drop') ?? 0,
    recovery: mean('recovery'),
    cameBack: valuesOf('steps').length,
    steps: mean('steps'),
  };
}
