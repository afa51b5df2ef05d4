/** @file The outcome of a conversation: end state against the gold replay, facts stated, policy kept. The reward is their product. */

import { emptyRecord, equal, type Fact, hash, type Json, type JsonObject, states } from '../../core/index.ts';
import { freeText, type ServiceDatabase } from './database.ts';
import type { ServiceRule } from './policy.ts';
import { goldEnd, type Scenario } from './scenario.ts';
import { type ServiceCall, writes } from './tools.ts';

/** How a conversation ended. The first three are the customer's words; the others are abnormal and pay nothing. */
export type Ending = 'stop' | 'transfer' | 'out of scope' | 'messages' | 'errors' | 'forfeit';

export type ServiceOutcome = {
  readonly reward: number;
  readonly ended: Ending;
  readonly normal: boolean;
  readonly database: boolean;
  readonly facts: boolean;
  readonly policy: boolean;
  readonly breaches: readonly ServiceRule[];
  readonly unsaid: readonly Fact[];
  /** Addresses of what was changed and of what should have been. */
  readonly found: string;
  readonly expected: string;
  readonly changes: Json;
};

export interface ServiceConversation {
  readonly scenario: Scenario;
  readonly database: ServiceDatabase;
  /** What the agent said to the customer. */
  readonly said: readonly string[];
  /** The calls with which the agent changed the database. */
  readonly written: readonly ServiceCall[];
  readonly breaches: readonly ServiceRule[];
}

export function outcomeOf({ scenario, database, said, written, breaches }: ServiceConversation, ended: Ending): ServiceOutcome {
  const changes = changesOf(scenario.database, database);
  const found = addressOf(changes);
  // The same calls lead to the same end, so the gold calls are replayed only where the agent made others.
  const expected = equal(written, scenario.gold.filter(writes)) ? found : addressOf(changesOf(scenario.database, goldEnd(scenario)));
  const unsaid = scenario.facts.filter((fact) => !said.some((text) => states(text, fact)));
  const normal = ended === 'stop' || ended === 'transfer' || ended === 'out of scope';
  const isRight = found === expected;
  const isTold = unsaid.length === 0;
  const isKept = breaches.length === 0;
  const reward = normal && isRight && isTold && isKept ? 1 : 0;
  return { reward, ended, normal, database: isRight, facts: isTold, policy: isKept, breaches, unsaid, found, expected, changes };
}

/** Most conversations change nothing. */
function addressOf(changes: JsonObject): string {
  for (const _ in changes) return hash(changes);
  return unchanged;
}

const nothing: JsonObject = {};
const unchanged = hash(nothing);

/** The hash of a whole database without its free text. */
export function databaseHash(database: ServiceDatabase): string {
  return hash(withoutFreeText(database));
}

/**
 * Every record that is not as it was, free text left out. Two end states of one database are equal exactly if their changes are, and
 * changes are short: what a scorer shows as evidence costs less than hashing the whole shop.
 */
export function changesOf(before: ServiceDatabase, after: ServiceDatabase): JsonObject {
  if (before === after) return nothing;
  const changes = emptyRecord<Json>();
  addListed(changes, 'customers', before.customers, after.customers);
  addListed(changes, 'products', before.products, after.products);
  addListed(changes, 'orders', before.orders, after.orders);
  addNamed(changes, 'payments', before.payments, after.payments);
  addNamed(changes, 'tickets', before.tickets, after.tickets);
  return changes;
}

type Listed = readonly (Json & { readonly id: string })[];

/** Records keep their places in a list. */
function addListed(changes: Record<string, Json>, table: string, before: Listed, after: Listed): void {
  if (before === after) return;
  for (let i = 0; i < after.length; i++) {
    const is = after[i]!;
    if (before[i] !== is && !equal(before[i], is)) changes[`${table}/${is.id}`] = is;
  }
}

/** Only what is added at the desk has free text. */
function addNamed(changes: Record<string, Json>, table: string, before: JsonObject, after: JsonObject): void {
  if (before === after) return;
  for (const id in after) {
    const is = withoutFreeText(after[id]!);
    if (before[id] === undefined || !equal(withoutFreeText(before[id]), is)) changes[`${table}/${id}`] = is;
  }
}

function withoutFreeText(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutFreeText);
  const kept: Record<string, Json> = {};
  for (const [key, part] of Object.entries(value as JsonObject)) if (!freeText.includes(key)) kept[key] = withoutFreeText(part);
  return kept;
}
