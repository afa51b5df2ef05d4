/**
 * @file What each role may do, as statements for the owner of a schema to run. A worker adds and never removes: it cannot change the
 * tables, delete, read the owner's other tables, or look into another schema. Tables that come later are closed until granted.
 */

export type RoleKind = 'worker' | 'reader';

/** Only summaries, leases and sums are ever changed; everything else is written once. */
const rights: Readonly<Record<string, string>> = {
  ludus_schema: 'select',
  runs: 'select, insert',
  specs: 'select, insert',
  parts: 'select, insert',
  chunks: 'select, insert',
  scores: 'select, insert',
  score_bodies: 'select, insert',
  notes: 'select, insert',
  episodes: 'select, insert, update',
  appearances: 'select, insert, update',
  lots: 'select, insert',
  jobs: 'select, insert, update',
  workers: 'select, insert, update',
  purses: 'select, insert, update',
  spendings: 'select, insert, update',
  paces: 'select, insert, update',
};

/** The statements that give a role what it needs in a schema and nothing else. */
export function grantsFor(schema: string, role: string, kind: RoleKind): readonly string[] {
  const [where, who] = [quoteName(schema), quoteName(role)];
  return [
    `revoke all on all tables in schema ${where} from ${who};`,
    `grant usage on schema ${where} to ${who};`,
    ...Object.entries(rights).map(([table, may]) => `grant ${kind === 'reader' ? 'select' : may} on ${where}.${table} to ${who};`),
  ];
}

/** A name as an identifier, whatever is in it. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
