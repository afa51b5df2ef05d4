/**
 * @file Structures over the records an agent has written, each optional: a graph of entities with the facts and events that name them,
 * searched in several rounds (M3-Agent); a register of mentioned subjects (AutoStudio); a profile of the user (PersonaMem-v2); tasks with
 * dependencies (TME); and beliefs with the most informative question (belief graphs). All are rebuilt from the records each turn, so none
 * contains a forgotten record.
 *
 * A record under "Ann.home" is about Ann; under "task.NAME" it is a task; under "belief.NAME" a belief; under "user.…" it is about the
 * user.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { beliefGraph, beliefWords } from './beliefs.ts';
import { cutTo, type Tokens } from './budget.ts';
import type { MemoryRecord } from './memory.ts';
import type { Recalled } from './recall.ts';

export const knowledgeNames = ['graph', 'register', 'profile', 'tasks', 'beliefs'] as const;
export type KnowledgeName = (typeof knowledgeNames)[number];

/** Instructions of each structure for writing records, for the stable part of the prompt. */
const ways: Readonly<Record<KnowledgeName, string>> = {
  graph: 'Name what a fact is about before a dot, as in "Ann.home = Oslo", and use the same name everywhere.',
  register: 'Keep what somebody or something is like under its name, as in "fox.coat = red"; other names of it under "fox.alias".',
  profile: 'Keep what you find out about the user under "user.", as in "user.tea = green".',
  tasks: 'Keep tasks as "task.NAME = open", "task.NAME = done after OTHER, OTHER" or "task.NAME = failed".',
  beliefs: 'Keep what you are not sure of with chances, as in "belief.colour = red 60, blue 40".',
};

export function knowledgeWords(names: readonly KnowledgeName[]): string {
  return names.map((name) => ways[name]).join('\n');
}

/** The most rounds of a search in the graph, facts that it returns, and tokens of a profile. */
const mostRounds = 5;
const mostFacts = 12;
/** The most events that a search in the graph returns, newest first. */
const mostEvents = 6;
const longestProfile = 2000;

export interface KnowledgeQuery {
  readonly names: readonly KnowledgeName[];
  /** The records valid at this turn. */
  readonly records: readonly MemoryRecord[];
  /** Events out of view, oldest first. Only the graph uses them. */
  readonly events?: readonly EventNode[];
  /** The latest messages, which name the subjects of the turn. */
  readonly words: string;
  readonly count: Tokens;
}

/** A message and its speaker. */
export interface EventNode extends Recalled {
  readonly from?: string | undefined;
}

/** Memories from these structures. Facts keep their ids; combined memories have their own. */
export function knowledgeOf({ names, records, events = [], words, count }: KnowledgeQuery): readonly Recalled[] {
  const out = new Map<string, Recalled>();
  const add = (recalleds: readonly Recalled[]) => {
    for (const recalled of recalleds) out.set(recalled.id, recalled);
  };
  const facts = records.filter(({ key }) => key !== undefined);
  if (names.includes('register')) add(factsAbout(facts, words).map(toRecalled));
  if (names.includes('graph')) {
    const graph = searchGraph(facts, words, events);
    add(graph.facts.map(toRecalled));
    add(graph.events.map(({ id, text }) => ({ id, text })));
  }
  if (names.includes('profile')) add(profileOf(facts, count));
  if (names.includes('tasks')) add(tasksOf(facts));
  if (names.includes('beliefs')) add(beliefsOf(facts));
  return [...out.values()];
}

function toRecalled({ id, text }: MemoryRecord): Recalled {
  return { id, text };
}

/** The subject of a record: the part of its key before the dot. The dot in "Dr. Meyer" is part of the name. */
function subjectOf({ key = '' }: MemoryRecord): string {
  return key
    .split(/\.(?! )/, 1)[0]!
    .trim()
    .toLowerCase();
}

const special = new Set(['user', 'task', 'belief']);

/** Every subject with its names. */
function namesBySubject(facts: readonly MemoryRecord[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const fact of facts) {
    const subject = subjectOf(fact);
    if (subject === '' || special.has(subject)) continue;
    const name = names.get(subject) ?? [subject];
    if (/\.(?:alias|name)$/i.test(fact.key ?? '')) name.push(...contentOf(fact).toLowerCase().split(/,\s*/));
    names.set(subject, name);
  }
  return names;
}

function contentOf({ key, text }: MemoryRecord): string {
  return key !== undefined && text.startsWith(`${key}:`) ? text.slice(key.length + 1).trim() : text;
}

function isNamed(text: string, name: string): boolean {
  if (name === '') return false;
  const [lower, wanted] = [text, name].map((part) => part.toLowerCase().replaceAll('’', "'")) as [string, string];
  // The first occurrence may be part of a longer word, as Ann in "annual".
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const around = `${lower[at - 1] ?? ' '}${lower[at + wanted.length] ?? ' '}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}

/** Subjects that a text names, by any of their names. */
function subjectsIn(text: string, names: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...names].flatMap(([subject, knownNames]) => (knownNames.some((name) => isNamed(text, name)) ? [subject] : []));
}

/** All facts about subjects that the turn mentions, and no others. */
function factsAbout(facts: readonly MemoryRecord[], text: string): readonly MemoryRecord[] {
  const subjects = subjectsIn(text, namesBySubject(facts));
  return facts.filter((fact) => subjects.includes(subjectOf(fact)));
}

/** Follows names from the turn to facts and from there to further facts, until there are no new ones. */
export function searchGraph(
  facts: readonly MemoryRecord[],
  text: string,
  events: readonly EventNode[] = [],
): { readonly facts: readonly MemoryRecord[]; readonly events: readonly EventNode[]; readonly rounds: number } {
  const names = withEventNames(namesBySubject(facts), events);
  const newestFirst = events.map((event) => ({ event, subjects: subjectsIn(`${event.from ?? ''}\n${event.text}`, names) })).reverse();
  const linked: EventNode[] = [];
  const visited = new Set<string>();
  const memoryRecords: MemoryRecord[] = [];
  let frontier = subjectsIn(text, names);
  let rounds = 0;
  while (frontier.length > 0 && rounds < mostRounds && memoryRecords.length < mostFacts) {
    rounds++;
    for (const subject of frontier) visited.add(subject);
    const news = facts
      .filter((fact) => frontier.includes(subjectOf(fact)) && !memoryRecords.includes(fact))
      .slice(0, mostFacts - memoryRecords.length);
    memoryRecords.push(...news);
    const happened = newestFirst
      .filter(({ event, subjects }) => !linked.includes(event) && subjects.some((subject) => frontier.includes(subject)))
      .slice(0, mostEvents - linked.length);
    linked.push(...happened.map(({ event }) => event));
    const next = [...news.flatMap((fact) => subjectsIn(contentOf(fact), names)), ...happened.flatMap(({ subjects }) => subjects)];
    frontier = [...new Set(next)].filter((subject) => !visited.has(subject));
  }
  return { facts: memoryRecords, events: events.filter((event) => linked.includes(event)), rounds };
}

/** The names of a graph: those of its facts, of the speakers, and in messages. */
function withEventNames(
  names: ReadonlyMap<string, readonly string[]>,
  events: readonly EventNode[],
): ReadonlyMap<string, readonly string[]> {
  const everyName = new Map(names);
  const aliases = new Set([...names.values()].flat());
  for (const { from = '', text } of events)
    for (const name of [from, ...namesIn(text)].map((each) => each.toLowerCase()))
      if (name !== '' && !special.has(name) && !aliases.has(name)) everyName.set(name, [name]);
  return everyName;
}

/** Capitalized words that do not begin a sentence, except "I". */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<=[\p{L}\p{N},;]["”’]? )\p{Lu}[\p{L}\p{N}]+/gu)].map(([name]) => name);
}

/** The facts about the user, in one line of bounded length. If space is short, the newest facts stay. */
function profileOf(facts: readonly MemoryRecord[], count: Tokens): readonly Recalled[] {
  const memoryRecords = facts.filter((fact) => subjectOf(fact) === 'user');
  if (memoryRecords.length === 0) return [];
  const parts: string[] = [];
  let left = longestProfile - 10;
  for (const fact of [...memoryRecords].reverse()) {
    const part = fact.text.replace(/^user\./i, '');
    left -= count(part) + 2;
    if (left < 0) break;
    parts.unshift(part);
  }
  return [{ id: 'profile', text: cutTo(`The user: ${parts.join('; ')}`, longestProfile, count) }];
}

/** Tasks with their dependencies. A finished task whose dependency was changed later must be repeated, and so must the ones after it. */
function tasksOf(facts: readonly MemoryRecord[]): readonly Recalled[] {
  const key = (name: string) => name.trim().toLowerCase();
  const taskFacts = facts.filter((fact) => subjectOf(fact) === 'task');
  const names = new Set(taskFacts.map((fact) => key((fact.key ?? '').slice('task.'.length))));
  /** The names in a part such as "walls and floor.", which may also be the name of one task. */
  const dependencies = (part: string) => {
    const name = part.replace(linear(/[\s.;!]+$/), '').trim();
    return names.has(key(name)) ? [name] : name.split(linear(/\s+and\s+/i)).filter(Boolean);
  };
  const tasks = taskFacts.map((fact) => {
    const [state = '', after = ''] = contentOf(fact).split(linear(/\s+after\s+/i));
    return {
      name: (fact.key ?? '').slice('task.'.length),
      state: state.trim(),
      // Record keys are in lower case, but models write names in any case.
      after: after.split(',').flatMap(dependencies),
      at: fact.recordedAt,
    };
  });
  const again = new Set<string>();
  for (let before = -1; before < again.size; ) {
    before = again.size;
    for (const { name, state, after, at } of tasks) {
      const isStale = tasks.some(
        (other) =>
          after.some((name) => key(name) === key(other.name)) && (other.at > at || again.has(other.name) || !/^done/i.test(other.state)),
      );
      if (/^done/i.test(state) && isStale) again.add(name);
    }
  }
  if (tasks.length === 0) return [];
  const line = ({ name, state, after }: (typeof tasks)[number]) => {
    const now = again.has(name) ? 'to be done again' : state;
    return `${name}: ${now}${after.length === 0 ? '' : ` (after ${after.join(', ')})`}`;
  };
  const active = activeTasks();
  const others = tasks.length - active.length;
  const rest = others === 0 ? '' : `; ${others} ${others === 1 ? 'other is' : 'others are'} done`;
  return [{ id: 'tasks', text: `Your tasks: ${active.map(line).join('; ')}${rest}` }];

  /** Unfinished tasks and their dependencies: the relevant path through the graph. All tasks once everything is done. */
  function activeTasks() {
    const path = new Set(tasks.filter(({ name, state }) => again.has(name) || !/^done/i.test(state)));
    if (path.size === 0) return tasks;
    for (const { after } of path) for (const other of tasks) if (after.some((name) => key(name) === key(other.name))) path.add(other);
    return tasks.filter((task) => path.has(task));
  }
}

/** Beliefs as a graph with their probabilities, and the question that would reduce uncertainty most; certain ones are not asked about. */
function beliefsOf(facts: readonly MemoryRecord[]): readonly Recalled[] {
  const text = beliefWords(beliefGraph(facts, contentOf));
  return text === '' ? [] : [{ id: 'beliefs', text }];
}
