/** @file The figures that environments report about their episodes, averaged for each agent of a run. */

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
