/**
 * @file Reads the telecom domain of τ²-bench as cases of desks. A task begins with the records after its own set-up calls, the customer has
 * phone tools, and the end state is judged by the release's checks and, if specified, by the required calls.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { DeskCall, DeskDatabase, DeskHold } from './document.ts';
import { domainTools, runDomain } from './domains/index.ts';
import { phoneRecords } from './domains/phone.ts';

/** The names of the columns that identify records of a table. */
const keys = { customers: 'customer_id', lines: 'line_id', plans: 'plan_id', bills: 'bill_id', devices: 'device_id' } as const;

/** The desk's tables by id, and the phone. */
export function telecomDatabase(jsonObject: JsonObject, phone: JsonObject): DeskDatabase {
  const tables = Object.entries(keys).map(([table, key]) => {
    const rows = (Array.isArray(jsonObject[table]) ? jsonObject[table] : []) as readonly JsonObject[];
    const complete = (row: JsonObject): JsonObject =>
      table === 'lines' ? { contract_end_date: null, suspension_start_date: null, ...row } : row;
    return [table, Object.fromEntries(rows.map((row) => [String(row[key]), complete(row)]))] as const;
  });
  return { ...Object.fromEntries(tables), phone: phoneRecords(phone) };
}

export interface TelecomStart {
  readonly database: DeskDatabase;
  /** The reason why the task cannot begin here; null if it can. */
  readonly problem: string | null;
}

/** The records after a task's set-up. */
export function telecomStart(before: DeskDatabase, state: Json | undefined): TelecomStart {
  let database = before;
  const jsonObject = isObject(state) ? state : {};
  if (
    isObject(jsonObject['initialization_data']) ||
    (Array.isArray(jsonObject['message_history']) && jsonObject['message_history'].length > 0)
  )
    return { database, problem: 'starts from a different state or conversation' };
  for (const item of (Array.isArray(jsonObject['initialization_actions']) ? jsonObject['initialization_actions'] : []) as readonly Json[]) {
    const { func_name: name, arguments: args } = isObject(item) ? item : {};
    const result = runDomain(`telecom.${String(name)}`, database, isObject(args) ? args : {});
    if (!result.ok) return { database, problem: `its set-up does not work here: ${String(name)}: ${result.problem}` };
    database = result.database;
  }
  return { database, problem: null };
}

export interface TelecomEnd {
  readonly gold: readonly DeskCall[];
  readonly holds: readonly DeskHold[];
  readonly calls: readonly string[];
  readonly problem: string | null;
}

const tools = () => [...domainTools('telecom'), ...domainTools('telecom', 'customer')];

/** The required end state of a task. */
export function telecomEnd(criteria: JsonObject): TelecomEnd {
  const listed = (key: string) => (Array.isArray(criteria[key]) ? (criteria[key] as readonly Json[]) : []);
  const actions = listed('actions').filter(isObject);
  const gold = actions.map(({ name, arguments: args, requestor }): DeskCall => {
    const call = { tool: String(name), args: isObject(args) ? args : {} };
    return requestor === 'user' ? { ...call, by: 'customer' } : call;
  });
  const holds = listed('env_assertions')
    .filter(isObject)
    .map(({ func_name: name, arguments: args, assert_value: gives }): DeskHold => {
      return { does: { run: `telecom.${String(name)}` }, args: isObject(args) ? args : {}, gives: gives ?? true };
    });
  const basis = listed('reward_basis').map(String);
  const calls = basis.includes('ACTION') ? gold.filter(({ by }) => by === undefined).map(({ tool }) => tool) : [];
  const unknown = [...new Set(gold.map(({ tool }) => tool))].find((name) => !tools().some((deskTool) => deskTool.name === name));
  const other = basis.find((item) => !['ENV_ASSERTION', 'ACTION'].includes(item));
  return {
    ...{ gold, holds, calls },
    problem:
      unknown !== undefined ? `there is no tool ${unknown}` : other !== undefined ? `is judged by ${other}, which is not done` : null,
  };
}
