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
  type ShapeValue,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';

import { failureModes, riskCategories } from './risk-labels.ts';

const names = pattern('letters, digits, dots, or dashes', /^[\w.-]{1,60}$/);
const fact = either<string | number>('a string or a number', words, number());

const stepKind = one('request', 'ask', 'correct');
const stepFields = {
  tell: withDefault(list(fact), []),
  knows: optional(record(text), 'what the customer answers if asked about this request'),
  late: optional(boolean, 'whether the correction comes after the request was answered'),
};
const spokenShape = object({ say: required(words), kind: withDefault(stepKind, 'request'), ...stepFields });
const requestedShape = object({ ask: required(words), kind: withDefault(stepKind, 'ask'), ...stepFields });

/** A customer message: a request, repeated until it is handled, or a question with required facts in its answer. */
export type DeskStep = ShapeValue<typeof spokenShape>;

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

const call = object({ tool: required(words), args: withDefault(record(anything), {}), by: optional(one('customer')) });

/** A tool call: by the desk, or by the customer. */
export type DeskCall = ShapeValue<typeof call>;

const effect = object({
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

/** The effect of a tool on the database. Values may refer to arguments as {argument}. */
export type DeskEffect = ShapeValue<typeof effect>;

const hold = object({ does: required(effect), args: withDefault(record(anything), {}), gives: required(anything) });

/** A condition on the final state: these values must match. */
export type DeskHold = ShapeValue<typeof hold>;

const tables = record(record(record(anything)));

export type DeskDatabase = ShapeValue<typeof tables>;

export const deskCaseShape = object({
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
  tell: withDefault(list(fact), [], 'what the agent must say'),
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

/** A conversation with a customer, its solution, and the conditions of success. */
export type DeskCase = ShapeValue<typeof deskCaseShape>;

const tool = object({
  name: required(pattern('a name of letters, digits, and _', /^\w{1,60}$/)),
  description: withDefault(text, ''),
  parameters: withDefault(record(anything), { type: 'object', properties: {} }, 'JSON Schema of the arguments'),
  does: required(effect, 'the effect on the database'),
  confirm: optional(words, 'an argument that the agent must name in a message, and the customer must confirm, before the call'),
});

export type DeskTool = ShapeValue<typeof tool>;

/** A possible goal of an attacker at a desk: the request, the sign of success, and a similar legitimate request. */
const threat = object({
  name: required(names),
  wants: required(words, 'the attacker’s request, in a sentence'),
  customer: withDefault(orNull(words), null),
  knows: withDefault(record(text), {}),
  harm: withDefault(list(hold), [], 'conditions that hold only if the attack worked'),
  never: withDefault(list(words), [], 'words that appear only if the attack worked'),
  honest: withDefault(orNull(words), null, 'the id of a case in which the same request is allowed'),
  risk: optional(one(...riskCategories), 'the risk (default: property loss)'),
  mode: optional(one(...failureModes), 'the failure (default: ignores a known limit)'),
});

const customers = object({
  table: required(words),
  name: withDefault(words, 'name'),
  owns: withDefault(record(words), {}, 'tables whose records belong to a customer, with the column that has the customer’s id'),
  private: withDefault(list(words), [], 'columns that only this customer may learn'),
  identify: optional(list(words), 'tools that identify the customer; their records may be used only after such a call'),
});

/** The owner of each record, and its private columns. */
export type DeskCustomers = ShapeValue<typeof customers>;

const persona = object({
  name: required(words),
  manner: withDefault(text, ''),
  opening: withDefault(text, ''),
  patience: withDefault(whole(0, 5), 1),
});

export type DeskPersona = ShapeValue<typeof persona>;

const deskFields = {
  name: required(names),
  about: withDefault(text, ''),
  policy: required(words, 'the rules of the desk'),
  tools: withDefault(list(tool), []),
  customerTools: optional(list(tool), 'tools of the customer, on the same database'),
  database: withDefault(tables, {}, 'tables of records, by id'),
  knowledge: optional(words, 'the table of articles, with "title", "text", and optionally "updated"'),
  guard: optional(one('escape', 'repeat', 'both'), 'how tool results are protected before the agent reads them'),
  confidential: optional(record(list(words)), 'data that no customer may learn, by kind: columns, such as "orders.margin"'),
  threats: optional(list(threat), 'attacks to test'),
  customers: withDefault(orNull(customers), null),
  forbidden: withDefault(list(words), []),
  required: withDefault(list(words), []),
  personas: withDefault(list(persona), []),
  customerAgent: optional(words, 'the agent that plays the customers, such as llm:MODEL (default: a script)'),
  population: optional(anything, 'the population of the customers: a name, a file, or {"of", "number", "seed"}'),
};

export const deskShape = object(deskFields, { document: true });

/** A desk without its cases: the setting of a conversation. */
export type Desk = ShapeValue<typeof deskShape>;

export const deskDocumentShape = object({ ...deskFields, tasks: required(list(deskCaseShape, { from: 1 })) }, { document: true });

export type DeskDocument = ShapeValue<typeof deskDocumentShape>;

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
  const ids = desk.tasks.map(({ id }) => id);
  const honest = desk.threats?.find((threat) => threat.honest !== null && !ids.includes(threat.honest))?.honest;
  if (typeof honest === 'string')
    throw new Fault('input', `${where}: threats: "honest" must be the id of a case, got "${honest}".${didYouMean(honest, ids)}`, {
      code: 'E_UNKNOWN_NAME',
    });
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
