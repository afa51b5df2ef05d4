/** @file Shared helpers for programs of τ³'s bank: the current day, record names, amounts as text, and checks with error messages. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { sha256 } from '@ludus-agents/kernel/internal/core/sha256';
import { type DomainDraft, Misfit } from './draft.ts';

export const bankDay = '11/14/2025';

export type BankRow = Record<string, string | number | boolean | null | undefined>;

/** The name of a new record, derived from its contents: the same call gives the same name. */
export function recordName(seed: string, length = 16): string {
  return sha256(seed).slice(0, length);
}

/** A number as the release writes it into names. */
export function decimal(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

export const dollars = (amount: number) => `$${amount.toFixed(2)}`;

/** "$2,850.00" and 2850 are the same amount. */
export function amountIn(value: unknown): number {
  return typeof value === 'number' ? value : Number(String(value ?? 0).replace(/[$,]/g, '')) || 0;
}

export const balanceOf = (account: BankRow) => amountIn(account['current_holdings'] ?? account['balance']);

export function need(isFine: boolean, problem: string): void {
  if (!isFine) throw new Misfit(problem);
}

export function oneOf(value: string, words: string, about: string): void {
  need(words.split(' ').includes(value), `Invalid ${about}. Must be one of: ${words.split(' ').join(', ')}`);
}

export function positive(value: number, about: string): void {
  need(typeof value === 'number' && value > 0, `${about} must be positive.`);
}

const kinds = { accounts: 'Account', credit_card_accounts: 'Credit card account', debit_cards: 'Debit card' } as const;

export function rowOf(draft: DomainDraft, table: keyof typeof kinds, id: string): BankRow {
  return draft.row<BankRow>(table, id, `${kinds[table]} '${id}' not found.`);
}

export const isOpen = ({ status }: BankRow) => status === 'OPEN' || status === 'ACTIVE';

/** Creates a record; it already exists if the same call was made before. */
export function addNew(draft: DomainDraft, table: string, id: string, row: JsonObject): JsonObject {
  need(!draft.has(table, id), `The record '${id}' may already exist.`);
  draft.add(table, id, row);
  return row;
}

/** The same, but a second call has no effect instead of failing. */
export function addOnce(draft: DomainDraft, table: string, id: string, row: JsonObject): JsonObject {
  if (!draft.has(table, id)) draft.add(table, id, row);
  return row;
}

export function rowsWith(draft: DomainDraft, table: string, where: BankRow): JsonObject[] {
  const isMatch = (row: BankRow) => Object.entries(where).every(([key, value]) => row[key] === value);
  return draft.rows<BankRow>(table).filter(isMatch) as JsonObject[];
}

/** Days from a date such as 01/31/2025 to the bank's current day; null if it is not a date. */
export function daysSince(date: unknown): number | null {
  const at = (text: string) => {
    const [month = 0, day = 0, year = 0] = text.split('/').map(Number);
    return Date.UTC(year, month - 1, day);
  };
  return typeof date === 'string' && /^\d+\/\d+\/\d{4}$/.test(date) ? Math.round((at(bankDay) - at(date)) / 86_400_000) : null;
}
