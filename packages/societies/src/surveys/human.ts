/**
 * @file Reads answers of people from a table: either a row for each person with a column for each item, or a row for each person and item.
 */

import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { readTable, weightIn } from '@ludus-agents/agents/internal/workspace/populations';
import type { CsvTable } from '@ludus-agents/kernel/internal/core/csv';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type AnswerFile, firstWaves, type Variable } from './files.ts';

export interface HumanPerson {
  readonly person: string;
  readonly weight: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** Numbers of the options, by item. */
  readonly codes: ReadonlyMap<string, readonly number[]>;
}

/** Representations of a missing answer in tables of other programs. */
const empty = ['', 'na', 'n/a', '.', 'null', 'nan'];

/** Reads a table of people. Items are matched by name; a cell contains the text of an option or its number. */
export async function readHumanFile(
  file: string,
  { cwd, trust }: NamingPlace,
  { rows, variables, attributes }: AnswerFile,
): Promise<readonly HumanPerson[]> {
  const table = await readTable(file, cwd, trust);
  const shared = attributes.filter((name) => table.columns.includes(name) && !variables.some(({ item }) => item === name));
  const people = table.columns.includes('item')
    ? fromLong(table, file, variables, firstWaves(rows))
    : fromWide(table, file, variables, shared);
  return people.map(({ row, codes }, i) => ({
    person: cell(table, row, 'person') || cell(table, row, 'id') || String(i + 1),
    weight: table.columns.includes('weight') ? weightIn(cell(table, row, 'weight'), `${file}: row ${i + 2}`) : 1,
    attributes: Object.fromEntries(shared.map((name) => [name, cell(table, row, name)])),
    codes,
  }));
}

interface Read {
  readonly row: readonly string[];
  readonly codes: ReadonlyMap<string, readonly number[]>;
}

function cell({ columns }: CsvTable, row: readonly string[], name: string): string {
  return row[columns.indexOf(name)] ?? '';
}

/** Without a column for any item, only the composition can be compared, by attributes that both files contain. */
function fromWide(table: CsvTable, file: string, variables: readonly Variable[], shared: readonly string[]): readonly Read[] {
  const requestedVariables = variables.filter(({ item, kind }) => kind !== 'open' && table.columns.includes(item));
  if (requestedVariables.length === 0 && shared.length === 0)
    throw new Fault(
      'input',
      `${file} has no column for any item of the answers: they have ${variables.map(({ item }) => item).join(', ')}, and it has ${table.columns.join(', ')}. It needs people's answers, with a column for each item.`,
    );
  return table.rows.map((row, i) => ({
    row,
    codes: new Map(
      requestedVariables.flatMap((variable) => {
        const codes = codesOf(variable, cell(table, row, variable.item), `${file}: row ${i + 2}`);
        return codes === null ? [] : [[variable.item, codes] as const];
      }),
    ),
  }));
}

/** In a panel only the first wave counts, as for synthetic answers. */
function fromLong(table: CsvTable, file: string, variables: readonly Variable[], waves: ReadonlyMap<string, string>): readonly Read[] {
  const people = new Map<string, { row: readonly string[]; codes: Map<string, readonly number[]> }>();
  const requests = table.rows.map((row) => ({ item: cell(table, row, 'item'), wave: cell(table, row, 'wave') }));
  const ownEntry = firstWaves(requests);
  // A wave that occurs in both files is the same wave, regardless of row order.
  const named = new Set(requests.map(({ item, wave }) => `${item}\u0000${wave}`));
  const waveOf = (item: string) => (named.has(`${item}\u0000${waves.get(item)}`) ? waves.get(item) : ownEntry.get(item));
  table.rows.forEach((row, i) => {
    if (requests[i].wave !== waveOf(requests[i].item)) return;
    const variable = variables.find(({ item }) => item === cell(table, row, 'item'));
    const status = cell(table, row, 'status');
    if (variable === undefined || variable.kind === 'open' || (status !== '' && status !== 'answered')) return;
    const where = `${file}: row ${i + 2}`;
    const code = cell(table, row, 'code');
    const codes = codesOf(variable, code === '' ? cell(table, row, 'answer') : code, where);
    if (codes === null) return;
    const key = cell(table, row, 'person') || cell(table, row, 'id');
    if (key === '') throw new Fault('input', `${where} must say who answered, in a column "person".`);
    const person = people.get(key) ?? { row, codes: new Map() };
    person.codes.set(variable.item, codes);
    people.set(key, person);
  });
  if (people.size === 0)
    throw new Fault('input', `${file} has no answer to any item of the answers: ${variables.map(({ item }) => item).join(', ')}.`);
  return [...people.values()];
}

function codesOf({ item, labels }: Variable, input: string, where: string): readonly number[] | null {
  const text = input.trim();
  if (empty.includes(text.toLowerCase())) return null;
  const exact = labels.indexOf(text);
  if (exact >= 0) return [exact + 1];
  const parts = text.split(text.includes(';') ? linear(/\s*;\s*/) : /\s+/);
  const codes = parts.map((part) => {
    const at = labels.findIndex((label) => label.toLowerCase() === part.toLowerCase());
    return at >= 0 ? at + 1 : Number(part);
  });
  if (codes.some((code) => !Number.isInteger(code) || code < 1 || code > labels.length))
    throw new Fault(
      'input',
      `${where}: "${text}" is not an answer to ${item}. Its answers are ${labels.map((label, i) => `${i + 1} "${label}"`).join(', ')}.`,
    );
  return codes;
}
