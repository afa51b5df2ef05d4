/** @file The figures that environments report about their episodes, and named scores with their parts, averaged for each agent of a run. */

import { mean } from './scoring/statistics/mean.ts';
import type { StoredRun } from './stored-run.ts';

export interface AgentMeasures {
  readonly agent: string;
  readonly episodes: number;
  /** Means by name, over the episodes that report the figure. */
  readonly means: Readonly<Record<string, number>>;
}

export function measuresIn({ scores, records }: StoredRun, agents: readonly string[]): readonly AgentMeasures[] {
  return agents.flatMap((agent) => {
    const values = new Map<string, number[]>();
    let episodes = 0;
    for (const [id, list] of scores) {
      if (!Object.values(records.get(id)?.cast ?? {}).includes(agent)) continue;
      const latest = new Map(list.filter(({ name }) => name.startsWith('measures/')).map((score) => [score.name, score.value]));
      if (latest.size > 0) episodes++;
      for (const [name, value] of latest)
        if (value !== null) values.set(name.slice('measures/'.length), [...(values.get(name.slice('measures/'.length)) ?? []), value]);
    }
    const means = Object.fromEntries([...values].map(([name, list]) => [name, list.reduce((sum, value) => sum + value, 0) / list.length]));
    return episodes === 0 ? [] : [{ agent, episodes, means }];
  });
}

export interface ScoreMean {
  readonly name: string;
  readonly agent: string;
  readonly episodes: number;
  readonly mean: number;
  /** Means of the parts of the score, over the episodes that have them. */
  readonly parts: Readonly<Record<string, number>>;
}

/** The means of scores with these names, for each agent to whose seat they belong. */
export function scoreMeansIn({ scores, records }: StoredRun, names: readonly string[]): readonly ScoreMean[] {
  const groups = new Map<string, { name: string; agent: string; values: number[]; parts: Map<string, number[]> }>();
  for (const [id, list] of scores)
    for (const { name, seat, value, parts = {} } of new Map(list.map((score) => [`${score.name} ${score.seat}`, score])).values()) {
      const agent = seat === undefined ? undefined : records.get(id)?.cast[seat];
      if (agent === undefined || value === null || !names.includes(name)) continue;
      const group = groups.get(`${name} ${agent}`) ?? { name, agent, values: [], parts: new Map<string, number[]>() };
      groups.set(`${name} ${agent}`, group);
      group.values.push(value);
      for (const [part, amount] of Object.entries(parts))
        if (amount !== null) group.parts.set(part, [...(group.parts.get(part) ?? []), amount]);
    }
  return [...groups.values()].map(({ name, agent, values, parts }) => {
    const partMeans = Object.fromEntries([...parts].map(([part, amounts]) => [part, mean(amounts)]));
    return { name, agent, episodes: values.length, mean: mean(values), parts: partMeans };
  });
}
