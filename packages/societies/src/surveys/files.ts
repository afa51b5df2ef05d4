/** @file Answers in files: a tidy table as CSV or Parquet, with its codebook next to it. Writes and reads both. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTable, weightIn } from '@ludus-agents/agents/internal/workspace/populations';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type CsvTable, csvText } from '@ludus-agents/kernel/internal/core/csv';
import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { writeParquet } from '@ludus-agents/store/internal/exports/parquet-table';
import { toDiskFault, writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { Instrument, ItemKind } from '../survey/instrument.ts';
import { itemKinds } from '../survey/instrument.ts';
import { type AnswerRow, answerCells, answerColumns, codebookColumns, codebookRows, type RowStatus } from './answers.ts';
import { loaderPrograms } from './loaders.ts';

function codebookName(file: string): string {
  return `${file.replace(/\.(csv|parquet)$/i, '')}.codebook.csv`;
}

export interface AnswerFiles {
  readonly files: readonly string[];
  /** Loader programs by language. */
  readonly programs: Readonly<Record<string, string>>;
}

/** Writes the table, its codebook, and programs that load both. Each file is written atomically. Returns the file names. */
export async function writeAnswers(file: string, rows: readonly AnswerRow[], instrument: Instrument, cwd: string): Promise<AnswerFiles> {
  const { columns, attributes } = answerColumns(rows);
  const path = resolve(cwd, file);
  const book = codebookName(file);
  const ownColumns = columns.slice(2, 2 + attributes.length);
  const { R, py, sps } = loaderPrograms({ table: file, book, columns, attributes: ownColumns, instrument });
  const beside = (ending: string) => `${file.replace(/\.(csv|parquet)$/i, '')}.${ending}`;
  try {
    await writeTable(path, columns, { rows: rows.map((row) => answerCells(row, attributes)), kinds: { weight: 'number', place: 'whole' } });
    writeFileAtomicSync(resolve(cwd, book), csvText(codebookColumns, codebookRows(instrument)));
    for (const [ending, text] of Object.entries({ R, py, sps })) writeFileAtomicSync(resolve(cwd, beside(ending)), text);
  } catch (thrown) {
    throw toDiskFault(thrown, file);
  }
  return { files: [file, book, beside('R'), beside('py'), beside('sps')], programs: { R, Python: py, SPSS: sps } };
}

/**
 * Merges the answers of an experiment into one table with a column "arm"; in a crossover it contains the first arm. An existing attribute
 * with that name gets an underscore.
 */
export function rowsByArm(arms: readonly { readonly arm: string; readonly rows: readonly AnswerRow[] }[]): readonly AnswerRow[] {
  return arms.flatMap(({ arm, rows }) =>
    rows.map((row) => {
      const { arm: ownText, ...others } = row.attributes;
      return { ...row, attributes: { ...others, ...(ownText === undefined ? {} : { arm_: ownText }), arm } };
    }),
  );
}

/** Writes the final measures of episodes, with a row for each arm and seed. */
export async function writeMeasures(
  file: string,
  arms: readonly { readonly arm: string; readonly measures: ReadonlyMap<number, JsonObject> }[],
  cwd: string,
): Promise<void> {
  const figures = arms.flatMap(({ measures }) => [...measures.values()]).flatMap((jsonObject) => Object.entries(jsonObject));
  const names = [...new Set(figures.flatMap(([name, value]) => (typeof value === 'number' ? [name] : [])))];
  const rows = arms.flatMap(({ arm, measures }) =>
    [...measures].sort(([a], [b]) => a - b).map(([seed, jsonObject]) => [arm, seed, ...names.map((name) => jsonObject[name] ?? null)]),
  );
  const kinds = { seed: 'whole', ...Object.fromEntries(names.map((name) => [name, 'number'])) } as const;
  try {
    await writeTable(resolve(cwd, file), ['arm', 'seed', ...names], { rows, kinds });
  } catch (thrown) {
    throw toDiskFault(thrown, file);
  }
}

/** Writes Parquet if the file name ends accordingly, otherwise CSV. */
async function writeTable(
  path: string,
  columns: readonly string[],
  { rows, kinds }: { readonly rows: readonly (readonly Json[])[]; readonly kinds: Parameters<typeof writeParquet>[3] },
): Promise<void> {
  if (/\.parquet$/i.test(path)) await writeParquet(path, columns, rows, kinds);
  else writeFileAtomicSync(path, csvText(columns, rows));
}

/** A variable as described by a codebook or by the answers. */
export interface Variable {
  readonly item: string;
  readonly kind: ItemKind;
  /** Labels of the values, starting at 1. */
  readonly labels: readonly string[];
}

export interface AnswerFile {
  readonly rows: readonly AnswerRow[];
  readonly variables: readonly Variable[];
  readonly attributes: readonly string[];
}

/** Returns the first wave of each item. */
export function firstWaves(rows: readonly { readonly item: string; readonly wave: string }[]): ReadonlyMap<string, string> {
  return new Map(rows.toReversed().map(({ item, wave }) => [item, wave]));
}

const fixed = ['person', 'name', 'weight', 'ballot', 'wave', 'item', 'kind', 'status', 'code', 'answer', 'place', 'shown', 'episode'];
const statuses: readonly RowStatus[] = ['answered', 'refused', 'broken', 'skipped', 'missing'];

/** Reads a tidy table as written by `writeAnswers`. Labels come from the codebook next to it, or from the answers themselves. */
export async function readAnswerFile(file: string, cwd: string, trust: Trust): Promise<AnswerFile> {
  const table = await readTable(file, cwd, trust);
  for (const name of ['person', 'item', 'kind', 'status', 'code', 'answer'])
    if (!table.columns.includes(name))
      throw new Fault(
        'input',
        `${file} must be a table of answers with a column "${name}", as "ludus survey -o answers.csv" writes it; it has ${table.columns.join(', ')}.`,
      );
  const attributes = table.columns.filter((name) => !fixed.includes(name));
  const at = (row: readonly string[], name: string) => row[table.columns.indexOf(name)] ?? '';
  const rows = table.rows.map((row, i): AnswerRow => {
    const where = `${file}: row ${i + 2}`;
    const kind = oneIn(at(row, 'kind'), itemKinds, `${where}: kind`);
    return {
      person: at(row, 'person'),
      name: at(row, 'name'),
      attributes: Object.fromEntries(attributes.map((name) => [name, at(row, name)])),
      weight: table.columns.includes('weight') ? weightIn(at(row, 'weight'), where) : 1,
      ballot: at(row, 'ballot'),
      wave: at(row, 'wave'),
      item: at(row, 'item'),
      kind,
      status: oneIn(at(row, 'status'), statuses, `${where}: status`),
      codes: codesIn(at(row, 'code'), where),
      answer: at(row, 'answer'),
      place: at(row, 'place') === '' ? null : Number(at(row, 'place')),
      shown: codesIn(at(row, 'shown'), where),
      episode: at(row, 'episode'),
    };
  });
  const book = codebookName(file);
  const labels = existsSync(resolve(cwd, book)) ? labelsIn(await readTable(book, cwd, trust)) : labelsOf(rows);
  const kinds = new Map(rows.map(({ item, kind }) => [item, kind]));
  return { rows, attributes, variables: [...kinds].map(([item, kind]) => ({ item, kind, labels: labels.get(item) ?? [] })) };
}

function oneIn<T extends string>(cell: string, of: readonly T[], where: string): T {
  const choice = of.find((item) => item === cell);
  if (choice === undefined) throw new Fault('input', `${where} must be one of ${of.join(', ')}, but is "${cell}".${didYouMean(cell, of)}`);
  return choice;
}

function codesIn(cell: string, where: string): readonly number[] {
  if (cell.trim() === '') return [];
  const codes = cell.trim().split(/\s+/).map(Number);
  if (codes.some((code) => !Number.isInteger(code) || code < 1))
    throw new Fault('input', `${where} must have option numbers, starting at 1, but has "${cell}".`);
  return codes;
}

function labelsIn({ columns, rows }: CsvTable): ReadonlyMap<string, readonly string[]> {
  const [variable, value, label] = ['variable', 'value', 'label'].map((name) => columns.indexOf(name)) as [number, number, number];
  const matches = new Map<string, string[]>();
  for (const row of rows) {
    const code = Number(row[value]);
    const ownItems = matches.get(row[variable] ?? '') ?? [];
    if (Number.isInteger(code) && code > 0) ownItems[code - 1] = row[label] ?? '';
    matches.set(row[variable] ?? '', ownItems);
  }
  return matches;
}

/** Without a codebook, only options that were chosen have labels; the others are numbers. */
function labelsOf(rows: readonly AnswerRow[]): ReadonlyMap<string, readonly string[]> {
  const matches = new Map<string, string[]>();
  for (const { item, codes, shown, answer } of rows) {
    const ownItems = matches.get(item) ?? [];
    const most = Math.max(0, ...codes, ...shown);
    while (ownItems.length < most) ownItems.push(String(ownItems.length + 1));
    if (codes.length === 1) ownItems[codes[0] - 1] = answer;
    matches.set(item, ownItems);
  }
  return matches;
}
