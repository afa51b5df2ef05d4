/** @file Measures what each agent of a run lost by a change and how much it recovered, for each scene with a change half-way. */

import type { Score } from '@ludus-agents/kernel/internal/core/index';
import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import { resultName } from './scoring/evaluation/row.ts';
import type { Adaptation } from './scoring/rules/adaptability.ts';
import type { StoredRun } from './stored-run.ts';

/** Means over episodes. Recovery is averaged over episodes with a loss, steps over episodes that recovered. */
export interface AgentAdaptation {
  readonly agent: string;
  readonly scene: string;
  readonly episodes: number;
  readonly before: number;
  readonly drop: number;
  /** The share of the loss that was recovered by the end; null if nothing was lost. */
  readonly recovery: number | null;
  /** Episodes in which the reward returned to nine tenths of its earlier level. */
  readonly cameBack: number;
  /** Steps from the change until then; null if it never did. */
  readonly steps: number | null;
}

/** For each scene, the agents that played through a change. */
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
  // The order of a store is arbitrary, so scenes are sorted by name.
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
