/**
 * @file Reads τ³'s bank desk, whose rules are in documents, as cases of desks. Its everyday tools are data here; programs that the agent
 * discovers in the documents belong to the domain "banking_knowledge".
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import type { Desk, DeskCall, DeskCase, DeskDatabase, DeskEffect, DeskHold } from './document.ts';
import { deskCaseShape, deskShape } from './document.ts';
import { missingProgram, readLog } from './domains/banking.ts';
import { domainTools } from './domains/index.ts';
import { goldDatabase } from './outcome.ts';
import type { Tau2Case, Tau2Cases, Tau2Domain } from './tau2.ts';
import { changesIn } from './tools.ts';

const today = '11/14/2025';
const reasons =
  'fraud_or_security_concern account_closure_request deceased_account_holder legal_or_regulatory_matter account_ownership_dispute complex_billing_dispute abusive_customer_behavior third_party_inquiry technical_system_error unconfirmed_external_communication customer_demands_after_unavailable_offer_refusal kb_search_unsuccessful_customer_requests_transfer specialized_department_required accessibility_or_special_needs customer_frustrated_demands_human supervisor_request_service_complaint customer_requests_human_no_specific_reason request_completed_customer_wants_human_followup other'.split(
    ' ',
  );
const cards =
  'Bronze Rewards Card|Business Bronze Rewards Card|Business Gold Rewards Card|Business Platinum Rewards Card|Business Silver Rewards Card|Crypto-Cash Back|Diamond Elite Card|EcoCard|Gold Rewards Card|Green Rewards Card|Platinum Rewards Card|Silver Rewards Card|Silver Zoom Card'.split(
    '|',
  );

const text = { type: 'string' };
const columns = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `{${name}}`]));
const tool = (name: string, description: string, properties: JsonObject, does: DeskEffect) => ({
  ...{ name, description, does },
  parameters: { type: 'object', properties, required: Object.keys(properties) },
});

/** If a task is rewarded for its calls, a transfer is stored with its reason; otherwise it leaves no trace, as in the release. */
function deskTools(keepsTransfers: boolean) {
  const verified = ['name', 'user_id', 'address', 'email', 'phone_number', 'date_of_birth', 'time_verified'];
  const of = (table: string, column = 'user_id'): DeskEffect => ({ find: table, where: { [column]: '{user_id}' } });
  const transfer: DeskEffect = keepsTransfers
    ? { set: 'transfers', id: '{reason}', to: { made: true } }
    : { get: 'transfers', id: '{reason}' };
  return [
    tool('KB_search', 'Searches the knowledge base.', { query: text }, { search: 'articles', query: '{query}' }),
    tool(
      ...(['transfer_to_human_agents', 'Transfers the user to a human agent. The proper reason stands in the knowledge base.'] as const),
      ...([{ summary: text, reason: { type: 'string', enum: reasons } }, transfer] as const),
    ),
    tool('get_current_time', 'The current time.', {}, { returns: 'The current time is 2025-11-14 03:40:00 EST.' }),
    tool('get_user_information_by_id', 'A user by id.', { user_id: text }, of('users')),
    tool('get_user_information_by_name', 'A user by name.', { customer_name: text }, { find: 'users', where: { name: '{customer_name}' } }),
    tool('get_user_information_by_email', 'A user by email.', { email: text }, { find: 'users', where: { email: '{email}' } }),
    tool(
      'change_user_email',
      'Changes the email of a user.',
      { user_id: text, new_email: text },
      {
        ...{ set: 'users', id: '{user_id}', to: { email: '{new_email}' } },
      },
    ),
    tool('get_referrals_by_user', 'The referrals that a user made.', { user_id: text }, of('referrals', 'referrer_id')),
    tool('get_credit_card_transactions_by_user', 'Card transactions.', { user_id: text }, of('credit_card_transaction_history')),
    tool('get_credit_card_accounts_by_user', 'Card accounts.', { user_id: text }, of('credit_card_accounts')),
    tool(
      ...(['log_verification', 'Logs that a user was verified, by two of date of birth, email, phone number and address.'] as const),
      ...([Object.fromEntries(verified.map((name) => [name, text])), { add: 'verification_history', to: columns(...verified) }] as const),
    ),
    ...domainTools('banking_knowledge'),
  ];
}

const customerTools = [
  ...domainTools('banking_knowledge', 'customer'),
  tool(
    ...(['apply_for_credit_card', 'Applies for a credit card.'] as const),
    {
      ...{ card_type: { type: 'string', enum: cards }, customer_name: text, annual_income: { type: 'number' } },
      rho_bank_subscription: { type: 'boolean' },
    },
    {
      add: 'credit_card_applications',
      to: { ...columns('card_type', 'customer_name', 'annual_income', 'rho_bank_subscription'), status: 'PENDING', date: today },
    },
  ),
  tool(
    'submit_referral',
    'Refers somebody to an account.',
    { user_id: text, account_type: text },
    {
      add: 'referrals',
      to: { referrer_id: '{user_id}', referred_account_type: '{account_type}', referral_status: 'NO_PROGRESS', date: today },
    },
  ),
  tool(
    'request_human_agent_transfer',
    'Asks for a human agent.',
    {},
    {
      ...{ add: 'human_transfer_requests', to: { status: 'PENDING', requested_at: today } },
    },
  ),
];

/** The number of documents in addition to those that a task needs, evenly sampled. */
const noise = 60;

export function readBanking({ policy, documents = [] }: Tau2Domain, database: JsonObject, tasks: readonly Json[]): Tau2Cases {
  const missing: Record<string, number> = {};
  const cases = tasks.flatMap((task): Tau2Case[] => {
    const why = problemOf(task);
    if (why !== null || !isObject(task)) {
      missing[why ?? ''] = (missing[why ?? ''] ?? 0) + 1;
      return [];
    }
    return [caseOf(task, policy, database, documents)];
  });
  const saved = {
    'most documents that the task does not need are left out, and a program may be called before it is unlocked': cases.length,
  };
  return { cases, tasks: tasks.length, missing, reduced: cases.length === 0 ? {} : saved };
}

const objectsIn = (value: Json | undefined) => (Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : []);

function actionsIn(task: JsonObject): readonly JsonObject[] {
  return isObject(task['evaluation_criteria']) ? objectsIn(task['evaluation_criteria']['actions']) : [];
}

/** The programs that the gold calls of a task name. */
function programsIn(task: JsonObject): readonly string[] {
  return actionsIn(task).flatMap(({ arguments: args }) => {
    const name = isObject(args) ? (args['agent_tool_name'] ?? args['discoverable_tool_name']) : undefined;
    return name === undefined ? [] : [String(name)];
  });
}

function problemOf(task: Json): string | null {
  if (!isObject(task) || !isObject(task['user_scenario']) || typeof task['user_scenario']['instructions'] !== 'string')
    return 'has no instructions in the usual form';
  const names = actionsIn(task).map(({ name }) => String(name));
  const program = programsIn(task).find(missingProgram);
  if (program !== undefined) return `there is no program ${program}`;
  const knownNames = [...deskTools(false), ...customerTools].map(({ name }) => name);
  const other = names.find((name) => !knownNames.includes(name));
  return other === undefined ? null : `there is no tool ${other}`;
}

function caseOf(task: JsonObject, policy: string, database: JsonObject, documents: readonly Json[]): Tau2Case {
  const criteria = task['evaluation_criteria'] as JsonObject;
  const byCalls = Array.isArray(criteria['reward_basis']) && criteria['reward_basis'].includes('ACTION');
  const gold = actionsIn(task).map(({ name, arguments: args, requestor }): DeskCall => {
    const call = { tool: String(name), args: isObject(args) ? args : {} };
    if (requestor === 'user') return { ...call, by: 'customer' };
    return call.tool === 'transfer_to_human_agents' ? { ...call, args: { summary: '', reason: 'other', ...call.args } } : call;
  });
  const ownItems = Array.isArray(task['user_tools']) ? task['user_tools'].map(String) : [];
  const owned = customerTools.filter(({ name }) => ownItems.includes(name) || gold.some((call) => call.tool === name));
  const desk = readAs(
    deskShape,
    {
      ...{ name: 'tau3-banking', about: 'τ³’s bank desk, whose rules are in documents.', policy, knowledge: 'articles' },
      ...{ tools: deskTools(byCalls), ...(owned.length === 0 ? {} : { customerTools: owned }) },
      database: { ...tablesOf(database, task), articles: articlesFor(task, documents), transfers: transferTable(), ...readLogFor(task) },
    },
    { where: 'The desk', called: 'a desk' },
  );
  const card = String((task['user_scenario'] as JsonObject)['instructions']);
  const calls = [...new Set(gold.filter(({ by }) => by === undefined).map((call) => call.tool))];
  const deskCase = readAs(
    deskCaseShape,
    {
      ...{ id: `banking-${String(task['id'])}`.slice(0, 60), card, says: [card.slice(0, 200)], gold },
      ...(byCalls ? { calls } : {}),
    },
    { where: `Task ${String(task['id'])}`, called: 'a case' },
  );
  return { case: byCalls ? { ...deskCase, holds: [...holdsFor(task), ...recordsOf(desk, deskCase)] } : deskCase, desk };
}

/** Calls of read-only programs are stored if the gold calls include them. */
function readLogFor(task: JsonObject): DeskDatabase {
  return { [readLog]: Object.fromEntries(programsIn(task).map((name) => [name, { kept: true }])) };
}

/** The records that the gold calls produce, except transfers and requests for one. */
function recordsOf(desk: Desk, deskCase: DeskCase): readonly DeskHold[] {
  const left = goldDatabase(desk, deskCase);
  return Object.keys(changesIn(desk.database, left)).flatMap((place): DeskHold[] => {
    const [table = '', id = ''] = place.split('/', 2);
    const row = left[table]?.[id];
    return row === undefined || ['transfers', 'human_transfer_requests'].includes(table)
      ? []
      : [{ does: { get: table, id }, args: {}, gives: row }];
  });
}

/** The required records of a task's calls, by the arguments that the release compares. */
function holdsFor(task: JsonObject): readonly DeskHold[] {
  const requestedLength = actionsIn(task).filter(({ name }) => name === 'request_human_agent_transfer').length;
  const requests: DeskHold[] =
    requestedLength === 0
      ? []
      : [{ does: { get: 'human_transfer_requests', id: String(requestedLength) }, args: {}, gives: { status: 'PENDING' } }];
  const compared = actionsIn(task).flatMap(({ name, arguments: args, compare_args: keys }): DeskHold[] => {
    const isCompared = Array.isArray(keys) ? keys.includes('reason') : true;
    const reason = isObject(args) ? args['reason'] : undefined;
    return name !== 'transfer_to_human_agents' || !isCompared || typeof reason !== 'string'
      ? []
      : [{ does: { get: 'transfers', id: reason }, args: {}, gives: { made: true } }];
  });
  return [...requests, ...compared];
}

function transferTable(): DeskDatabase[string] {
  return Object.fromEntries(reasons.map((reason) => [reason, { made: false }]));
}

/** The records, including the task's initial ones. */
function tablesOf(database: JsonObject, task: JsonObject): DeskDatabase {
  const begins = isObject(task['initial_state']) ? task['initial_state']['initialization_data'] : undefined;
  const more = isObject(begins) && isObject(begins['agent_data']) ? begins['agent_data'] : {};
  const rows = (input: Json | undefined) => (isObject(input) && isObject(input['data']) ? input['data'] : {});
  const names = [...new Set([...Object.keys(database), ...Object.keys(more)])];
  return Object.fromEntries(names.map((name) => [name, { ...rows(database[name]), ...rows(more[name]) }])) as DeskDatabase;
}

function articlesFor(task: JsonObject, documents: readonly Json[]): DeskDatabase[string] {
  const needed = Array.isArray(task['required_documents']) ? task['required_documents'].map(String) : [];
  const all = documents.filter(isObject);
  const step = Math.max(1, Math.floor(all.length / noise));
  const jsonObjects = all.filter((jsonObject, i) => needed.includes(String(jsonObject['id'])) || i % step === 0);
  return Object.fromEntries(jsonObjects.map(({ id, title, content }) => [String(id), { title: String(title), text: String(content) }]));
}
