/**
 * @file What an invocation plays, as fingerprints: computed once before anything is played, compared with what the run was about so far, and
 * noted in the run.
 */

import type { CurrentVersions, NamedVersions, VersionChange, VersionEntry } from '@ludus-agents/agents/internal/workspace/versions';
import { castKey, foldEntries, foldInto, isCurrent, taskKey } from '@ludus-agents/agents/internal/workspace/versions';
import type { AgentSpec, Cast, EpisodeTally, EpisodeVersions, Json, Plan, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash } from '@ludus-agents/kernel/internal/core/index';
import { keptText, type VersionsOf } from '@ludus-agents/kernel/internal/engine/plan';
import { currentRecords, PresentFiles } from './current-versions.ts';
import { type Fingerprint, type FingerprintPlace, Fingerprints, type Source } from './fingerprint.ts';
import { changeOfName, changesIn, isSame, type NamedRun, type PlannedTasks } from './plan-changes.ts';
import { documentSources, type MarkedSource, noteSources, readSourceNotes } from './source-notes.ts';
import { journalOf, keepSpecs, noteEntry } from './version-journal.ts';

/** The fingerprints of one invocation. */
export interface PlanVersions {
  readonly of: VersionsOf;
  readonly current: CurrentVersions;
  readonly changes: readonly VersionChange[];
  /** Names with parts that cannot be hashed: what is stored of them is played again next time. */
  readonly unpinned: ReadonlyMap<string, string>;
  /** Notes in the run that it is about these from now on. */
  declare(): Promise<void>;
  /** Records, after playing, changes in the meantime: these episodes are not reused. */
  settle(): Promise<readonly VersionChange[]>;
}

export interface VersionsOptions extends FingerprintPlace, NamedRun {
  readonly store: Pick<Store, 'episodes' | 'note' | 'notes' | 'run' | 'runs' | 'tally'>;
  /** Agents as the user named them, where the plans give them personas or kinds of their scenes: they are the same agent in every run. */
  readonly candidates?: readonly AgentSpec[] | undefined;
  /** What else the run may be about: with "plan" nothing, with "tasks" other agents. Everything else that is stored is left out. */
  readonly exclusive?: 'plan' | 'tasks' | undefined;
  /** The sources of the plans: the file of a suite, a population … */
  readonly sources?: readonly Source[] | undefined;
  /** Use what is stored of things that cannot be hashed, and what was stored without fingerprints. */
  readonly reuse?: boolean | undefined;
}

/** Computes the fingerprints of everything that some plans of one run play, and notes them in the run. */
export async function openVersions(planned: readonly PlannedTasks[], options: VersionsOptions): Promise<PlanVersions> {
  const versions = await planVersions(planned, options);
  await versions.declare();
  return versions;
}

/** The same without recording anything yet, for callers that ask first. */
export async function planVersions(planned: readonly PlannedTasks[], options: VersionsOptions): Promise<PlanVersions> {
  const { store, run, reuse = false } = options;
  const prints = new Fingerprints(options);
  const environments = new Map<string, Map<string, Fingerprint>>();
  const agents = new Map<string, Map<string, Fingerprint>>();
  for (const { sheet } of planned) {
    for (const [id, name] of sheet.names) put(environments, id, id, await prints.environment(name));
    for (const { casts } of sheet.scenes)
      for (const cast of casts)
        for (const spec of Object.values(cast)) {
          const name = typeof spec === 'string' ? spec : spec.name;
          if (agents.get(name)?.has(keyOf(spec as Json)) !== true) put(agents, name, keyOf(spec as Json), await prints.agent(spec));
        }
  }
  const candidates = new Map<string, Fingerprint>();
  for (const spec of options.candidates ?? []) candidates.set(spec.name, await prints.agent(spec));
  const before = await journalOf(store, run);
  const marked = {
    environments: markAll(environments, { existing: before.environments, run, reuse, mixed: before.mixed }),
    agents: markAll(agents, { existing: before.agents, run, reuse, candidates, mixed: before.mixed }),
  };
  const existing = new Map<string, EpisodeVersions>();
  const markOfAgent = (spec: AgentSpec | string) =>
    marked.agents.get(typeof spec === 'string' ? spec : spec.name)!.marks.get(keyOf(spec as Json))!;
  const of = (environment: string, cast: Cast): EpisodeVersions => {
    const key = `${environment}\n${keptText(cast)}`;
    const versions = existing.get(key) ?? {
      environment: marked.environments.get(environment)!.marks.get(environment)!,
      agents: Object.fromEntries(Object.entries(cast).map(([seat, spec]) => [seat, markOfAgent(spec)])),
    };
    existing.set(key, versions);
    return versions;
  };
  const plannedCasts = new Set(
    planned.flatMap(({ sheet }) =>
      sheet.scenes.flatMap(({ environment, casts }) => casts.map((cast) => castKey(of(environment.id, cast)))),
    ),
  );
  const names = { ...marked, ...noPlan };
  const plain = foldInto({ ...before, dropped: new Set(), droppedTasks: new Set() }, entryFor(before, names, reuse) ?? {});
  const otherTasks = options.exclusive === undefined ? null : await tasksElsewhere(planned, options, before);
  const stored = options.exclusive === 'plan' ? await store.tally({ run }) : [];
  const part: PlanPart = {
    dropped: options.exclusive === 'plan' ? droppedCasts(stored, plain, plannedCasts) : null,
    droppedTasks: otherTasks === null ? null : [...otherTasks.dropped.keys()].sort(),
    tasks: options.exclusive === undefined ? null : tasksHash(planned),
    plan: options.exclusive === undefined ? null : planHash(planned, options.exclusive),
    added: { casts: options.exclusive === 'plan' ? findUnstored(plannedCasts, stored) : [], tasks: otherTasks?.added ?? [] },
  };
  const present = { ...marked, ...part };
  const current = foldInto(before, entryFor(before, present, reuse) ?? {});
  const unpinned = new Map([...findUnpinned(environments), ...findUnpinned(agents)]);
  const isFirst = before.environments.size === 0;
  const tallies = isFirst || entryFor(before, present, reuse) !== null ? await store.tally({ run }) : [];
  const changes = [
    ...changesIn({ planned, before, current, tallies, unpinned, run, otherTasks: otherTasks?.dropped ?? null }),
    ...(isFirst ? await changeOfName(planned, options) : []),
  ];
  return {
    of,
    current,
    unpinned,
    changes,
    declare: () => declare(present, { planned, prints, printed: { environments, agents }, changes, options }),
    settle: () => settle(present, options),
  };
}

/** The current version of a name: its fingerprints, and the mark of each of its specs. */
interface Present extends NamedVersions {
  readonly marks: ReadonlyMap<string, string>;
}

/** The plans of the run; null if the run may contain others, too. */
interface PlanPart {
  /** Stored casts and tasks that the plans do not have. */
  readonly dropped: readonly string[] | null;
  readonly droppedTasks: readonly string[] | null;
  readonly tasks: string | null;
  readonly plan: string | null;
  /** Casts and tasks that are not stored yet. */
  readonly added: NonNullable<VersionEntry['added']>;
}

const noPlan: PlanPart = { dropped: null, droppedTasks: null, tasks: null, plan: null, added: { casts: [], tasks: [] } };

type PresentNames = Readonly<Record<'environments' | 'agents', ReadonlyMap<string, Present>>> & PlanPart;

/** Plans by their tasks, and by their casts where the run is about no others. */
function planHash(planned: readonly PlannedTasks[], exclusive: 'plan' | 'tasks'): string {
  const casts = planned.flatMap(({ sheet }) =>
    sheet.scenes.flatMap(({ environment, casts }) => casts.map((cast) => `${environment.id}\n${keptText(cast)}`)),
  );
  return `plan-${hash([tasksHash(planned), exclusive === 'plan' ? casts.sort() : []]).slice(0, 16)}`;
}

/** Planned casts of which no episode is stored. */
function findUnstored(planned: ReadonlySet<string>, stored: readonly EpisodeTally[]): readonly string[] {
  const keys = new Set(stored.flatMap(({ versions }) => (versions === undefined ? [] : [castKey(versions)])));
  return [...planned].filter((key) => !keys.has(key)).sort();
}

/** The tasks of plans as they were read. */
function tasksHash(planned: readonly PlannedTasks[]): string {
  const keys = planned.flatMap(({ sheet }) => sheet.scenes.map(({ environment, task }) => taskKey(environment.id, task)));
  return hash([...new Set(keys)].sort()).slice(0, 16);
}

interface OtherTasks {
  /** Stored tasks that no plan has, with their episodes. */
  readonly dropped: ReadonlyMap<string, number>;
  /** Tasks of the plans that are not stored. */
  readonly added: readonly string[];
}

/** How the stored tasks differ from those of the plans. They are looked for only where the run was played with other tasks. */
async function tasksElsewhere(
  planned: readonly PlannedTasks[],
  { store, run }: VersionsOptions,
  { droppedTasks, tasks }: CurrentVersions,
): Promise<OtherTasks> {
  const others = new Map<string, number>();
  const nothing = { dropped: others, added: [] };
  const stored = await store.run(run);
  if (stored === null) return nothing;
  const tasksIn = (environments: Plan['environments']) =>
    new Set(environments.flatMap(({ environment, tasks }) => tasks.map((task) => `${environment}\n${keptText(task)}`)));
  const before = tasksIn(stored.plan.environments);
  const now = tasksIn(planned.flatMap(({ plan }) => plan.environments));
  // As the last time: what was left out then still is.
  if (tasks === tasksHash(planned)) return { ...nothing, dropped: new Map([...droppedTasks].map((key) => [key, 0])) };
  if (tasks === null && droppedTasks.size === 0 && before.size === now.size && [...now].every((task) => before.has(task))) return nothing;
  const plannedTasks = new Set(planned.flatMap(({ sheet }) => sheet.scenes.map(({ environment, task }) => taskKey(environment.id, task))));
  const keys = new Set<string>();
  for await (const { environment, task } of currentRecords(store, run, foldEntries([]))) {
    const key = taskKey(environment, task);
    keys.add(key);
    if (!plannedTasks.has(key)) others.set(key, (others.get(key) ?? 0) + 1);
  }
  return { dropped: others, added: [...plannedTasks].filter((key) => !keys.has(key)).sort() };
}

/** Stored episodes of unchanged parts that no plan combines any more. */
function droppedCasts(stored: readonly EpisodeTally[], current: CurrentVersions, keptCasts: ReadonlySet<string>): readonly string[] {
  const keys = stored.flatMap((tally) => (tally.versions !== undefined && isCurrent(tally, current) ? [castKey(tally.versions)] : []));
  return [...new Set(keys)].filter((key) => !keptCasts.has(key)).sort();
}

interface Marking {
  readonly existing: ReadonlyMap<string, NamedVersions>;
  readonly run: string;
  readonly reuse: boolean;
  readonly candidates?: ReadonlyMap<string, Fingerprint>;
  readonly mixed: ReadonlySet<string>;
}

function markAll(prints: Prints, { existing, run, reuse, candidates, mixed }: Marking): ReadonlyMap<string, Present> {
  const marked = [...prints].map(([name, versions]): [string, Present] => {
    const round = Math.max(1, roundOf(existing.get(name)) + (reuse ? 0 : 1));
    const marks = new Map([...versions].map(([key, print]) => [key, markOf(print, round, mixed)]));
    const candidate = candidates?.get(name);
    const versionsNow = [...new Set(marks.values())].sort();
    const decides = candidate === undefined ? versionsNow : [markOf(candidate, round, mixed)];
    // An unhashable object counts as different in every run.
    const isPinned = decides.every((mark) => !mark.includes('~'));
    return [name, { id: hash(isPinned ? decides : [run, ...decides]).slice(0, 16), versions: versionsNow, marks }];
  });
  return new Map(marked);
}

/** The entry to record; null if it is known. */
function entryFor(before: CurrentVersions, present: PresentNames, reuse: boolean): VersionEntry | null {
  const freshIn = (part: 'environments' | 'agents') =>
    Object.fromEntries(
      [...present[part]].flatMap(([name, { id, versions }]) => {
        const existing = before[part].get(name);
        return existing !== undefined && isSame(existing, { id, versions }) ? [] : [[name, { id, versions }] as const];
      }),
    );
  const [environments, agents] = [freshIn('environments'), freshIn('agents')];
  const isOther = (keys: readonly string[], currentKeys: ReadonlySet<string>) => keys.join() !== [...currentKeys].join();
  const { dropped: casts, droppedTasks: otherTasks, tasks, plan, added } = present;
  const isPlanNew = plan !== null && plan !== before.plan;
  const isAdded = isPlanNew && before.plan !== null && added.casts.length + added.tasks.length > 0;
  const dropped = {
    ...(casts !== null && isOther(casts, before.dropped) ? { dropped: casts } : {}),
    ...(otherTasks !== null && isOther(otherTasks, before.droppedTasks) ? { droppedTasks: otherTasks } : {}),
    ...(tasks !== null && tasks !== before.tasks ? { tasks } : {}),
    ...(isPlanNew ? { plan } : {}),
    ...(isAdded ? { added } : {}),
  };
  const isNew = Object.keys({ ...environments, ...agents, ...dropped }).length > 0 || before.reuse !== reuse;
  return isNew ? { environments, agents, ...dropped, ...(before.reuse === reuse ? {} : { reuse }) } : null;
}

interface Declaration {
  readonly planned: readonly PlannedTasks[];
  readonly prints: Fingerprints;
  readonly printed: Readonly<Record<'environments' | 'agents', Prints>>;
  readonly changes: readonly VersionChange[];
  readonly options: VersionsOptions;
}

/** Records the current players. */
async function declare(present: PresentNames, { planned, prints, printed, changes, options }: Declaration): Promise<void> {
  const { store, run, reuse = false } = options;
  await noteEntry({ store, run }, (before) => {
    const entry = entryFor(before, present, reuse);
    return entry === null || changes.length === 0 ? entry : { ...entry, changes };
  });
  await keepSpecs(planned, prints, { store, run });
  const { cwd, trust, sources: planSources = [] } = options;
  // An environment may be made from a file that has its tasks.
  const environmentSources = [...printed.environments.values()].flatMap((prints) => [...prints.values()].flatMap((print) => print.sources));
  const planMarks = present.plan === null ? {} : { marks: [present.plan] };
  const sources: MarkedSource[] = [
    ...planSources.map((source) => ({ ...source, ...planMarks })),
    ...environmentSources.map((source) => ({ ...source, ...planMarks })),
  ];
  for (const part of ['environments', 'agents'] as const)
    for (const [name, prints] of printed[part])
      for (const [key, print] of prints) {
        const marks = [present[part].get(name)!.marks.get(key)!];
        const files = part === 'agents' ? [...print.sources, ...documentSources([name], cwd)] : print.sources;
        // Its identity is known only from the plan.
        const isPlanned = files.length === 0 && part === 'agents' && key !== name;
        for (const source of isPlanned ? planSources : files) sources.push({ ...source, marks });
      }
  await noteSources(store, { run, use: 'played', sources, cwd, trust });
}

/** Compares the files once more after what they decide was played. */
async function settle(present: PresentNames, { store, run, cwd }: VersionsOptions): Promise<readonly VersionChange[]> {
  const files = new PresentFiles(await readSourceNotes(store, run), cwd, run);
  const mixed: string[] = [];
  const changes: VersionChange[] = [];
  for (const part of ['environments', 'agents'] as const)
    for (const [name, { versions }] of present[part]) {
      const changed: string[] = [];
      for (const mark of versions) if (await files.isChanged(mark)) changed.push(mark);
      if (changed.length === 0) continue;
      mixed.push(...changed);
      const isOf = ({ versions }: EpisodeTally) =>
        versions !== undefined && [versions.environment, ...Object.values(versions.agents)].some((mark) => changed.includes(mark));
      const episodes = (await store.tally({ run })).reduce((sum, tally) => sum + (isOf(tally) ? tally.count : 0), 0);
      changes.push({ what: part === 'agents' ? 'agent' : 'environment', name, reason: 'mixed', episodes });
    }
  if (mixed.length > 0) await noteEntry({ store, run }, () => ({ mixed, changes }));
  return changes;
}

type Prints = ReadonlyMap<string, ReadonlyMap<string, Fingerprint>>;

function put(table: Map<string, Map<string, Fingerprint>>, name: string, key: string, print: Fingerprint): void {
  const prints = table.get(name) ?? new Map<string, Fingerprint>();
  table.set(name, prints.set(key, print));
}

function keyOf(spec: Json): string {
  return typeof spec === 'string' ? spec : keptText(spec);
}

function findUnpinned(prints: Prints): readonly (readonly [string, string])[] {
  return [...prints].flatMap(([name, versions]) => {
    const why = [...new Set([...versions.values()].flatMap((print) => print.unpinned))];
    return why.length === 0 ? [] : [[name, why.join('; ')] as const];
  });
}

/** The stored form of a fingerprint: the hash, and a number if the hash is incomplete or its episodes mix two versions. */
function markOf({ hash: of, unpinned }: Fingerprint, round: number, mixed: ReadonlySet<string>): string {
  let mark = unpinned.length === 0 ? of : `${of}~${round}`;
  for (let n = round; mixed.has(mark); mark = `${of}~${n}`) n++;
  return mark;
}

function roundOf(existing: NamedVersions | undefined): number {
  return Math.max(0, ...(existing?.versions ?? []).map((mark) => Number(mark.split('~')[1] ?? 0)));
}

/** A cast of a job, and the fingerprints that it was made with. */
export interface VersionedCast {
  /** By the name under which it is loaded. */
  readonly environment: string;
  readonly cast: Cast;
  readonly versions: EpisodeVersions;
}

/** A worker plays a job only with what the job was made for. */
export async function checkVersions({ environment, cast, versions }: VersionedCast, place: FingerprintPlace): Promise<void> {
  const prints = new Fingerprints(place);
  const plain = (mark: string | undefined) => mark?.split('~')[0];
  const refuse = (what: string) => {
    throw new Fault('input', `${what} differs from the one in the job. Give every worker the same files and settings.`);
  };
  if ((await prints.environment(environment)).hash !== plain(versions.environment)) refuse(`The environment ${environment} of this worker`);
  for (const [seat, spec] of Object.entries(cast))
    if ((await prints.agent(spec)).hash !== plain(versions.agents[seat]))
      refuse(`The agent "${typeof spec === 'string' ? spec : spec.name}" of this worker`);
}
