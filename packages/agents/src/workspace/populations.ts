/** @file Populations by name: a document, microdata in a file, and their people on the seats of plans, suites, and scenes. */

import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type CsvTable, readCsv } from '@ludus-agents/kernel/internal/core/csv';
import { Fault, isFault, isObject, type Json, type JsonObject, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { boolean, object, readAs, required, type Shape, text, whole, withDefault } from '@ludus-agents/kernel/internal/core/shape';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type MicrodataFile, type Persona, readSpecification, samplePopulation } from '../personas/index.ts';
import { checkFile } from './consent.ts';
import { populationKind } from './kinds.ts';
import { loadEntry } from './load.ts';
import type { NamingPlace } from './name-resolvers.ts';
import type { Trust } from './trust.ts';

/** Names of files that are tables of people. */
export const tableName = /\.(csv|tsv|parquet)$/i;

/** A table of people in a file: text with a header, or Parquet. */
export async function readTable(file: string, cwd: string, trust: Trust): Promise<CsvTable> {
  let content: string;
  const path = checkFile(file, trust, { cwd, env: process.env });
  try {
    if (/\.parquet$/i.test(file))
      return checkRows(await (await import('@ludus-agents/store/internal/files/parquet-table')).readParquet(path, file), file);
    content = readFileSync(path, 'utf8');
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('input', `${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  return checkRows(readCsv(content, file), file);
}

/** Columns with identity or weight, which are not attributes. */
const notAttributes = ['id', 'name', 'person', 'weight', 'weights'];

/** A population by name, from a document, or from a table of people with a header; files that a document names are relative to it. */
export async function findPopulation(name: string, cwd: string, trust: Trust): Promise<Json> {
  if (tableName.test(name)) {
    const microdata = await countTable({ file: name }, cwd, trust);
    return { name: basename(name).replace(/\.\w+$/, ''), microdata } as Json;
  }
  const population = await loadEntry(populationKind, name, cwd, trust);
  if (!isObject(population) || !isObject(population['microdata']) || !('file' in population['microdata'])) return population;
  const folder = /[\\/.]/.test(name) ? dirname(resolve(cwd, name)) : cwd;
  const whole = { ...population, microdata: await countTable(population['microdata'] as MicrodataFile, folder, trust) } as Json;
  readSpecification(whole);
  return whole;
}

function checkRows(table: CsvTable, file: string): CsvTable {
  if (table.rows.length === 0) throw new Fault('input', `${file} has no rows: only a header (${table.columns.join(', ')}).`);
  return table;
}

/** The rows of a file, by its attribute columns; rows with an empty attribute are rejected. */
async function countTable({ file, weight, columns }: MicrodataFile, cwd: string, trust: Trust): Promise<Json> {
  const table = await readTable(file, cwd, trust);
  const weighed = weight ?? ['weight', 'weights'].find((name) => table.columns.includes(name));
  const named = columns ?? table.columns.filter((name) => name !== weighed && !notAttributes.includes(name));
  const places = named.map((name) => placeOf(table, name, file));
  if (weighed === undefined && columns === undefined) refuseWeights(table, named, file);
  const at = weighed === undefined ? null : placeOf(table, weighed, file);
  const rows = table.rows.map((row, i) =>
    places.map((place, k) => {
      const value = row[place]!;
      if (value.trim() === '')
        throw new Fault(
          'input',
          `${file}: row ${i + 2} has no "${named[k]}"; fill it in, or leave the column out: {"microdata": {"file": "${file}", "columns": […]}}.`,
        );
      return value;
    }),
  );
  const weights = at === null ? undefined : table.rows.map((row, i) => weightIn(row[at]!, `${file}: row ${i + 2}`));
  return { columns: named, rows, ...(weights === undefined ? {} : { weights }) };
}

/** Weights in a column with an unknown name would be read as an attribute instead of as weights. */
function refuseWeights(table: CsvTable, named: readonly string[], file: string): void {
  const place = (name: string) => table.columns.indexOf(name);
  const isNumber = (cell = '') => cell.trim() !== '' && Number.isFinite(Number(cell));
  const name = named.find((item) => weightName.test(item) && table.rows.every((row) => isNumber(row[place(item)])));
  if (name !== undefined)
    throw new Fault(
      'input',
      `${file}: the column "${name}" has numbers and looks like weights. Call it "weight", or write a specification: {"microdata": {"file": "${file}", "weight": "${name}"}}. To use it as an attribute of people, list it in "columns" instead.`,
    );
}

const weightName = /^(?:w|wts?|wgts?|pweights?|(?:survey|sample|design|final|person)[_ ]?(?:wts?|weights?))$/i;

function placeOf({ columns }: CsvTable, name: string, file: string): number {
  const place = columns.indexOf(name);
  if (place < 0) throw new Fault('input', `${file} has no column "${name}". It has ${columns.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
  return place;
}

export function weightIn(cell: string, where: string): number {
  const value = Number(cell);
  if (cell.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new Fault('input', `${where} must have a weight of 0 or more, but has "${cell}".`);
  return value;
}

/** A request of a plan, a suite, or a scene for people of a population. */
export interface PopulationDraw {
  readonly of: Json;
  readonly number: number;
  readonly seed: Seed;
  readonly exact: boolean;
}

const drawFields: Shape<PopulationDraw> = object<PopulationDraw>({
  of: required({ ...text, wanted: 'the name of a population, or a population' } as Shape<Json>),
  number: withDefault(whole(1, 1_000_000), 10),
  seed: withDefault(whole(0), 0),
  exact: withDefault(boolean, true),
});

/** The people drawn by `{"of": "./people.json", "number": 20, "seed": 1}`; a text alone is `of`. */
export async function drawPeople(input: Json, where: string, { cwd, trust }: NamingPlace): Promise<readonly Persona[]> {
  const wanted = typeof input === 'string' || (isObject(input) && !('of' in input)) ? { of: input } : input;
  const inline = isObject(wanted) && isObject(wanted['of']) ? wanted['of'] : null;
  const read = readAs(drawFields, inline === null ? wanted : { ...(wanted as JsonObject), of: 'inline' }, {
    where,
    called: 'a draw of people',
  });
  const specification = inline ?? (await findPopulation(read.of as string, cwd, trust));
  return samplePopulation(specification, read.number, read.seed, { exact: read.exact }).personas;
}

/** A scene whose characters may be people of a population: {"population": {"of": "./people.json", "number": 3}}. */
export async function withPeople(scene: Json, where: string, place: NamingPlace): Promise<Json> {
  if (!isObject(scene) || !Array.isArray(scene['characters'])) return scene;
  const characters = await Promise.all(
    scene['characters'].map(async (item): Promise<readonly Json[]> => {
      if (!isObject(item) || item['population'] === undefined) return [item];
      const { population, ...role } = item;
      return (await drawPeople(population as Json, where, place)).map((persona) => ({ ...role, persona: persona }));
    }),
  );
  return { ...scene, characters: characters.flat() };
}
