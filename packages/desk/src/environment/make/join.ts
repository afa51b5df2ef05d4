/**
 * @file Joins several desks: tools and tables are prefixed with the desks' names, customers who are the same person are merged, the clock is
 * shared, and some cases need more than one desk. The goals of each case are also written as rubrics, for an evaluator that reads along.
 */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { DeskCall, DeskCase, DeskDatabase, DeskDocument, DeskEffect, DeskTool } from '../document.ts';
import { joinCases } from './compose.ts';

const clockTools: readonly DeskTool[] = [
  {
    name: 'clock_now',
    description: 'The minutes that have passed.',
    parameters: { type: 'object', properties: {} },
    does: { get: 'clock', id: 'now' },
  },
  {
    name: 'clock_wait',
    description: 'Lets minutes pass, at every desk.',
    parameters: { type: 'object', properties: { minutes: { type: 'number' } }, required: ['minutes'] },
    does: { wait: '{minutes}' },
  },
];

const nameOf = (desk: DeskDocument) => desk.name.replace(/\W+/g, '_');

/** One of the joined desks. The first one's customers are the people; customers of the others are matched by email or name. */
export function joinDesks(desks: readonly DeskDocument[], name: string): DeskDocument {
  const names = desks.map(nameOf);
  if (desks.length < 2 || new Set(names).size < names.length)
    throw new Fault('input', 'Joining needs two or more desks with different names.');
  const builtIn = desks.find(({ tools }) => tools.some(({ does }) => does.run !== undefined));
  if (builtIn !== undefined)
    throw new Fault('input', `${builtIn.name} has tools that are programs, which refer to tables by name, so it cannot be joined.`);
  const [first] = desks as readonly [DeskDocument, ...DeskDocument[]];
  const people = first.customers === null ? {} : (first.database[first.customers.table] ?? {});
  const parts = desks.map((desk) => partOf(desk, nameOf(desk), people, first));
  const table = `${nameOf(first)}_${first.customers?.table ?? ''}`;
  const strangers = Object.assign({}, ...parts.map((part) => part.strangers)) as DeskDatabase[string];
  const withStrangers = (database: DeskDatabase): DeskDatabase =>
    first.customers === null ? database : { ...database, [table]: { ...database[table], ...strangers } };
  return {
    ...{ name, about: `${desks.map((desk) => desk.name).join(' and ')}, with the same customers and one clock.`, required: [] },
    policy: desks.map((desk) => `# ${desk.name}\n\n${desk.policy}`).join('\n\n'),
    tools: [...parts.flatMap(({ tools }) => tools), ...clockTools],
    database: withStrangers(Object.assign({ clock: { now: { minutes: 0 } } }, ...parts.map(({ database }) => database)) as DeskDatabase),
    customers:
      first.customers === null
        ? null
        : {
            ...{ table, name: first.customers.name },
            owns: Object.assign({}, ...parts.map(({ owns }) => owns)) as Record<string, string>,
            private: [...new Set(desks.flatMap(({ customers }) => customers?.private ?? []))],
          },
    forbidden: [...new Set(desks.flatMap(({ forbidden }) => forbidden))],
    personas: first.personas,
    tasks: crossCases(parts.map(({ cases }) => cases)),
  };
}

interface DeskPart {
  readonly tools: readonly DeskTool[];
  readonly database: DeskDatabase;
  readonly owns: Readonly<Record<string, string>>;
  readonly cases: readonly DeskCase[];
  /** Customers that the first desk does not have. */
  readonly strangers: DeskDatabase[string];
}

function partOf(desk: DeskDocument, prefix: string, people: DeskDatabase[string], first: DeskDocument): DeskPart {
  const { customers } = desk;
  const ownEntry = customers === null ? {} : (desk.database[customers.table] ?? {});
  const same = (row: JsonObject) => {
    const matches = Object.entries(people).find(([, jsonObject]) =>
      row['email'] === undefined
        ? jsonObject[first.customers?.name ?? 'name'] === row[customers?.name ?? 'name']
        : jsonObject['email'] === row['email'],
    );
    return matches?.[0] ?? null;
  };
  // A person unknown to the first desk keeps a separate name.
  const idOf = (id: string) => (desk === first ? id : (same(ownEntry[id] ?? {}) ?? `${prefix}-${id}`));
  const tables = Object.entries(desk.database).map(([table, rows]) => {
    const column = customers?.owns[table];
    const moved = Object.entries(rows).map(([id, row]) => {
      if (table === customers?.table) return [idOf(id), row] as const;
      return [id, column === undefined ? row : { ...row, [column]: idOf(String(row[column])) }] as const;
    });
    return [`${prefix}_${table}`, Object.fromEntries(moved)] as const;
  });
  return {
    tools: desk.tools.map((tool) => ({ ...tool, name: `${prefix}_${tool.name}`.slice(0, 60), does: moveEffect(tool.does, prefix) })),
    database: Object.fromEntries(tables),
    owns: Object.fromEntries(Object.entries(customers?.owns ?? {}).map(([table, column]) => [`${prefix}_${table}`, column])),
    strangers:
      desk === first
        ? {}
        : Object.fromEntries(Object.entries(ownEntry).flatMap(([id, row]) => (same(row) === null ? [[idOf(id), row]] : []))),
    cases: desk.tasks
      .filter(({ probe }) => probe === 'task')
      .map((task) => ({
        ...task,
        id: `${prefix}-${task.id}`.slice(0, 60),
        customer: task.customer === null ? null : idOf(task.customer),
        gold: task.gold.map((call): DeskCall => ({ ...call, tool: `${prefix}_${call.tool}`.slice(0, 60) })),
        ...(task.holds === undefined ? {} : { holds: task.holds.map((hold) => ({ ...hold, does: moveEffect(hold.does, prefix) })) }),
      })),
  };
}

/** The same effect on the tables under their new names. */
function moveEffect(does: DeskEffect, prefix: string): DeskEffect {
  const moved = Object.entries(does).map(([key, value]): [string, Json] => [
    key,
    ['get', 'find', 'set', 'add', 'remove', 'search'].includes(key) ? `${prefix}_${String(value)}` : (value as Json),
  ]);
  return Object.fromEntries(moved) as DeskEffect;
}

/** Cases of one person across desks: one of each, in turn, followed by the remaining single cases. */
function crossCases(parts: readonly (readonly DeskCase[])[]): readonly DeskCase[] {
  const [first = [], ...others] = parts;
  const crossed = first.flatMap((start) => {
    const choice = others.map((cases) =>
      cases.filter(({ customer, refuse }) => !refuse && (customer === null || customer === start.customer)),
    );
    if (start.refuse || choice.some((cases) => cases.length === 0)) return [];
    const rounds = Math.max(...choice.map((cases) => cases.length));
    return Array.from({ length: rounds }, (_, i) => {
      const all = choice.map((cases) => cases[i % cases.length]);
      const joined = all.reduce(joinCases, start);
      return {
        ...joined,
        id: [start, ...all]
          .map(({ id }) => id)
          .join('+')
          .replaceAll('+', '.')
          .slice(0, 60),
        rubrics: rubricsOf([start, ...all]),
      };
    });
  });
  return [...new Map([...crossed, ...parts.flat()].map((deskCase) => [deskCase.id, deskCase])).values()];
}

/** The goals, one sentence each: handled requests, answered questions, and facts to state. */
function rubricsOf(cases: readonly DeskCase[]): readonly string[] {
  return cases.flatMap(({ says, tell, never }) => [
    ...says.map(({ say, kind, tell: facts }) =>
      kind === 'ask' && facts.length > 0 ? `To "${say}" the agent says ${facts.join(', ')}.` : `The agent deals with: ${say}`,
    ),
    ...tell.map((fact) => `The agent says: ${fact}`),
    ...never.map((words) => `The agent never says: ${words}`),
  ]);
}
