/** @file A small query language over tables: stages separated by "|", each of which maps rows to rows or a number. */

export type TableCell = string | number | null;
export type Row = Readonly<Record<string, TableCell>>;
export type TableSet = Readonly<Record<string, readonly Row[]>>;
export type Result =
  | { readonly ok: true; readonly value: number | null | readonly Row[] }
  | { readonly ok: false; readonly problem: string };

export const aggregates = ['count', 'sum', 'mean', 'max', 'min'] as const;
export type TableAggregate = (typeof aggregates)[number];

/** Sums and means skip missing values. Numbers are compared as numbers. */
export function aggregate(kind: TableAggregate, rows: readonly Row[], column: string | undefined): number | null {
  if (kind === 'count') return rows.length;
  const values = rows.flatMap((row) => (typeof row[column!] === 'number' ? [row[column!] as number] : []));
  if (values.length === 0) return null;
  const sum = values.reduce((value, two) => value + two, 0);
  const value = { sum, mean: sum / values.length, max: Math.max(...values), min: Math.min(...values) }[kind];
  return roundCents(value);
}

function roundCents(value: number): number {
  return Math.round(value * 100) / 100;
}

const help =
  'Stages are: where COLUMN = VALUE (or > or <), join TABLE, count, sum COLUMN, mean COLUMN, max COLUMN, min COLUMN, group COLUMN sum COLUMN, sort COLUMN desc, take N, show COLUMN COLUMN.';

export function query(tables: TableSet, text: string): Result {
  const [from, ...stages] = text.split('|').map((stage) => stage.trim());
  if (from === undefined || !Object.hasOwn(tables, from))
    return fail(`There is no table "${(from ?? '').slice(0, 40)}"; there are ${Object.keys(tables).join(', ')}.`);
  let value: number | null | readonly Row[] = tables[from];
  for (const stage of stages) {
    if (!Array.isArray(value)) return fail(`Nothing can follow a number, but "${stage.slice(0, 40)}" does.`);
    const next = applyStage(tables, value as readonly Row[], stage);
    if (!next.ok) return next;
    value = next.value;
  }
  return { ok: true, value };
}

const fail = (problem: string): Result => ({ ok: false, problem });

function applyStage(tables: TableSet, rows: readonly Row[], stage: string): Result {
  const [verb = '', ...rest] = stage.split(/\s+/);
  const columns = new Set(rows.flatMap((row) => Object.keys(row)));
  const has = (column: string | undefined) => column !== undefined && (columns.has(column) || rows.length === 0);
  const unknown = (column: string | undefined) =>
    fail(`There is no column "${(column ?? '').slice(0, 40)}"; there are ${[...columns].join(', ')}.`);
  const [first, second, third] = rest;
  if (verb === 'where') {
    if (!has(first)) return unknown(first);
    const wanted = rest.slice(2).join(' ');
    if (!['=', '>', '<'].includes(second ?? '') || wanted === '')
      return fail(`"${stage.slice(0, 40)}" is no condition; one is like: where amount > 10.`);
    return { ok: true, value: rows.filter((row) => fits(row[first!] ?? null, second!, wanted)) };
  }
  if (verb === 'join') {
    const other = Object.hasOwn(tables, first ?? '') ? tables[first!] : null;
    if (other === null) return fail(`There is no table "${(first ?? '').slice(0, 40)}" to join.`);
    const key = first!.replace(/s$/, '');
    if (!has(key)) return unknown(key);
    const byId = new Map(other.map((row) => [row['id'] ?? null, row]));
    return { ok: true, value: rows.flatMap((row) => (byId.has(row[key] ?? null) ? [{ ...byId.get(row[key] ?? null), ...row }] : [])) };
  }
  if ((aggregates as readonly string[]).includes(verb)) {
    if (verb !== 'count' && !has(first)) return unknown(first);
    return { ok: true, value: aggregate(verb as TableAggregate, rows, first) };
  }
  if (verb === 'group') {
    if (!has(first)) return unknown(first);
    if (!(aggregates as readonly string[]).includes(second ?? '')) return fail(`A group is like: group ${first} sum amount.`);
    if (second !== 'count' && !has(third)) return unknown(third);
    const groups = new Map<TableCell, Row[]>();
    for (const row of rows) groups.set(row[first!] ?? null, [...(groups.get(row[first!] ?? null) ?? []), row]);
    return {
      ok: true,
      value: [...groups].map(([value, subset]) => ({ [first!]: value, [second!]: aggregate(second as TableAggregate, subset, third) })),
    };
  }
  if (verb === 'sort') {
    if (!has(first)) return unknown(first);
    const sign = second === 'desc' ? -1 : 1;
    // Missing values are last in both sort orders.
    const order = (a: TableCell, b: TableCell) => (a === null || b === null ? compareCells(a, b) : sign * compareCells(a, b));
    return { ok: true, value: [...rows].sort((a, b) => order(a[first!] ?? null, b[first!] ?? null)) };
  }
  if (verb === 'take' && /^\d{1,4}$/.test(first ?? '')) return { ok: true, value: rows.slice(0, Number(first)) };
  if (verb === 'show') {
    const missing = rest.find((column) => !has(column));
    if (missing !== undefined) return unknown(missing);
    return { ok: true, value: rows.map((row) => Object.fromEntries(rest.map((column) => [column, row[column] ?? null]))) };
  }
  return fail(`"${stage.slice(0, 40)}" is no stage. ${help}`);
}

function fits(cell: TableCell, sign: string, wanted: string): boolean {
  if (cell === null) return false;
  if (sign === '=') return typeof cell === 'number' ? cell === Number(wanted) : cell.toLowerCase() === wanted.toLowerCase();
  const order = compareCells(cell, typeof cell === 'number' ? Number(wanted) : wanted);
  return sign === '>' ? order > 0 : order < 0;
}

/** Compares numbers by size and texts alphabetically. Missing values are last. */
function compareCells(a: TableCell, b: TableCell): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}
