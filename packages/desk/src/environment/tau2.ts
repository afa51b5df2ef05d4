/**
 * @file Reads a domain of τ²-bench (its tasks, policy and database) as cases of desks with the domain's tools. Every case contains only the
 * relevant part of the database, to keep logs small. Skipped or unjudged parts are counted with their reason.
 */

import { Fault, type Json, type JsonObject, states, toFact } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import type { Desk, DeskCall, DeskCase, DeskDatabase } from './document.ts';
import { deskCaseShape, deskShape } from './document.ts';
import { domainNames, domainTools } from './domains/index.ts';
import { readBanking } from './tau2-banking.ts';
import { telecomDatabase, telecomEnd, telecomStart } from './tau2-telecom.ts';

export interface Tau2Domain {
  readonly domain: string;
  readonly policy: string;
  readonly database: Json;
  readonly tasks: Json;
  /** The customer's phone, for telecom. */
  readonly phone?: Json;
  /** The documents with the desk's rules, for the bank. */
  readonly documents?: readonly Json[];
}

export interface Tau2Case {
  readonly case: DeskCase;
  readonly desk: Desk;
}

export interface Tau2Cases {
  readonly cases: readonly Tau2Case[];
  readonly tasks: number;
  /** The number of skipped tasks, by reason. */
  readonly missing: Readonly<Record<string, number>>;
  /** The number of imported tasks that differ from the release, by difference. */
  readonly reduced: Readonly<Record<string, number>>;
}

/** The desk of τ³ whose rules are in documents. */
export const banking = 'banking_knowledge';

type Rows = Readonly<Record<string, JsonObject>>;

export function readTau2Domain(tau2Domain: Tau2Domain): Tau2Cases {
  const { domain, policy, database, tasks } = tau2Domain;
  if (!domainNames.includes(domain)) throw new Fault('input', `Unsupported domain ${domain}. Supported: ${domainNames.join(', ')}.`);
  if (!isObject(database) || !Array.isArray(tasks))
    throw new Fault('input', 'A τ² domain needs db.json or db.toml with tables, and tasks.json with a list.');
  if (domain === 'telecom') return readTelecom(tau2Domain, database, tasks);
  if (domain === banking) return readBanking(tau2Domain, database, tasks);
  const tables = database as Readonly<Record<string, Rows>>;
  const [missing, reduced]: Record<string, number>[] = [{}, {}];
  const count = (where: Record<string, number>, why: string) => {
    where[why] = (where[why] ?? 0) + 1;
  };
  const cases = (tasks as readonly Json[]).flatMap((task): Tau2Case[] => {
    const read = readTask(task);
    const part = read === null ? null : domain === 'retail' ? retailPart(tables, read) : airlinePart(tables, read);
    const why =
      read === null ? 'has no instructions in the usual form' : part === null ? 'names no customer of the database' : read.missing;
    if (read === null || part === null || why !== null) {
      count(missing, why ?? '');
      return [];
    }
    for (const how of assertionKinds(read)) count(reduced, how);
    count(
      reduced,
      domain === 'retail' ? 'records of other customers are left out' : 'other customers, other routes and far days are left out',
    );
    const desk = readAs(
      deskShape,
      { name: `tau2-${domain}`, about: `τ²'s ${domain} desk.`, policy, tools: domainTools(domain), database: part },
      { where: 'The desk', called: 'a desk' },
    );
    const { id, card, reason, gold, tell, assertions } = read;
    const rubrics = assertions.length === 0 ? {} : { rubrics: assertions };
    const deskCase = readAs(
      deskCaseShape,
      { id: `${domain}-${id}`, card, says: [reason], gold, tell, ...rubrics },
      { where: `Task ${id}`, called: 'a case' },
    );
    return [{ case: deskCase, desk }];
  });
  return { cases, tasks: tasks.length, missing: missing, reduced: reduced };
}

function readTelecom({ policy, phone = {} }: Tau2Domain, database: JsonObject, tasks: readonly Json[]): Tau2Cases {
  const before = telecomDatabase(database, isObject(phone) ? phone : {});
  const missing: Record<string, number> = {};
  const cases = tasks.flatMap((task, i): Tau2Case[] => {
    const read = readTask(task);
    const { initial_state: begins, evaluation_criteria: criteria, id } = isObject(task) ? task : {};
    const start = telecomStart(before, begins);
    const end = telecomEnd(isObject(criteria) ? criteria : {});
    const why = read === null ? 'has no instructions in the usual form' : (start.problem ?? end.problem);
    if (read === null || why !== null) {
      missing[why ?? ''] = (missing[why ?? ''] ?? 0) + 1;
      return [];
    }
    const desk = readAs(
      deskShape,
      {
        ...{ name: 'tau2-telecom', about: 'τ²’s telecom desk.', policy, tools: domainTools('telecom'), database: start.database },
        customerTools: domainTools('telecom', 'customer'),
      },
      { where: 'The desk', called: 'a desk' },
    );
    const [, issue = 'task', faults = '', persona = ''] = /^\[(\w+?)(?:_issue)?\](.*)\[PERSONA:(\w+)\]$/.exec(String(id)) ?? [];
    const name = ['telecom', i + 1, issue, ...(faults === '' ? [] : [faults.split('|').length]), persona].filter((part) => part !== '');
    const { gold, holds, calls } = end;
    const deskCase = readAs(
      deskCaseShape,
      {
        ...{ id: name.join('-'), card: read.card, says: [read.reason], gold, holds },
        ...(calls.length === 0 ? {} : { calls }),
        ...(faults === '' ? {} : { rules: faults.split('|') }),
      },
      { where: `Task ${String(id)}`, called: 'a case' },
    );
    return [{ case: deskCase, desk }];
  });
  return { cases, tasks: tasks.length, missing, reduced: {} };
}

interface ReadTask {
  readonly id: string;
  readonly card: string;
  readonly reason: string;
  readonly gold: readonly DeskCall[];
  readonly tell: readonly (string | number)[];
  /** The assertions that the release has a model judge, if the task is rewarded by them. */
  readonly assertions: readonly string[];
  readonly missing: string | null;
}

function readTask(task: Json): ReadTask | null {
  if (!isObject(task) || !isObject(task['user_scenario'])) return null;
  const { instructions, persona } = task['user_scenario'];
  const criteria = isObject(task['evaluation_criteria']) ? task['evaluation_criteria'] : {};
  if (!isObject(instructions)) return null;
  const instruction = (key: string) => (typeof instructions[key] === 'string' ? instructions[key].trim() : '');
  const parts = [
    ...[instruction('reason_for_call'), instruction('known_info')],
    instruction('unknown_info') === '' ? '' : `What you do not know: ${instruction('unknown_info')}`,
    ...[instruction('task_instructions').replace(/^\.$/, ''), typeof persona === 'string' ? persona : ''],
  ];
  const list = (value: Json | undefined) => (Array.isArray(value) ? (value as readonly Json[]) : []);
  const actions = list(criteria['actions']).filter(isObject);
  const byUser = actions.some(({ requestor }) => requestor === 'user');
  const basis = list(criteria['reward_basis']);
  const assertions = basis.includes('NL_ASSERTION') ? list(criteria['nl_assertions']).map(String) : [];
  // Required strings are only notes unless the task is rewarded by them, or by assertions that they are contained.
  const isRewarded = basis.length === 0 || basis.includes('COMMUNICATE') || assertions.length > 0;
  const tell = isRewarded ? list(criteria['communicate_info']).map((item) => toNumber(String(item))) : [];
  return {
    id: String(task['id'])
      .replace(/[^\w.-]+/g, '-')
      .slice(0, 50),
    card: parts.filter((text) => text !== '').join('\n'),
    reason: instruction('reason_for_call') || instruction('task_instructions'),
    gold: actions.map(({ name, arguments: args }) => ({ tool: String(name), args: isObject(args) ? args : {} })),
    tell,
    assertions,
    missing: isObject(task['initial_state'])
      ? 'starts from a different state or conversation'
      : list(criteria['env_assertions']).length > 0 || byUser
        ? 'the customer has tools'
        : null,
  };
}

/** An amount may be written in several ways; it is compared as a number. */
function toNumber(written: string): string | number {
  return /^\d+(?:\.\d+)?$/.test(written) ? Number(written) : written;
}

/** How each kind of a task's text assertions is judged here: required facts and actions by rule, all others not at all. */
function assertionKinds({ assertions, tell, gold }: ReadTask): readonly string[] {
  const kinds = assertions.map((text) => {
    if (tell.some((fact) => states(text, toFact(fact)))) return 'assertions in words: what has to be told is judged by rule';
    return gold.length > 0 && !/\b(?:tell|inform|say|state|explain|provide|mention)\b/i.test(text)
      ? 'assertions in words: what has to be done is judged by the end state'
      : 'assertions in words that only "ludus score --scorers states=MODEL" judges';
  });
  return [...new Set(kinds)];
}

/** Customers that a task is about: by id in its text and calls, by name, and by records. */
function customersOf(users: Rows, { card, gold }: ReadTask, owners: readonly string[]): readonly string[] {
  const text = `${card}\n${JSON.stringify(gold)}`;
  const named = Object.entries(users).flatMap(([id, { name, email }]) => {
    const whole = isObject(name) ? `${name['first_name']} ${name['last_name']}` : '\u0000';
    const args = gold.some(
      ({ args }) => isObject(name) && args['first_name'] === name['first_name'] && args['last_name'] === name['last_name'],
    );
    return text.includes(id) || args || card.includes(whole) || text.includes(String(email)) ? [id] : [];
  });
  return [...new Set([...named, ...owners])];
}

function retailPart(tables: Readonly<Record<string, Rows>>, task: ReadTask): DeskDatabase | null {
  const { users = {}, orders = {}, products = {} } = tables;
  const text = `${task.card}\n${JSON.stringify(task.gold)}`;
  const observedKeys = Object.keys(orders).filter((id) => text.includes(id));
  const people = customersOf(
    users,
    task,
    observedKeys.map((id) => String(orders[id]['user_id'])),
  );
  if (people.length === 0) return null;
  const ownEntries = Object.entries(orders).filter(([id, order]) => people.includes(String(order['user_id'])) || observedKeys.includes(id));
  const bought = JSON.stringify(ownEntries);
  const stocked = Object.entries(products).map(([id, product]) => {
    const variants = isObject(product['variants']) ? product['variants'] : {};
    const needed = bought.includes(`"${id}"`) || text.includes(id) || Object.keys(variants).some((item) => text.includes(item));
    // The list of all products stays complete; only products that cannot come up lose their items.
    return [id, needed ? product : { ...product, variants: {} }] as const;
  });
  return { users: only(users, people), orders: Object.fromEntries(ownEntries), products: Object.fromEntries(stocked) };
}

function airlinePart(tables: Readonly<Record<string, Rows>>, task: ReadTask): DeskDatabase | null {
  const { users = {}, reservations = {}, flights = {} } = tables;
  const text = `${task.card}\n${JSON.stringify(task.gold)}`;
  const observedKeys = Object.keys(reservations).filter((id) => text.includes(id));
  const people = customersOf(
    users,
    task,
    observedKeys.map((id) => String(reservations[id]['user_id'])),
  );
  if (people.length === 0) return null;
  const ownEntries = Object.entries(reservations).filter(
    ([id, jsonObject]) => people.includes(String(jsonObject['user_id'])) || observedKeys.includes(id),
  );
  // All flights between the task's places are kept; for other reservations of the customer, only their own flights.
  const named = ownEntries.filter(([id]) => observedKeys.includes(id));
  const goldRoutes = task.gold.flatMap(({ args: { origin, destination } }) =>
    typeof origin === 'string' && typeof destination === 'string' ? [[origin, destination] as const] : [],
  );
  const routes = [
    ...named.map(([, jsonObject]) => [String(jsonObject['origin']), String(jsonObject['destination'])] as const),
    ...goldRoutes,
  ];
  const booked = JSON.stringify(ownEntries);
  const dates = (words: string) => [...new Set(words.match(/2024-\d\d-\d\d/g) ?? [])];
  const [days, exact] = [dates(`${text}\n${JSON.stringify(named)}`).map(dayOf), dates(booked)];
  const isMeant = (date: string) => exact.includes(date) || days.some((day) => Math.abs(day - dayOf(date)) <= 2);
  const retained = Object.entries(flights).flatMap(([id, flight]) => {
    const [from, to] = [String(flight['origin']), String(flight['destination'])];
    const isNear = text.includes(id) || booked.includes(id) || routes.some(([a, b]) => from === a || to === b || (from === b && to === a));
    if (!isNear) return [];
    const on = Object.entries(isObject(flight['dates']) ? flight['dates'] : {}).filter(([date]) => isMeant(date));
    return [[id, { ...flight, dates: Object.fromEntries(on) }] as const];
  });
  return { users: only(users, people), reservations: Object.fromEntries(ownEntries), flights: Object.fromEntries(retained) };
}

/** The days before each month of 2024, in which all flights are. */
const before = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];

/** A day of 2024 by its number. */
function dayOf(date: string): number {
  return (before[Number(date.slice(5, 7)) - 1] ?? 0) + Number(date.slice(8, 10));
}

function only(rows: Rows, ids: readonly string[]): Rows {
  return Object.fromEntries(ids.flatMap((id) => (rows[id] === undefined ? [] : [[id, rows[id]]])));
}
