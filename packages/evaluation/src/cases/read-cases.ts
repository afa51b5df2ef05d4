/** @file Reads cases from CSV, TSV, JSONL and JSON text. What is wrong with a row is said with its line. */

import { readCsvRows } from '@ludus-agents/kernel/internal/core/csv';
import { equal, Fault, isObject, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { checkSchema, hasRules, messagesIn, type TestCase } from './case.ts';
import { compileRegex } from './check-answer.ts';
import { type MatchRule, matchRules } from './match-rules.ts';

/** Which columns hold what, and how answers are compared where a row does not say so. */
export interface CaseColumns {
  /** The column of the input, or several with commas between them; input, question or prompt by default. */
  readonly input?: string | undefined;
  /** The column of the expected answer; expected or answer by default. */
  readonly expected?: string | undefined;
  readonly match?: MatchRule | undefined;
  /** A program decides, so that a row needs nothing besides its input. */
  readonly checked?: boolean | undefined;
}

export interface ReadCases {
  readonly cases: readonly TestCase[];
  /** Rows that repeat an earlier row. */
  readonly duplicates: number;
}

/** A row before it is read, with its place for error messages. */
export interface CaseRow {
  readonly where: string;
  readonly fields: JsonObject;
}

const columnNames = {
  id: ['id', 'name', 'case'],
  input: ['input', 'question', 'prompt'],
  expected: ['expected', 'answer'],
  match: ['match'],
  regex: ['regex', 'pattern'],
  schema: ['schema'],
  paths: ['paths', 'json'],
  rubric: ['rubric', 'criteria'],
  conversation: ['conversation'],
} as const;
type Field = keyof typeof columnNames;

/** The rows of a file, by its ending. */
export function rowsIn(text: string, file: string): readonly CaseRow[] {
  if (/\.jsonl$/i.test(file)) return jsonLines(text, file);
  return readCsvRows(text, file).rows.map(({ line, cells }) => ({ where: `${file}, line ${line}`, fields: cells }));
}

function jsonLines(text: string, file: string): readonly CaseRow[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((content, i) => {
      if (content.trim() === '') return [];
      const where = `${file}, line ${i + 1}`;
      return [{ where, fields: objectIn(parseJson(content, where), where) }];
    });
}

export function objectIn(value: Json, where: string): JsonObject {
  if (isObject(value)) return value;
  throw new Fault(
    'input',
    `${where}: expected an object such as {"input": "…", "expected": "…"}, got ${JSON.stringify(value).slice(0, 60)}.`,
  );
}

export function parseJson(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new Fault('input', `${where}: not valid JSON: ${sentenceOf(thrown)}`);
  }
}

/** Reads rows as cases. A row that repeats another one counts once; one that contradicts another one is a fault. */
export function readCases(rows: readonly CaseRow[], columns: CaseColumns, source: string): ReadCases {
  if (rows.length === 0)
    throw new Fault(
      'input',
      `${source} has no cases. Write one case per line: CSV after a header with column names, or JSON such as {"input": "…", "expected": "…"}.`,
    );
  const places = placesIn(rows, columns, source);
  const byInput = new Map<string, { readonly one: TestCase; readonly where: string }>();
  let duplicates = 0;
  for (const { where, fields } of rows) {
    const testCase = readCase(fields, where, { places, columns });
    const key = JSON.stringify([testCase.input, testCase.conversation]);
    const earlier = byInput.get(key);
    if (earlier === undefined) byInput.set(key, { one: testCase, where });
    else if (equal({ ...testCase, id: '' } as Json, { ...earlier.one, id: '' } as Json)) duplicates++;
    else throw new Fault('input', `${where}: the same input as ${earlier.where}, but another check. Keep one of the two rows.`);
  }
  return { cases: withNames([...byInput.values()]), duplicates };
}

type Places = Readonly<Partial<Record<Exclude<Field, 'input'>, string>>> & { readonly input: readonly string[] };

/** Which column each field is read from: a name that was given must exist. */
function placesIn(rows: readonly CaseRow[], columns: CaseColumns, source: string): Places {
  const names = [...new Set(rows.flatMap(({ fields }) => Object.keys(fields)))];
  const nameOf = (wanted: string): string => {
    const name = names.find((column) => column.toLowerCase() === wanted.toLowerCase());
    if (name !== undefined) return name;
    throw new Fault('input', `${source} has no column "${wanted}"; its columns are ${names.join(', ')}.${didYouMean(wanted, names)}`, {
      code: 'E_UNKNOWN_NAME',
    });
  };
  const usual = (field: Field) => names.find((column) => (columnNames[field] as readonly string[]).includes(column.toLowerCase()));
  const input = columns.input === undefined ? [usual('input')] : columns.input.split(',').map((name) => nameOf(name.trim()));
  if (input[0] === undefined)
    throw new Fault(
      'input',
      `${source} has no column named ${columnNames.input.join(', ')}; its columns are ${names.join(', ')}. Name the one with the input, on the command line with --input.${didYouMean('input', names)}`,
    );
  const expected = columns.expected === undefined ? usual('expected') : nameOf(columns.expected);
  const others = (['id', 'match', 'regex', 'schema', 'paths', 'rubric', 'conversation'] as const).map(
    (field) => [field, usual(field)] as const,
  );
  const free = others.filter(([, column]) => column !== undefined && !input.includes(column) && column !== expected);
  return { input: input as readonly string[], ...(expected === undefined ? {} : { expected }), ...Object.fromEntries(free) };
}

interface Reading {
  readonly places: Places;
  readonly columns: CaseColumns;
}

function readCase(fields: JsonObject, where: string, { places, columns }: Reading): TestCase {
  const used = new Set(Object.values(places).flat());
  const rest = Object.fromEntries(Object.entries(fields).filter(([name, value]) => !used.has(name) && value !== ''));
  const at = (field: Exclude<Field, 'input'>): Json | undefined => {
    const value = places[field] === undefined ? undefined : fields[places[field]];
    return value === '' || value === null ? undefined : value;
  };
  const input = inputOf(fields, places.input, where);
  const testCase = {
    ...withText('id', at('id'), where),
    input,
    ...(at('expected') === undefined ? {} : { expected: at('expected') }),
    ...matchOf(at('match') ?? columns.match, where),
    ...withText('regex', at('regex'), where),
    ...(at('schema') === undefined ? {} : { schema: jsonCell(at('schema')!, `${where}, schema`) }),
    ...(at('paths') === undefined ? {} : { paths: objectIn(jsonCell(at('paths')!, `${where}, paths`), `${where}, paths`) }),
    ...withText('rubric', at('rubric'), where),
    ...(at('conversation') === undefined ? {} : { conversation: messagesIn(at('conversation')!, `${where}, conversation`) }),
    ...(Object.keys(rest).length === 0 ? {} : { data: rest }),
  } as TestCase;
  if (testCase.regex !== undefined) checkRegex(testCase.regex, where);
  if (testCase.schema !== undefined) checkSchema(testCase.schema, where);
  const hasCheck = hasRules(testCase) || testCase.rubric !== undefined || testCase.expected !== undefined;
  if (!hasCheck && columns.checked !== true)
    throw new Fault(
      'input',
      `${where}: there is nothing to check the answer against. Give the row an expected answer, a regex, a schema, paths, or a rubric, or name a program with --check.`,
    );
  return testCase;
}

function inputOf(fields: JsonObject, names: readonly string[], where: string): string {
  const texts = names.map((name) => [name, fields[name]] as const).filter(([, value]) => value !== undefined && value !== '');
  if (texts.length === 0) throw new Fault('input', `${where}: the input is empty (column ${names.join(', ')}).`);
  const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : JSON.stringify(value));
  // One column is the input itself; of several, each has its name before it.
  return names.length === 1 ? textOf(texts[0][1]) : texts.map(([name, value]) => `${name}: ${textOf(value)}`).join('\n\n');
}

function withText(field: 'id' | 'regex' | 'rubric', value: Json | undefined, where: string): JsonObject {
  if (value === undefined) return {};
  if (Array.isArray(value) && field === 'rubric' && value.every((item) => typeof item === 'string')) return { rubric: value.join('\n') };
  if (typeof value === 'string' || typeof value === 'number') return { [field]: String(value) };
  throw new Fault('input', `${where}: "${field}" must be a string, got ${JSON.stringify(value).slice(0, 60)}.`);
}

function matchOf(value: Json | undefined, where: string): { readonly match?: MatchRule } {
  if (value === undefined) return {};
  const rule = matchRules.find((matchRule) => matchRule === value);
  if (rule !== undefined) return { match: rule };
  throw new Fault(
    'input',
    `${where}: "match" must be one of ${matchRules.join(', ')}, got "${String(value)}".${didYouMean(String(value), matchRules)}`,
  );
}

/** JSON in a cell of a table; in JSONL it is the value itself. */
function jsonCell(value: Json, where: string): Json {
  return typeof value === 'string' ? parseJson(value, where) : value;
}

function checkRegex(source: string, where: string): void {
  try {
    compileRegex(source);
  } catch (thrown) {
    throw new Fault('input', `${where}: the regular expression cannot be used: ${sentenceOf(thrown)}`);
  }
}

const longestName = 48;

/** Cases without a name are called by the beginning of their input; of two with the same name, the second has a number. */
function withNames(read: readonly { readonly one: TestCase; readonly where: string }[]): readonly TestCase[] {
  const names = new Map<string, string>();
  return read.map(({ one, where }) => {
    if (one.id !== undefined && names.has(one.id))
      throw new Fault('input', `${where}: the name "${one.id}" is already used by ${names.get(one.id)}. Every case needs a unique name.`);
    const short = one.input.split(/\s+/).join(' ').trim();
    const base = one.id ?? (short.length > longestName ? `${short.slice(0, longestName).toWellFormed()}…` : short);
    let id = base;
    for (let i = 2; names.has(id); i++) id = `${base} (${i})`;
    names.set(id, where);
    return { ...one, id };
  });
}
