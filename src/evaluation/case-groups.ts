/** @file Success by what cases have in common: the rules of the policy that they are about, and the attributes of their customers. */

import type { Json } from '../core/index.ts';
import { isObject } from '../core/json.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { clopperPearson } from '../scoring/statistics/rates.ts';
import type { ScoredRows } from './score-run.ts';

export interface CaseGroup {
  /** "rule", or an attribute of customers. */
  readonly of: string;
  readonly group: string;
  readonly passes: number;
  readonly n: number;
  readonly interval: Interval;
}

export interface AgentGroups {
  readonly agent: string;
  readonly groups: readonly CaseGroup[];
}

/** The groups of a case: every rule it is about, how many those are, and every attribute. */
export function groupsOf(task: Json): readonly (readonly [string, string])[] {
  const one = isObject(task) && isObject(task['case']) ? task['case'] : {};
  const rules = Array.isArray(one['rules']) ? one['rules'].map(String) : [];
  const traits = isObject(one['traits']) ? Object.entries(one['traits']).map(([of, group]) => [of, String(group)] as const) : [];
  const complexity = rules.length === 0 ? [] : [['rules at once', String(rules.length)] as const];
  return [...rules.map((rule) => ['rule', rule] as const), ...complexity, ...traits];
}

/** Each group's share of passed tries; none where no case of the run belongs to a group. */
export function caseGroupsIn({ rows, records }: Pick<ScoredRows, 'rows' | 'records'>, agents: readonly string[]): readonly AgentGroups[] {
  return agents.flatMap((agent) => {
    const found = new Map<string, { of: string; group: string; passes: number; n: number }>();
    for (const { agent: who, episode, passed } of rows) {
      const task = records.get(episode)?.task;
      if (who !== agent || task === undefined) continue;
      for (const [of, group] of groupsOf(task)) {
        const key = `${of}\n${group}`;
        const before = found.get(key) ?? { of, group, passes: 0, n: 0 };
        found.set(key, { of, group, passes: before.passes + (passed === true ? 1 : 0), n: before.n + 1 });
      }
    }
    const groups = [...found.values()].map((one): CaseGroup => ({ ...one, interval: clopperPearson(one.passes, one.n) }));
    groups.sort((a, b) => (a.of === b.of ? a.passes / a.n - b.passes / b.n || a.group.localeCompare(b.group) : a.of.localeCompare(b.of)));
    return groups.length === 0 ? [] : [{ agent, groups }];
  });
}
