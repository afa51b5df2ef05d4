/** @file Describes changes since a run was last played. */

import { isBot } from '@ludus-agents/agents/internal/bot/settings';
import type { CurrentVersions, NamedVersions, VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import { castKey, isCurrent } from '@ludus-agents/agents/internal/workspace/versions';
import type { EpisodeTally, Json, Plan, RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { keptText, type PlanTasks } from '@ludus-agents/kernel/internal/engine/plan';

/** A plan with its parsed tasks. */
export interface PlannedTasks {
  readonly plan: Plan;
  readonly sheet: PlanTasks;
}

/** A run that may be named after its contents. */
export interface NamedRun {
  readonly store: Pick<Store, 'runs'>;
  readonly run: string;
  /** The base name of the run, and the prefix of its runs' names: a hash of the contents follows. */
  readonly named?: { readonly what: 'suite' | 'questionnaire'; readonly name: string; readonly prefix: string } | undefined;
}

interface Comparison {
  readonly planned: readonly PlannedTasks[];
  readonly before: CurrentVersions;
  readonly current: CurrentVersions;
  readonly tallies: readonly EpisodeTally[];
  readonly unpinned: ReadonlyMap<string, string>;
  readonly run: string;
  /** Episodes of tasks that are in no plan. */
  readonly otherTasks: ReadonlyMap<string, number> | null;
}

/** Changes since the run was last played, with the number of episodes to play again. */
export function changesIn({ planned, before, current, tallies, unpinned, run, otherTasks }: Comparison): readonly VersionChange[] {
  const changes: VersionChange[] = [];
  for (const part of ['environments', 'agents'] as const)
    for (const [name, now] of current[part]) {
      const old = before[part].get(name);
      if (old === undefined || isSame(old, now)) continue;
      const marksIn = ({ versions }: EpisodeTally) =>
        versions === undefined ? [] : part === 'environments' ? [versions.environment] : Object.values(versions.agents);
      const countOf = (marks: readonly string[]) =>
        tallies.reduce(
          (sum, tally) => sum + (tally.status !== 'running' && marksIn(tally).some((mark) => marks.includes(mark)) ? tally.count : 0),
          0,
        );
      const gone = old.versions.filter((mark) => !now.versions.includes(mark));
      const fresh = now.versions.filter((mark) => !old.versions.includes(mark));
      const episodes = Math.min(countOf(gone), countPlanned(part, name, planned) - countOf(fresh));
      if (episodes <= 0) continue;
      const plain = (mark: string) => mark.split('~')[0];
      const isRepeat = gone.every((mark) => !before.mixed.has(mark) && fresh.some((next) => plain(next) === plain(mark)));
      const why = isRepeat ? unpinned.get(name) : undefined;
      const what = part === 'agents' ? 'agent' : 'environment';
      const restored = countOf(fresh);
      changes.push({
        ...{ what, name, reason: isRepeat ? 'unpinned' : 'changed', episodes },
        ...(why === undefined ? {} : { why }),
        ...(restored === 0 ? {} : { restored }),
      });
    }
  const grouped = [...groupChanges(changes, planned), ...droppedChange({ before, current, tallies, run, otherTasks })];
  const unknown = current.reuse
    ? 0
    : tallies.reduce((sum, tally) => sum + (tally.versions === undefined && !isCurrent(tally, current) ? tally.count : 0), 0);
  return unknown === 0 ? grouped : [...grouped, { what: 'run', name: run, reason: 'unknown', episodes: unknown }];
}

/** Parts removed since the plan was edited. */
function droppedChange({ before, current, tallies, run, otherTasks }: Omit<Comparison, 'planned' | 'unpinned'>): readonly VersionChange[] {
  const withOthers = tallies.reduce((sum, { versions, count }) => {
    const key = versions === undefined ? '' : castKey(versions);
    return sum + (current.dropped.has(key) && !before.dropped.has(key) ? count : 0);
  }, 0);
  const onOthers = [...(otherTasks ?? [])].reduce((sum, [key, count]) => sum + (before.droppedTasks.has(key) ? 0 : count), 0);
  const episodes = withOthers + onOthers;
  return episodes === 0 ? [] : [{ what: 'run', name: run, reason: 'dropped', episodes }];
}

/** Combines the changes of all agents from the same file: people of a survey have individual names. */
function groupChanges(changes: readonly VersionChange[], planned: readonly PlannedTasks[]): readonly VersionChange[] {
  const kinds = new Map<string, string>();
  for (const { sheet } of planned)
    for (const spec of sheet.scenes.flatMap(({ casts }) => casts.flatMap((cast) => Object.values(cast))))
      if (typeof spec !== 'string') kinds.set(spec.name, isBot(spec) || /[\\/]/.test(spec.kind) ? spec.kind : (spec.model ?? spec.kind));
  const names = new Map(planned.flatMap(({ sheet }) => [...sheet.names]));
  const kindOf = ({ what, name }: VersionChange) => (what === 'agent' ? kinds : names).get(name) ?? name;
  const groups = Map.groupBy(changes, (change) => JSON.stringify([change.what, change.reason, kindOf(change)]));
  return [...groups.values()].map((group): VersionChange => {
    const first = group[0];
    const kind = kindOf(first);
    const episodes = group.reduce((sum, change) => sum + change.episodes, 0);
    const several = group.length === 1 ? first.name : `${group.length} agents`;
    const isFile = kind !== first.name && /[\\/]/.test(kind);
    return { ...first, name: group.length > 1 ? `${kind} (${several})` : isFile ? `${first.name} (${kind})` : first.name, episodes };
  });
}

/** The number of episodes of some plans in which a name takes part. */
function countPlanned(part: 'environments' | 'agents', name: string, planned: readonly PlannedTasks[]): number {
  let episodes = 0;
  for (const { plan, sheet } of planned) {
    const seeds = 'from' in plan.seeds ? plan.seeds.count : plan.seeds.length;
    for (const { environment, casts } of sheet.scenes)
      for (const cast of casts) {
        const isIn = Object.values(cast).some((spec) => (typeof spec === 'string' ? spec : spec.name) === name);
        if (part === 'environments' ? environment.id === name : isIn) episodes += seeds;
      }
  }
  return episodes;
}

/** The newest run of the same name with other contents: its episodes do not apply, so all are played. */
export async function changeOfName(planned: readonly PlannedTasks[], { store, run, named }: NamedRun): Promise<readonly VersionChange[]> {
  if (named === undefined || !run.startsWith(named.prefix)) return [];
  const { what, name, prefix } = named;
  const isVersion = ({ id }: RunRecord) => id !== run && id.startsWith(prefix) && /^[0-9a-f]{8}$/.test(id.slice(prefix.length));
  const versions = (await store.runs()).filter(isVersion).reverse();
  const episodes = planned.reduce((sum, { sheet }) => sum + sheet.planned, 0);
  for (const { id: since, plan } of versions) {
    const changed = what === 'suite' ? { what, name } : changeOfSurvey(plan, planned, name);
    if (changed !== null) return [{ ...changed, reason: 'changed', since, episodes }];
  }
  return [];
}

/** The single difference between two versions of a survey: questions, people, or agent; null for another survey. */
function changeOfSurvey(before: Plan, planned: readonly PlannedTasks[], name: string): Pick<VersionChange, 'what' | 'name'> | null {
  const [old, now] = [surveyParts([before]), surveyParts(planned.map(({ plan }) => plan))];
  const different = (['questions', 'people', 'agent'] as const).filter((part) => old[part] !== now[part]);
  if (different.length !== 1 || old.model !== now.model) return null;
  if (different[0] === 'agent') return { what: 'agent', name: now.model };
  return { what: different[0] === 'people' ? 'population' : 'questionnaire', name };
}

function surveyParts(plans: readonly Plan[]) {
  const specs = plans.flatMap(({ casts }) => casts.flatMap((cast) => Object.values(cast).filter((spec) => typeof spec === 'object')));
  const { name: _name, persona: _persona, ...agent } = specs[0] ?? { name: '', kind: '' };
  return {
    questions: keptText(plans.flatMap(({ environments }) => environments) as Json),
    people: keptText(specs.map(({ persona }) => persona ?? null) as Json),
    agent: keptText(agent as Json),
    model: agent.model ?? agent.kind,
  };
}

export function isSame(first: NamedVersions, other: NamedVersions): boolean {
  return first.id === other.id && first.versions.join() === other.versions.join();
}
