/** @file The user's table: loaded from a CSV file, used by an environment that asks questions about it, and queried by a tool. */

import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { query, type Row, type TableCell } from '@ludus-agents/environments/internal/tables/query';
import { createTableQuestions, tableName } from '@ludus-agents/environments/internal/tables/table-questions';
import { readCsvRows } from '@ludus-agents/kernel/internal/core/csv';
import { type AnyEnvironment, Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { checkFile } from '../workspace/consent.ts';
import type { NamingPlace } from '../workspace/name-resolvers.ts';
import type { Tool } from './tool.ts';

/** The most rows of a result that are shown. */
const most = 20;

function readTable(file: string, { cwd, trust }: NamingPlace): readonly Row[] {
  const path = checkFile(resolve(cwd, file), trust, { cwd, env: process.env });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The table ${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  const { columns, rows } = readCsvRows(text, file);
  if (rows.length === 0) throw new Fault('input', `The table ${file} has no rows.`);
  // A column is numeric if every non-empty cell is a number.
  const numeric = new Set(columns.filter((column) => rows.every(({ cells }) => /^(?:-?\d+(?:\.\d+)?)?$/.test(cells[column] ?? ''))));
  const cellOf = (column: string, text: string): TableCell => (text === '' ? null : numeric.has(column) ? Number(text) : text);
  return rows.map(({ cells }) => Object.fromEntries(columns.map((column) => [column, cellOf(column, cells[column] ?? '')])));
}

/** "questions:FILE.csv": an environment with questions about the table. */
export function tableQuestions(file: string, place: NamingPlace): AnyEnvironment {
  return createTableQuestions(readTable(file, place), basename(file));
}

/** "table=FILE.csv": a tool that queries the table. */
export function tableTool(file: string, place: NamingPlace): Tool {
  const rows = readTable(file, place);
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  return {
    spec: {
      name: 'query_table',
      description: `Queries a table with the columns ${columns}: "${tableName} | where COLUMN = VALUE | sum COLUMN". Stages are where, count, sum, mean, max, min, group, sort, take, and show.`,
      parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'], additionalProperties: false },
    },
    async call(input) {
      const text = (input as JsonObject | null)?.['query'];
      if (typeof text !== 'string') return { ok: false, text: `Give the query as {"query": "${tableName} | count"}.` };
      const result = query({ [tableName]: rows }, text);
      if (!result.ok) return { ok: false, text: result.problem };
      return {
        ok: true,
        text: Array.isArray(result.value) ? JSON.stringify(result.value.slice(0, most)) : String(result.value ?? 'nothing'),
      };
    },
  };
}
