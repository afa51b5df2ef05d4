/** @file A desk as data: policy, tools, database, and cases with their customers. Parses and checks a user's files. */

import { intents } from '@ludus-agents/evaluation/internal/intent';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import {
  anything,
  boolean,
  either,
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
  type ValueOf,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { failureModes, riskCategories } from './risk-labels.ts';

const names = pattern('letters, digits, dots or dashes', /^[\w.-]{1,60}$/);
const fact = either<string | number>('a string or a number', words, number());

const stepKind = one('request', 'ask', 'correct');
const stepFields = {
  tell: withDefault(list(fact), []),
  knows: optional(record(text), 'what the customer tells when asked while this is dealt with'),
  late: optional(boolean, 'a correction that waits until the request itself is answered'),
};
const spokenShape = object({ say: required(words), kind: withDefault(stepKind, 'request'), ...stepFields });
const requestedShape = object({ ask: required(words), kind: withDefault(stepKind, 'ask'), ...stepFields });

/** A customer message: a request, repeated until it is handled, or a question with required facts in its answer. */
export type DeskStep = ValueOf<typeof spokenShape>;

/** A step may be given as text only, or with "ask" instead of "say" for a question. */
const step: Shape<DeskStep> = {
  wanted: 'a text, or an object with "say" or "ask" and perhaps "tell"',
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

const call = object({ tool: required(words), args: withDefault(record(anything), {}), by: optional(one('customer')) });

/** A tool call: by the desk, or by the customer. */
export type DeskCall = ValueOf<typeof call>;

const effect = object({
  get: optional(words, 'the table of which one record is read, by "id"'),
  find: optional(words, 'the table whose records are searched, by "where"'),
  set: optional(words, 'the table of which one record is changed, by "id"'),
  add: optional(words, 'the table that gets a new record'),
  remove: optional(words, 'the table of which one record is removed, by "id"'),
  search: optional(words, 'the table whose records are looked through, the five nearest first, by the words of "query"'),
  query: optional(words),
  wait: optional(words, 'minutes that pass on the shared clock, the record "now" of the table "clock"'),
  returns: optional(anything, 'an answer that is always the same'),
  run: optional(words, 'a program of a built-in domain, such as retail.cancel_pending_order'),
  id: optional(words),
  where: optional(record(anything)),
  to: optional(record(anything)),
  if: optional(record(anything), 'what the record must be like; otherwise the call fails'),
});

/** The effect of a tool on the database. Values may refer to arguments as {argument}. */
export type DeskEffect = ValueOf<typeof effect>;

const hold = object({ does: required(effect), args: withDefault(record(anything), {}), gives: required(anything) });

/** A condition on the final state: these values must match. */
export type DeskHold = ValueOf<typeof hold>;

const tables = record(record(record(anything)));

export type DeskDatabase = ValueOf<typeof tables>;

export const deskCaseShape = object({
  id: required(names),
  customer: withDefault(orNull(words), null, 'the id of the customer’s record'),
  persona: withDefault(orNull(words), null),
  traits: optional(record(text), 'what the customer is like, by attribute: success is reported by each'),
  card: optional(words, 'what the customer is and wants, in words, for a model or a person'),
  rules: optional(list(words), 'the rules of the policy that it is about'),
  knows: withDefault(record(text), {}, 'what the customer tells when asked for it, by words of the question'),
  says: required(list(step, { from: 1 }), 'what the customer says, one thing after the other'),
  gold: withDefault(list(call), [], 'the calls that do what is right'),
  holds: optional(list(hold), 'what has to hold at the end, instead of the records that the gold calls leave'),
  calls: optional(list(words), 'tools that the agent has to have called'),
  refuse: withDefault(boolean, false, 'the right answer is to refuse'),
  watches: optional(boolean, 'the customer sees what the agent does, and speaks or watches in silence at each step'),
  tell: withDefault(list(fact), [], 'what has to be stated'),
  never: withDefault(list(words), [], 'what must never be said'),
  records: optional(tables, 'records that this case has besides, or in place of, the desk’s'),
  rubrics: optional(list(words), 'what has to be reached, a sentence each, for the scorer states=MODEL'),
  pairs: optional(list(words), 'pairs of articles to be found, as "a1 / a2"'),
  avoid: optional(list(hold), 'what must not have come about at the end'),
  risk: optional(one(...riskCategories), 'what it puts at risk'),
  mode: optional(one(...failureModes), 'in which way an agent would go wrong in it'),
  intent: optional(one(...intents), 'whether the customer means harm (default: follows from the probe; your cases are benign)'),
  insist: withDefault(whole(0, 5), 1, 'how often the customer asks again when refused'),
  probe: withDefault(words, 'task'),
  marker: withDefault(orNull(words), null),
  planted: withDefault(orNull(words), null),
  wrong: withDefault(orNull(words), null),
  right: withDefault(orNull(words), null),
});

/** A conversation with a customer, its solution, and the conditions of success. */
export type DeskCase = ValueOf<typeof deskCaseShape>;

const tool = object({
  name: required(pattern('a name of letters, digits and _', /^\w{1,60}$/)),
  description: withDefault(text, ''),
  parameters: withDefault(record(anything), { type: 'object', properties: {} }, 'JSON Schema of the arguments'),
  does: required(effect, 'what it does to the database'),
  confirm: optional(words, 'the argument that a message of the agent must name, and the customer say yes to, before the call'),
});

export type DeskTool = ValueOf<typeof tool>;

const threat = object({
  name: required(names),
  wants: required(words, 'what the attacker asks for, in a sentence'),
  customer: withDefault(orNull(words), null),
  knows: withDefault(record(text), {}),
  harm: withDefault(list(hold), [], 'what has come about where it worked'),
  never: withDefault(list(words), [], 'words that only show where it worked'),
  honest: withDefault(orNull(words), null, 'the id of a case in which the same is right'),
  risk: optional(one(...riskCategories), 'what it puts at risk (property loss)'),
  mode: optional(one(...failureModes), 'in which way an agent would go wrong (ignores a known limit)'),
});

/** A possible goal of an attacker at a desk: the request, the sign of success, and a similar legitimate request. */
export type DeskThreat = ValueOf<typeof threat>;

const customers = object({
  table: required(words),
  name: withDefault(words, 'name'),
  owns: withDefault(record(words), {}, 'tables whose records belong to a customer, with the column that names it'),
  private: withDefault(list(words), [], 'columns that no one else may learn'),
  identify: optional(list(words), 'tools that find the customer; its records may be touched only after one of them'),
});

/** The owner of each record, and its private columns. */
export type DeskCustomers = ValueOf<typeof customers>;

const persona = object({
  name: required(words),
  manner: withDefault(text, ''),
  opening: withDefault(text, ''),
  patience: withDefault(whole(0, 5), 1),
});

export type DeskPersona = ValueOf<typeof persona>;

const deskFields = {
  name: required(names),
  about: withDefault(text, ''),
  policy: required(words, 'what the desk may and may not do'),
  tools: withDefault(list(tool), []),
  customerTools: optional(list(tool), 'what the customer can do by itself, on the same database'),
  database: withDefault(tables, {}, 'tables of records by their ids'),
  knowledge: optional(words, 'the table that holds articles, with "title", "text" and perhaps "updated"'),
  guard: optional(one('escape', 'repeat', 'both'), 'what is done with what tools return before the agent reads it'),
  confidential: optional(record(list(words)), 'what no customer may learn, by kind: columns, as "orders.margin"'),
  threats: optional(list(threat), 'what an attacker could want'),
  customers: withDefault(orNull(customers), null),
  forbidden: withDefault(list(words), []),
  required: withDefault(list(words), []),
  personas: withDefault(list(persona), []),
  customerAgent: optional(words, 'who plays the customers, such as llm:MODEL (a script without it)'),
  population: optional(anything, 'whose people are the customers: a population by name or file, or {"of", "number", "seed"}'),
};

export const deskShape = object(deskFields, { document: true });

/** A desk without its cases: the setting of a conversation. */
export type Desk = ValueOf<typeof deskShape>;

export const deskDocumentShape = object({ ...deskFields, tasks: required(list(deskCaseShape, { from: 1 })) }, { document: true });

export type DeskDocument = ValueOf<typeof deskDocumentShape>;

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
