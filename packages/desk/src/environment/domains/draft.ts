/** @file Records under change: tools write to copies, and the original database is not modified. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { DeskDatabase } from '../document.ts';

/** An invalid call; it changes nothing. */
export class Misfit extends Error {}

export class DomainDraft {
  readonly #before: DeskDatabase;
  readonly #changed = new Map<string, Map<string, JsonObject>>();

  constructor(database: DeskDatabase) {
    this.#before = database;
  }

  has(table: string, id: string): boolean {
    return this.#changed.get(table)?.has(id) === true || Object.hasOwn(this.#before[table] ?? {}, id);
  }

  /** A record for reading or writing; its first use makes the copy. */
  row<T>(table: string, id: string, missing: string): T {
    const jsonObject = this.#changed.get(table)?.get(id);
    if (jsonObject !== undefined) return jsonObject as T;
    if (!this.has(table, id)) throw new Misfit(missing);
    const copy = structuredClone(this.#before[table][id]);
    this.add(table, id, copy);
    return copy as T;
  }

  add(table: string, id: string, row: JsonObject): void {
    const rows = this.#changed.get(table) ?? new Map<string, JsonObject>();
    this.#changed.set(table, rows.set(id, row));
  }

  /** All records of a table, to read. */
  rows<T>(table: string): readonly T[] {
    const all = { ...this.#before[table], ...Object.fromEntries(this.#changed.get(table) ?? []) };
    return Object.values(all) as T[];
  }

  get database(): DeskDatabase {
    const tables = [...this.#changed].map(([table, rows]) => [table, { ...this.#before[table], ...Object.fromEntries(rows) }]);
    return { ...this.#before, ...Object.fromEntries(tables) };
  }
}

/** Hundredths, as prices have them. */
export function cents(amount: number): number {
  return Number(amount.toFixed(2));
}

/** A sum of numbers in plain arithmetic, such as "2 * (3 + 4)". */
export function calculate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d*)?|\.\d+|[-+*/()]/g) ?? [];
  if (/[^0-9+\-*/(). ]/.test(expression) || tokens.join('') !== expression.replaceAll(' ', ''))
    throw new Misfit('Invalid characters in expression');
  let at = 0;
  const part = (): number => {
    const token = tokens[at++];
    if (token === '-') return -part();
    if (token === '+') return part();
    if (token === '(') {
      const value = sum();
      if (tokens[at++] !== ')') throw new Misfit('The expression does not end.');
      return value;
    }
    if (token === undefined || !/\d/.test(token)) throw new Misfit('The expression cannot be read.');
    return Number(token);
  };
  const product = (): number => {
    let value = part();
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * part() : value / part();
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-') value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  };
  const value = sum();
  if (at !== tokens.length || !Number.isFinite(value)) throw new Misfit('The expression cannot be read.');
  return cents(value);
}
