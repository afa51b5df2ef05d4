/** @file Success rates of groups of cases: by the policy rules that they touch, and by the attributes of their customers. */

import type { ScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { clusteredRate, type RatedTry } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

export interface CaseGroup {
  /** "rule", or an attribute of customers. */
  readonly of: string;
  readonly group: string;
  readonly passes: number;
  /** Tries. */
  readonly n: number;
  /** Distinct cases among them. */
  readonly tasks: number;
  readonly interval: Interval;
}

export interface AgentGroups {
  readonly agent: string;
  readonly groups: readonly CaseGroup[];
}

/** Columns of a file of cases whose values are groups. */
const groupColumns = ['ability', 'principle', 'group', 'category'] as const;

/** The groups of a case: each rule that it touches, the number of rules, and each attribute. */
export function groupsOf(task: Json): readonly (readonly [string, string])[] {
  const jsonObject = isObject(task) && isObject(task['case']) ? task['case'] : {};
  const rules = Array.isArray(jsonObject['rules']) ? jsonObject['rules'].map(String) : [];
  const traits = isObject(jsonObject['traits'])
    ? Object.entries(jsonObject['traits']).map(([of, group]) => [of, String(group)] as const)
    : [];
  const data = isObject(task) && isObject(task['data']) ? task['data'] : {};
  const columns = groupColumns.flatMap((column) => (typeof data[column] === 'string' ? [[column, data[column]] as const] : []));
  const complexity = rules.length === 0 ? [] : [['rules at once', String(rules.length)] as const];
  return [...rules.map((rule) => ['rule', rule] as const), ...complexity, ...traits, ...columns];
}

/** Each group's share of passed tries; empty if no case of the run belongs to a group. */
export function caseGroupsIn({ rows, records }: Pick<ScoredRows, 'rows' | 'records'>, agents: readonly string[]): readonly AgentGroups[] {
  return agents.flatMap((agent) => {
    const byGroup = new Map<string, { readonly of: string; readonly group: string; readonly tries: RatedTry[] }>();
    for (const { agent: who, episode, task: name, seed, passed } of rows) {
      const task = records.get(episode)?.task;
      if (who !== agent || task === undefined) continue;
      for (const [of, group] of groupsOf(task)) {
        const key = `${of}\n${group}`;
        const before = byGroup.get(key) ?? { of, group, tries: [] };
        before.tries.push({ episode, task: name, seed, hit: passed === true });
        byGroup.set(key, before);
      }
    }
    const groups = [...byGroup.values()].map(({ of, group, tries }): CaseGroup => {
      const { hits, n, tasks, interval } = clusteredRate(tries);
      return { of, group, passes: hits, n, tasks, interval };
    });
    groups.sort((a, b) => (a.of === b.of ? a.passes / a.n - b.passes / b.n || a.group.localeCompare(b.group) : a.of.localeCompare(b.of)));
    return groups.length === 0 ? [] : [{ agent, groups }];
  });
}
