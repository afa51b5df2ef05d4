/**
 * @file Tables as comma-separated text (RFC 4180): the parser reports every problem in a sentence, and the writer prevents spreadsheets
 * from reading text as a formula.
 */

import { Fault, type Json, type JsonObject } from './index.ts';

export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Parses a table with its header. Cells keep their text, except that an apostrophe before a formula is removed. */
export function readCsv(text: string, where: string): CsvTable {
  const { columns, rows } = tableIn(text, where);
  return { columns, rows: rows.map(({ cells }) => cells.map((cell) => cell.text)) };
}

/** A row as text, and the line of the file where it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/** Parses a table as rows of text by column, each with its line number. Spaces around unquoted cells are removed. */
export function readCsvRows(text: string, where: string): { readonly columns: readonly string[]; readonly rows: readonly CsvRow[] } {
  const { columns: titles, rows } = tableIn(text, where);
  const columns = titles.map((title) => title.trim());
  return {
    columns,
    rows: rows.map(({ line, cells }) => ({ line, cells: Object.fromEntries(cells.map((cell, i) => [columns[i]!, trimCell(cell)])) })),
  };
}

/** Parses a table as records. Unquoted numbers, true, and false are converted; the first column stays text, because it is the id. */
export function readCsvRecords(text: string, where: string): readonly JsonObject[] {
  const { columns, rows } = tableIn(text, where);
  return rows.map(({ cells }) =>
    Object.fromEntries(cells.map((cell, i) => [columns[i]!.trim(), i === 0 ? trimCell(cell) : cellValue(cell)])),
  );
}

const trimCell = ({ text, quoted }: CsvCell): string => (quoted ? text : text.trim());

function cellValue(cell: CsvCell): Json {
  const text = trimCell(cell);
  if (cell.quoted) return text;
  if (text === 'true' || text === 'false') return text === 'true';
  // A number with a leading zero is an identifier: a zip code, a phone number.
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

interface CsvCell {
  readonly text: string;
  readonly quoted: boolean;
}

interface CsvRecord {
  /** The line of the file where it begins. */
  readonly line: number;
  readonly cells: readonly CsvCell[];
}

function tableIn(text: string, where: string): { readonly columns: readonly string[]; readonly rows: readonly CsvRecord[] } {
  const [header, ...rows] = recordsIn(text.replace(/^\uFEFF/, ''), where);
  const columns = header?.cells.map((cell) => cell.text) ?? [];
  if (columns.length === 0 || columns.every((name) => name === ''))
    throw new Fault('input', `${where} must start with a header of column names, but is empty.`);
  const twice = columns.find((name, i) => columns.indexOf(name) < i);
  if (twice !== undefined) throw new Fault('input', `${where} has two columns named "${twice}". Give each a unique name.`);
  for (const { line, cells } of rows)
    if (cells.length !== columns.length)
      throw new Fault('input', `${where}: line ${line} has ${cells.length} cells, but the header has ${columns.length}.`);
  return { columns, rows };
}

function recordsIn(text: string, where: string): CsvRecord[] {
  const separator = separatorOf(text);
  const records: CsvRecord[] = [];
  let record: CsvCell[] = [];
  let at = 0;
  let line = 1;
  let counted = 0;
  while (at < text.length) {
    if (record.length === 0)
      for (; counted < at; counted++) if (text[counted] === '\n' || (text[counted] === '\r' && text[counted + 1] !== '\n')) line++;
    let cell: string;
    // Spaces before a quotation mark are not part of the cell.
    const opening = /^ *"/.exec(text.slice(at, at + 40))?.[0].length ?? 0;
    const quoted = opening > 0;
    if (quoted) {
      at += opening - 1;
      let end = at + 1;
      for (; ; end++) {
        end = text.indexOf('"', end);
        if (end < 0) throw new Fault('input', `${where}: unclosed quotation mark on line ${line}.`);
        if (text[end + 1] !== '"') break;
        end++;
      }
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      let end = at;
      while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
      cell = text.slice(at, end);
      at = end;
    }
    while (quoted && text[at] === ' ') at++;
    record.push({ text: /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell, quoted });
    if (text[at] === separator) {
      at++;
      if (at < text.length) continue;
      record.push({ text: '', quoted: false });
    } else if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw new Fault('input', `${where}: line ${line} has text after a closing quotation mark.`);
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    // An empty line is not a row.
    if (record.length > 1 || record[0]?.text !== '') records.push({ line, cells: record });
    record = [];
  }
  return records;
}

/** Some programs use semicolons or tabs: the separator is the most frequent one in the header. */
function separatorOf(text: string): string {
  const [header = ''] = text.split(/[\r\n]/, 1);
  const count = (mark: string) => header.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

/** One line, without its line break. Missing values are empty, and numbers stay numbers. */
function csvLine(cells: readonly (Json | undefined)[]): string {
  return cells.map(csvCell).join(',');
}

/** Adds an apostrophe before text that a spreadsheet would read as a formula. */
export function csvCell(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvText(columns: readonly string[], rows: Iterable<readonly (Json | undefined)[]>): string {
  const lines = [csvLine(columns)];
  for (const row of rows) lines.push(csvLine(row));
  return `${lines.join('\n')}\n`;
}
