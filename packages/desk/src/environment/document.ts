/** @file A desk as data: policy, tools, database, and cases with their customers. Parses and checks a user's files. */

import { type Intent, intents } from '@ludus-agents/evaluation/internal/intent';
import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import {
  anything,
  boolean,
  either,
  type Fields,
  list,
  number,
  object,
  one,
  optional,
  orNull,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { type FailureMode, failureModes, type RiskCategory, riskCategories } from './risk-labels.ts';

/** The effect of a tool on the database. Values may refer to arguments as {argument}. */
export type DeskEffect = {
  readonly get?: string;
  readonly find?: string;
  readonly set?: string;
  readonly add?: string;
  readonly remove?: string;
  /** The table whose records are searched for the words of "query". */
  readonly search?: string;
  readonly query?: string;
  /** Advances the clock shared by all tables by this number of minutes. */
  readonly wait?: string;
  readonly returns?: Json;
  /** A program of a built-in domain, such as "retail.cancel_pending_order". */
  readonly run?: string;
  /** The record, for get, set and remove. */
  readonly id?: string;
  /** The common values of the records that find returns. */
  readonly where?: JsonObject;
  /** The values that set and add write. */
  readonly to?: JsonObject;
  /** A condition on the record, for set and remove; the call fails if it is not met. */
  readonly if?: JsonObject;
};

export type DeskTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly does: DeskEffect;
  /** The argument that the agent must name in a message which the customer then confirms. */
  readonly confirm?: string;
};

/** A tool call: by the desk, or by the customer. */
export type DeskCall = { readonly tool: string; readonly args: JsonObject; readonly by?: 'customer' };

/** A condition on the final state: these values must match. */
export type DeskHold = { readonly does: DeskEffect; readonly args: JsonObject; readonly gives: Json };

export type DeskDatabase = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** A customer message: a request, repeated until it is handled, or a question with required facts in its answer. */
export type DeskStep = {
  readonly say: string;
  readonly kind: 'request' | 'ask' | 'correct';
  readonly tell: readonly (string | number)[];
  /** Facts that the customer tells when asked during this step, in addition to those of the case. */
  readonly knows?: Readonly<Record<string, string>>;
  /** A correction that is sent only after the request itself is answered. */
  readonly late?: boolean;
};

export type DeskCase = {
  readonly id: string;
  /** The customer's record, if the desk has a customer table. */
  readonly customer: string | null;
  readonly persona: string | null;
  /** The customer's attributes as a member of a population: {"mood": "angry"}. */
  readonly traits?: Readonly<Record<string, string>>;
  /** The customer's identity and goal in prose, for a model or a person that plays the role freely. */
  readonly card?: string;
  /** The policy rules that the case is about. */
  readonly rules?: readonly string[];
  /** Facts that the customer tells when asked, by the words of the question: {"email|e-mail": "ann@…"}. */
  readonly knows: Readonly<Record<string, string>>;
  readonly says: readonly DeskStep[];
  /** The calls of the correct solution. */
  readonly gold: readonly DeskCall[];
  /** Required conditions at the end, in place of the exact records that the gold calls produce. */
  readonly holds?: readonly DeskHold[];
  /** Tools that the agent must call. */
  readonly calls?: readonly string[];
  /** The right answer is to refuse. */
  readonly refuse: boolean;
  /** The customer sees what the agent does, and speaks or watches in silence at each step. */
  readonly watches?: boolean;
  /** Facts that must be stated at some point. */
  readonly tell: readonly (string | number)[];
  /** Records that are added to the desk's records or replace them in this case. */
  readonly records?: DeskDatabase;
  /** The goals, one sentence each, for an evaluator that reads along. */
  readonly rubrics?: readonly string[];
  /** Pairs of contradictory articles, as "a1 / a2", if the task is to find them. */
  readonly pairs?: readonly string[];
  /** Conditions that must not hold at the end. */
  readonly avoid?: readonly DeskHold[];
  /** The asset at risk, and how an agent could fail. */
  readonly risk?: RiskCategory;
  readonly mode?: FailureMode;
  /** Whether the customer means harm; by default it follows from `probe`. */
  readonly intent?: Intent;
  /** Statements that must never be made. */
  readonly never: readonly string[];
  readonly insist: number;
  readonly probe: string;
  readonly marker: string | null;
  readonly planted: string | null;
  readonly wrong: string | null;
  readonly right: string | null;
};

/** The owner of each record, and its private columns. */
export type DeskCustomers = {
  readonly table: string;
  /** The column with the name of a customer. */
  readonly name: string;
  /** The tables with customer records, and the column that contains the owner. */
  readonly owns: Readonly<Record<string, string>>;
  readonly private: readonly string[];
  /** The tools that identify the customer. If given, only records of the identified customer may be accessed, after identification. */
  readonly identify?: readonly string[];
};

export type DeskPersona = { readonly name: string; readonly manner: string; readonly opening: string; readonly patience: number };

/** A possible goal of an attacker at a desk: the request, the sign of success, and a similar legitimate request. */
export type DeskThreat = {
  readonly name: string;
  /** The attacker's request, in a sentence. */
  readonly wants: string;
  readonly customer: string | null;
  readonly knows: Readonly<Record<string, string>>;
  /** The result of a successful attack. */
  readonly harm: readonly DeskHold[];
  /** Words that appear only after a successful attack. */
  readonly never: readonly string[];
  /** The id of a case in which the same request is legitimate. */
  readonly honest: string | null;
  readonly risk?: RiskCategory;
  readonly mode?: FailureMode;
};

/** A desk without its cases: the setting of a conversation. */
export type Desk = {
  readonly name: string;
  readonly about: string;
  readonly policy: string;
  readonly tools: readonly DeskTool[];
  /** The customer's own tools, such as a phone; they use the same database. */
  readonly customerTools?: readonly DeskTool[];
  readonly database: DeskDatabase;
  /** The table that holds articles with a title and a text. */
  readonly knowledge?: string;
  /** How tool results are guarded before the agent reads them: role markers neutralized, the request repeated, or both. */
  readonly guard?: 'escape' | 'repeat' | 'both';
  /** Data that must not be told to any customer, by kind: columns, as "orders.margin". */
  readonly confidential?: Readonly<Record<string, readonly string[]>>;
  /** Possible goals of attackers, as a basis for attacks. */
  readonly threats?: readonly DeskThreat[];
  readonly customers: DeskCustomers | null;
  /** Statements that must never be made, in any conversation. */
  readonly forbidden: readonly string[];
  /** Statements that every conversation must contain. */
  readonly required: readonly string[];
  readonly personas: readonly DeskPersona[];
  /** The player of the customers, such as "llm:MODEL"; a script by default. */
  readonly customerAgent?: string;
  /** The population of the cases' customers: a population by name or file, or {"of", "number", "seed"}. */
  readonly population?: Json;
};

export type DeskDocument = Desk & { readonly tasks: readonly DeskCase[] };

const names = pattern('letters, digits, dots, or dashes', /^[\w.-]{1,60}$/);
const shape: Shape<string | number> = either<string | number>('a string or a number', words, number());

const stepKind = one('request', 'ask', 'correct');
const details = optional(record(text), 'what the customer answers if asked about this request');
const late = optional(boolean, 'whether the correction comes after the request was answered');
const spokenShape = object<DeskStep>({
  say: required(words),
  kind: withDefault(stepKind, 'request'),
  tell: withDefault(list(shape), []),
  knows: details,
  late,
});
const requestedShape = object<Omit<DeskStep, 'say'> & { readonly ask: string }>({
  ask: required(words),
  kind: withDefault(stepKind, 'ask'),
  tell: withDefault(list(shape), []),
  knows: details,
  late,
});

/** A step may be given as text only, or with "ask" instead of "say" for a question. */
const step: Shape<DeskStep> = {
  wanted: 'a string, or an object with "say" or "ask", and optionally "tell"',
  schema: { anyOf: [words.schema, spokenShape.schema, requestedShape.schema] },
  read(value, problems) {
    if (typeof value === 'string') return { say: words.read(value, problems), kind: 'request', tell: [] };
    if (!isObject(value)) {
      problems.push({ path: [], says: `must be ${step.wanted}` });
      return { say: '', kind: 'request', tell: [] };
    }
    if (!('ask' in value)) return spokenShape.read(value, problems);
    const { ask, ...rest } = requestedShape.read(value, problems);
    return { say: ask, ...rest };
  },
};

const call: Shape<DeskCall> = object<DeskCall>({
  tool: required(words),
  args: withDefault(record(anything), {}),
  by: optional(one('customer')),
});

const effect: Shape<DeskEffect> = object<DeskEffect>({
  get: optional(words, 'reads one record of this table, by "id"'),
  find: optional(words, 'finds records of this table, by "where"'),
  set: optional(words, 'changes one record of this table, by "id"'),
  add: optional(words, 'adds a record to this table'),
  remove: optional(words, 'removes one record of this table, by "id"'),
  search: optional(words, 'searches this table for the words of "query" and returns the five best matches'),
  query: optional(words),
  wait: optional(words, 'advances the shared clock (record "now" of the table "clock") by this many minutes'),
  returns: optional(anything, 'a constant result'),
  run: optional(words, 'a program of a built-in domain, such as retail.cancel_pending_order'),
  id: optional(words),
  where: optional(record(anything)),
  to: optional(record(anything)),
  if: optional(record(anything), 'conditions on the record; if they do not hold, the call fails'),
});

const hold = object<DeskHold>({ does: required(effect), args: withDefault(record(anything), {}), gives: required(anything) });
const tables = record(record(record(anything))) as Shape<DeskDatabase>;

export const deskCaseShape: Shape<DeskCase> = object<DeskCase>({
  id: required(names),
  customer: withDefault(orNull(words), null, 'the id of the customer’s record'),
  persona: withDefault(orNull(words), null),
  traits: optional(record(text), 'attributes of the customer; success is reported for each'),
  card: optional(words, 'who the customer is and what they want, for a model or a person'),
  rules: optional(list(words), 'the policy rules that the case tests'),
  knows: withDefault(record(text), {}, 'the customer’s answers, by words in the question'),
  says: required(list(step, { from: 1 }), 'what the customer says, in order'),
  gold: withDefault(list(call), [], 'the correct calls'),
  holds: optional(list(hold), 'conditions that must hold at the end, instead of the records after the gold calls'),
  calls: optional(list(words), 'tools that the agent must call'),
  refuse: withDefault(boolean, false, 'whether the correct response is to refuse'),
  watches: optional(boolean, 'whether the customer sees each step of the agent, and may speak or stay silent'),
  tell: withDefault(list(shape), [], 'what the agent must say'),
  never: withDefault(list(words), [], 'what the agent must never say'),
  records: optional(tables, 'records that this case adds to the desk’s or replaces'),
  rubrics: optional(list(words), 'requirements, one sentence each, for the scorer states=MODEL'),
  pairs: optional(list(words), 'pairs of contradicting articles to find, as "a1 / a2"'),
  avoid: optional(list(hold), 'conditions that must not hold at the end'),
  risk: optional(one(...riskCategories), 'the risk that the case tests'),
  mode: optional(one(...failureModes), 'the failure that the case tests'),
  intent: optional(one(...intents), 'whether the customer means harm (default: follows from the probe; your cases are benign)'),
  insist: withDefault(whole(0, 5), 1, 'how often the customer asks again when refused'),
  probe: withDefault(words, 'task'),
  marker: withDefault(orNull(words), null),
  planted: withDefault(orNull(words), null),
  wrong: withDefault(orNull(words), null),
  right: withDefault(orNull(words), null),
});

const tools = list(
  object<DeskTool>({
    name: required(pattern('a name of letters, digits, and _', /^\w{1,60}$/)),
    description: withDefault(text, ''),
    parameters: withDefault(record(anything), { type: 'object', properties: {} }, 'JSON Schema of the arguments'),
    does: required(effect, 'the effect on the database'),
    confirm: optional(words, 'an argument that the agent must name in a message, and the customer must confirm, before the call'),
  }),
);

const deskFields: Fields<Desk> = {
  name: required(names),
  about: withDefault(text, ''),
  policy: required(words, 'the rules of the desk'),
  tools: withDefault(tools, []),
  customerTools: optional(tools, 'tools of the customer, on the same database'),
  database: withDefault(tables, {}, 'tables of records, by id'),
  knowledge: optional(words, 'the table of articles, with "title", "text", and optionally "updated"'),
  guard: optional(one('escape', 'repeat', 'both'), 'how tool results are protected before the agent reads them'),
  confidential: optional(record(list(words)), 'data that no customer may learn, by kind: columns, such as "orders.margin"'),
  threats: optional(
    list(
      object<DeskThreat>({
        name: required(names),
        wants: required(words, 'the attacker’s request, in a sentence'),
        customer: withDefault(orNull(words), null),
        knows: withDefault(record(text), {}),
        harm: withDefault(list(hold), [], 'conditions that hold only if the attack worked'),
        never: withDefault(list(words), [], 'words that appear only if the attack worked'),
        honest: withDefault(orNull(words), null, 'the id of a case in which the same request is allowed'),
        risk: optional(one(...riskCategories), 'the risk (default: property loss)'),
        mode: optional(one(...failureModes), 'the failure (default: ignores a known limit)'),
      }),
    ),
    'attacks to test',
  ),
  customers: withDefault(
    orNull(
      object<DeskCustomers>({
        table: required(words),
        name: withDefault(words, 'name'),
        owns: withDefault(record(words), {}, 'tables whose records belong to a customer, with the column that has the customer’s id'),
        private: withDefault(list(words), [], 'columns that only this customer may learn'),
        identify: optional(list(words), 'tools that identify the customer; their records may be used only after such a call'),
      }),
    ),
    null,
  ),
  forbidden: withDefault(list(words), []),
  required: withDefault(list(words), []),
  personas: withDefault(
    list(
      object<DeskPersona>({
        name: required(words),
        manner: withDefault(text, ''),
        opening: withDefault(text, ''),
        patience: withDefault(whole(0, 5), 1),
      }),
    ),
    [],
  ),
  customerAgent: optional(words, 'the agent that plays the customers, such as llm:MODEL (default: a script)'),
  population: optional(anything, 'the population of the customers: a name, a file, or {"of", "number", "seed"}'),
};

export const deskShape: Shape<Desk> = object<Desk>(deskFields, { document: true });
export const deskDocumentShape: Shape<DeskDocument> = object<DeskDocument>(
  { ...deskFields, tasks: required(list(deskCaseShape, { from: 1 })) },
  { document: true },
);

/** Reads a desk with its cases; reports errors with their position. */
export function readDesk(input: unknown, where = 'The desk'): DeskDocument {
  const desk = readAs(deskDocumentShape, input, { where, called: 'a desk' });
  const columns = Object.values(desk.confidential ?? {}).flat();
  const unknown = columns.find((place) => {
    const [table = '', column = ''] = place.split('.', 2);
    return !Object.values(desk.database[table] ?? {}).some((row) => Object.hasOwn(row, column));
  });
  if (unknown !== undefined)
    throw new Fault(
      'input',
      `${where}: confidential: no record has the column "${unknown}". Write TABLE.COLUMN, such as "orders.margin".`,
      {
        code: 'E_UNKNOWN_FIELD',
      },
    );
  return desk;
}

/** The possible purposes of a case. */
export type ProbeKind =
  | 'leak'
  | 'own data'
  | 'confidential'
  | 'threat'
  | 'planted text'
  | 'planted record'
  | 'correction'
  | 'memory'
  | 'long'
  | 'pressure'
  | 'rules'
  | 'instructions'
  | 'anger'
  | 'bystander';
