/**
 * @file Builds a desk from its tools alone: their effects imply the tables, relations, and columns; records
 * are generated, and every tool that changes something yields cases: some to be done and some that its condition forbids.
 */

import { equal, type Json, type JsonObject, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { sentencesOf } from '../../questions.ts';
import type { DeskCase, DeskDatabase, DeskStep, DeskTool } from '../document.ts';
import { type DeskResult, isWrite, runTool } from '../tools.ts';

export interface Entity {
  readonly table: string;
  /** Values that tools compare or write, by column; empty if any value is allowed. */
  readonly columns: Readonly<Record<string, readonly Json[]>>;
}

/** Dates as records write them, all on working days. */
const dates = ['2027-03-04', '2027-03-09', '2027-03-22', '2027-04-06', '2027-04-15', '2027-05-11', '2027-05-20', '2027-06-03'] as const;

/** Does the name of a column or an argument indicate a date? */
function isDate(name: string): boolean {
  return /(?:^|_)(?:date|day|due|deadline|birthday|born|until|since|(?:arriv|depart)(?:al|ure|es|s)?|expir(?:y|es|ation)|check_?(?:in|out))(?:_(?:date|day|on|by))?$/i.test(
    name,
  );
}

/** The values that the schema allows for an argument; empty if it accepts any text. */
function valuesFor({ parameters }: Pick<DeskTool, 'parameters'>, name: string): readonly Json[] {
  const schema = isObject(parameters['properties']) ? parameters['properties'][name] : undefined;
  if (!isObject(schema)) return [];
  if (Array.isArray(schema['enum'])) return schema['enum'] as readonly Json[];
  if (schema['type'] === 'boolean') return [true, false];
  if (schema['type'] === 'string' && (schema['format'] === 'date' || isDate(name))) return dates;
  if (schema['type'] !== 'integer' && schema['type'] !== 'number') return [];
  const least = Number(schema['minimum'] ?? 1);
  return [0, 1, 2, 3].map((n) => least + n).filter((value) => value <= Number(schema['maximum'] ?? Number.POSITIVE_INFINITY));
}

/** The tables that tools use, with their columns. */
export function entitiesOf(tools: readonly DeskTool[]): readonly Entity[] {
  const tables = new Map<string, Map<string, Set<Json>>>();
  for (const tool of tools) {
    const { does } = tool;
    const table = does.get ?? does.find ?? does.set ?? does.add ?? does.remove;
    if (table === undefined) continue;
    const columns = tables.get(table) ?? new Map<string, Set<Json>>();
    tables.set(table, columns);
    for (const [column, value] of [
      ...Object.entries(does.where ?? {}),
      ...Object.entries(does.if ?? {}),
      ...Object.entries(does.to ?? {}),
    ]) {
      if (column === 'id') continue;
      const values = columns.get(column) ?? new Set<Json>();
      columns.set(column, values);
      const argument = typeof value === 'string' ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined;
      if (argument !== undefined) for (const item of valuesFor(tool, argument)) values.add(item);
      else if (typeof value !== 'string' || !value.includes('{')) values.add(value);
    }
  }
  return [...tables].map(([table, columns]) => ({
    table,
    columns: Object.fromEntries([...columns].map(([column, values]) => [column, [...values]])),
  }));
}

const names = ['Ann Archer', 'Ben Brook', 'Cleo Dale', 'Dora Finch', 'Emil Hale', 'Fay Lund', 'Gus Moor', 'Hal Nash'] as const;
const words = ['amber', 'birch', 'cobalt', 'delta', 'ember', 'fjord', 'gravel', 'harbour', 'indigo', 'juniper'] as const;

/** Another value of the same kind, for a column for which tools know only one value. */
function other(value: Json): Json {
  return typeof value === 'number' ? 0 : typeof value === 'boolean' ? !value : `not ${String(value)}`;
}

/** The column by which the policy identifies customers: "card_number"; "email" if the policy does not say. */
export function identityIn(policy: string): string {
  const rule = linear(
    /\b(?:identif\w+|verif\w+|recogni[sz]\w+|find|found|known|look up|ask(?:ed)? for|say|state|give)\b[^.\n]{0,40}?\b(?:by|with|through|for|their|the|a)\b (?:their |the |a |an |his or her )?((?:[a-z]+ )?(?:number|code|name|email|phone|postcode|birthday|date of birth))\b/i,
  ).exec(policy)?.[1];
  return rule === undefined
    ? 'email'
    : rule
        .toLowerCase()
        .replace(/^(?:the|their|a|an) /, '')
        .replaceAll(' ', '_');
}

/**
 * Does a rule forbid a tool's effect on a record: always ("Loans are never extended."), or if the record meets a condition ("A loan
 * that is late is never extended.")? Any other words of a rule are a condition that cannot be parsed.
 */
export function isForbidden(tool: Pick<DeskTool, 'name' | 'does'>, policy: string, row: JsonObject): boolean {
  const [stem, ...nouns] = namesIn(tool);
  if (stem.length < 3) return false;
  const table = tool.does.set ?? tool.does.remove ?? '';
  const names = [stem, ...nouns, table.replace(/s$/, '')].filter((name) => name.length >= 3);
  const isGeneral = (term: string) => general.test(term) || names.some((name) => term.startsWith(name));
  const values = new Set(Object.values(row).flatMap((value) => (typeof value === 'string' ? value.toLowerCase().split(/\s+/) : [])));
  const columns = new Set(Object.keys(row).flatMap((column) => column.toLowerCase().split('_')));
  const isMet = (terms: readonly string[]) =>
    terms.some((term) => values.has(term)) && terms.every((term) => values.has(term) || columns.has(term) || conditional.test(term));
  return sentencesOf(policy).some((rule) => {
    const terms = rule.toLowerCase().match(/[a-z']+|\d+/g) ?? [];
    const conditions = terms.filter((term) => !isGeneral(term));
    return forbids.test(rule) && terms.some((term) => term.startsWith(stem)) && (conditions.length === 0 || isMet(conditions));
  });
}

/** The stem of a tool's verb, and its nouns: "mov" and "booking" of move_booking. */
function namesIn({ name }: Pick<DeskTool, 'name'>): readonly [string, ...string[]] {
  const [verb = '', ...nouns] = name.toLowerCase().split(/[_\s-]+/);
  return [verb.replace(/(?:e|y)$/, ''), ...nouns];
}

const restricts = linear(/\b(?:only|unless|if|until|before|after|within|at most|at least|never|not|cannot|except)\b|\d/i);

/** Rules with a condition that no case covers: a person must check whether the cases of this tool are correct. */
export function rulesNotApplied(tools: readonly DeskTool[], database: DeskDatabase, policy: string): MadeRules {
  const writes = tools.filter(isWrite);
  const rowsOf = ({ does }: DeskTool) => Object.values(database[does.set ?? does.remove ?? ''] ?? {});
  // "A slot that is cancelled is never moved." has cases of move_slot, and says nothing about cancel_slot.
  const isApplied = (rule: string) => writes.some((tool) => rowsOf(tool).some((row) => isForbidden(tool, rule, row)));
  return writes.flatMap((tool) => {
    const [stem] = namesIn(tool);
    return sentencesOf(policy.replace(linear(/^\s*(?:#.*|[-*•]\s+|\d{1,2}[.)]\s+)/gm), ''))
      .map((rule) => rule.trim())
      .filter((rule) => restricts.test(rule) && (rule.toLowerCase().match(/[a-z]+/g) ?? []).some((term) => term.startsWith(stem)))
      .filter((rule) => stem.length >= 3 && !isApplied(rule))
      .map((rule) => ({ tool: tool.name, rule }));
  });
}

export type MadeRules = readonly { readonly tool: string; readonly rule: string }[];

const forbids = linear(
  /\b(?:never|nothing|nobody may|no one may|cannot|can['’]t|(?:may|must|is|are|do) not|not (?:allowed|possible|permitted)|refuse|forbidden|no \w+ (?:is|are|may))\b/i,
);
/** Words that do not restrict a rule. */
const general =
  /^(?:never|nothing|cannot|can't|can|may|must|is|are|be|been|do|does|not|allowed|possible|permitted|refuse[ds]?|forbidden|no|any|all|every|ever|always|a|an|the|of|by|for|to|it|this|that|we|you|us|our|their|customers?|nobody|at|under|circumstances|whatsoever|whatever|reasons?|requests?|cases?|please|here)$/;
/** Words that introduce a condition. */
const conditional = /^(?:if|when|where|while|which|who|whose|that|in|with|has|have|are|were|was|once|already|still)$/;

/** Customers, and some records of theirs in each table. */
export function drawDatabase(entities: readonly Entity[], people: number, dice: Rng, identity = 'email'): DeskDatabase {
  const choice = dice.shuffle(names).slice(0, people);
  const customers = choice.map((name, i): [string, JsonObject] => [
    `c${i + 1}`,
    {
      name,
      email: `${name.toLowerCase().replace(' ', '.')}@${words[i % words.length]}.example`,
      ...(['email', 'name'].includes(identity) ? {} : { [identity]: `${identity[0].toUpperCase()}${40_000 + 1000 * i + dice.int(1000)}` }),
    },
  ]);
  const tables = entities
    .filter(({ table }) => table !== 'customers')
    .map(({ table, columns }, t) => {
      const rows = customers.flatMap(([id], i) =>
        [0, 1, 2].map((n): [string, JsonObject] => {
          const samples = Object.entries(columns).map(([column, values]) => [
            column,
            isDate(column) && values.every((value) => dates.some((date) => date === value))
              ? dice.pick(dates)
              : values.length === 0
                ? dice.pick(words)
                : ([...values, ...(values.length === 1 ? [other(values[0])] : [])][(3 * i + n) % Math.max(2, values.length)] as Json),
          ]);
          return [`${table[0].toUpperCase()}${t + 1}${i + 1}0${n + 1}`, { customer: id, ...Object.fromEntries(samples) }];
        }),
      );
      return [table, Object.fromEntries(rows)] as const;
    });
  return { customers: Object.fromEntries(customers), ...Object.fromEntries(tables) };
}

/** A case for every record that a tool can or cannot change. If it cannot, the request must be refused. */
export function blueprintCases(tools: readonly DeskTool[], database: DeskDatabase, dice: Rng, policy = ''): readonly DeskCase[] {
  const identity = identityIn(policy);
  return tools.filter(isWrite).flatMap((tool) => {
    const table = tool.does.set ?? tool.does.remove;
    const key = /^\{(\w+)\}$/.exec(tool.does.id ?? '{id}')?.[1];
    if (table === undefined || key === undefined) return [];
    return Object.entries(database[table] ?? {}).flatMap(([id, row]): DeskCase[] => {
      const takes = isObject(tool.parameters['properties']) ? Object.keys(tool.parameters['properties']) : [];
      const samples = takes.flatMap((name): readonly (readonly [string, Json])[] => {
        const values: readonly Json[] = valuesFor(tool, name);
        const others = (values.length === 0 ? words : values).filter((value) => value !== row[name]);
        return name === key || others.length === 0 ? [] : [[name, dice.pick(others)]];
      });
      const args: JsonObject = { [key]: id, ...Object.fromEntries(samples) };
      const result: DeskResult = isForbidden(tool, policy, row)
        ? { ok: false, problem: 'The policy forbids it.' }
        : runTool({ tools }, database, { tool: tool.name, args });
      const person = database['customers']?.[String(row['customer'])];
      // A call without an effect is already done, so a bot cannot be observed doing it.
      if (person === undefined || (result.ok && equal(result.database, database))) return [];
      const recordKind = table.replace(/s$/, '');
      const deed = tool.name.replaceAll('_', ' ');
      const details = samples.map(([name, value]) => detailOf(name.replaceAll('_', ' '), String(value))).join('');
      const say = `I want to ${deed.includes(recordKind) ? deed : `${deed} ${recordKind}`} ${id}.${details}`;
      return [
        {
          ...{ id: `${tool.name}-${id}`.slice(0, 60), customer: String(row['customer']), persona: null, probe: 'task', refuse: !result.ok },
          knows: { [topicFor(identity)]: String(person[identity] ?? person['email']), [`${recordKind} number|which ${recordKind}`]: id },
          says: [
            { say, kind: 'request', tell: [] },
            ...(result.ok ? questionAfter(row, result.database[table]?.[id], `${recordKind} ${id}`) : []),
          ],
          gold: result.ok ? [{ tool: tool.name, args }] : [],
          ...{ tell: [], never: [], insist: 1, marker: null, planted: null, wrong: null, right: null },
        },
      ];
    });
  });
}

/** "The day is 2027-04-06."; after a preposition: "Until 2027-04-06." */
function detailOf(name: string, value: string): string {
  return /^(?:until|till|from|to|since|by|before|after|for|at|on|in)$/i.test(name)
    ? ` ${name[0].toUpperCase()}${name.slice(1)} ${value}.`
    : ` The ${name} is ${value}.`;
}

function topicFor(identity: string): string {
  return identity === 'email' ? 'email|e-mail' : identity.replaceAll('_', ' ');
}

/** A question whose answer shows whether the change was made, for bots without visible records. */
function questionAfter(before: JsonObject, after: JsonObject | undefined, recordName: string): readonly DeskStep[] {
  const [column, value] =
    Object.entries(after ?? {}).find(([name, now]) => ['string', 'number'].includes(typeof now) && now !== before[name]) ?? [];
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  return [{ say: `What is the ${String(column).replaceAll('_', ' ')} of ${recordName} now?`, kind: 'ask', tell: [value] }];
}
