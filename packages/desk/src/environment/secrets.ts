/** @file What a conversation at a desk may draw on, and what in the database is somebody else's business. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { DeskSecret } from '../desk-facts.ts';
import type { Desk, DeskCase } from './document.ts';

/** Whose record it is, or null where it is nobody's: what is public. */
export function ownerOf(desk: Desk, table: string, id: string, row: JsonObject): string | null {
  const { customers } = desk;
  if (customers === null) return null;
  if (table === customers.table) return id;
  const column = Object.hasOwn(customers.owns, table) ? customers.owns[table] : undefined;
  return column === undefined ? null : String(row[column] ?? '');
}

/** Private values of other customers. What this customer has too, or says itself, is no secret; nor is anything too short to be distinguished. */
export function secretsFor(desk: Desk, one: DeskCase, sources: string): readonly DeskSecret[] {
  const { customers } = desk;
  const inside = confidentialIn(desk);
  if (customers === null) return inside;
  const own = `${sources}\n${Object.values(one.knows).join('\n')}\n${one.says.map(({ say }) => say).join('\n')}`.toLowerCase();
  const found: DeskSecret[] = [...inside];
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

/** What nobody from outside may learn, not even of a record of one's own. */
function confidentialIn({ confidential = {}, database }: Desk): DeskSecret[] {
  return Object.entries(confidential).flatMap(([kind, columns]) =>
    columns.flatMap((place) => {
      const [table = '', column = ''] = place.split('.', 2);
      const values = new Set(
        Object.values(database[table] ?? {}).flatMap((row) => (row[column] === undefined ? [] : [String(row[column])])),
      );
      return [...values].filter((value) => value.length >= 4).map((value): DeskSecret => ({ value, whose: place, kind }));
    }),
  );
}

/** All that a true statement in this conversation can come from. */
export function sourcesFor(desk: Desk, one: DeskCase): string {
  const hidden = Object.values(desk.confidential ?? {}).flat();
  const rows = Object.entries(desk.database).flatMap(([table, records]) =>
    Object.entries(records).flatMap(([id, row]) => {
      const owner = ownerOf(desk, table, id, row);
      if (owner !== null && owner !== one.customer) return [];
      const open =
        hidden.length === 0 ? row : Object.fromEntries(Object.entries(row).filter(([column]) => !hidden.includes(`${table}.${column}`)));
      return [`${table} ${id} ${JSON.stringify(open)}`];
    }),
  );
  return [desk.policy, ...rows].join('\n');
}
