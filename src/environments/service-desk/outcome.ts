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
  const [isRight, isTold, isKept] = [found === expected, unsaid.length === 0, breaches.length === 0];
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
  const compare = (table: string, id: string, was: Json | undefined, is: Json): void => {
    if (was === is) return;
    const [old, now] = [withoutFreeText(was ?? null), withoutFreeText(is)];
    if (!equal(old, now)) changes[`${table}/${id}`] = now;
  };
  // A record keeps its place in a list.
  for (const name of ['customers', 'products', 'orders'] as const) {
    const [was, is] = [before[name], after[name]];
    if (was !== is) for (let i = 0; i < is.length; i++) compare(name, is[i]!.id, was[i], is[i]!);
  }
  for (const name of ['payments', 'tickets'] as const) {
    const [was, is] = [before[name], after[name]];
    if (was !== is) for (const id of Object.keys(is)) compare(name, id, was[id], is[id]!);
  }
  return changes;
}

function withoutFreeText(value: Json): Json {
  if (!hasFreeText(value)) return value;
  if (Array.isArray(value)) return value.map(withoutFreeText);
  const kept: Record<string, Json> = {};
  for (const [key, part] of Object.entries(value as JsonObject)) if (!freeText.includes(key)) kept[key] = withoutFreeText(part);
  return kept;
}

/** Most records have none, and are shared as they are. */
function hasFreeText(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasFreeText);
  for (const key in value) if (freeText.includes(key) || hasFreeText((value as JsonObject)[key]!)) return true;
  return false;
}
