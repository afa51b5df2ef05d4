/** @file The spoken names of tables and columns. */

/** The name of a table or a column as a customer would say it. */
export function nameInSpeech(name: string): string {
  return name.replaceAll('_', ' ');
}

/** The singular of a table name: "entry" for "entries". */
export function recordNoun(table: string): string {
  return table.endsWith('ies') ? `${nameInSpeech(table).slice(0, -3)}y` : nameInSpeech(table).replace(/s$/, '');
}
