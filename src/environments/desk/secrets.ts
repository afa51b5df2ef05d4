/** @file What a conversation at a desk may draw on, and what in the database is somebody else's business. */

import type { DeskSecret, JsonObject } from '../../core/index.ts';
import type { Desk, DeskCase } from './document.ts';

/** Whose record it is, or null where it is nobody's: what is public. */
function ownerOf(desk: Desk, table: string, id: string, row: JsonObject): string | null {
  const { customers } = desk;
  if (customers === null) return null;
  if (table === customers.table) return id;
  const column = Object.hasOwn(customers.owns, table) ? customers.owns[table] : undefined;
  return column === undefined ? null : String(row[column] ?? '');
}

/** Private values of other customers. What this customer has too, or says itself, is no secret; nor is anything too short to be distinguished. */
export function secretsFor(desk: Desk, one: DeskCase): readonly DeskSecret[] {
  const { customers } = desk;
  if (customers === null) return [];
  const own =
    `${sourcesFor(desk, one)}\n${Object.values(one.knows).join('\n')}\n${one.says.map(({ say }) => say).join('\n')}`.toLowerCase();
  const found: DeskSecret[] = [];
  for (const [table, rows] of Object.entries(desk.database))
    for (const [id, row] of Object.entries(rows)) {
      const owner = ownerOf(desk, table, id, row);
      if (owner === null || owner === one.customer) continue;
      for (const column of customers.private) {
        const value = row[column];
        if ((typeof value !== 'string' && typeof value !== 'number') || String(value).length < 4) continue;
        if (!own.includes(String(value).toLowerCase())) found.push({ value: String(value), whose: owner });
      }
    }
  return found;
}

/** All that a true statement in this conversation can come from. */
export function sourcesFor(desk: Desk, one: DeskCase): string {
  const rows = Object.entries(desk.database).flatMap(([table, records]) =>
    Object.entries(records).flatMap(([id, row]) => {
      const owner = ownerOf(desk, table, id, row);
      return owner === null || owner === one.customer ? [`${table} ${id} ${JSON.stringify(row)}`] : [];
    }),
  );
  return [desk.policy, ...rows].join('\n');
}
