/**
 * @file The specification of a population: shares, joint tables, constraints, and quotas over named attributes, parsed with every problem
 * reported.
 */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { brief, isObject } from '@ludus-agents/kernel/internal/core/json';
import {
  anything,
  either,
  list,
  number,
  object,
  optional,
  readAs,
  record,
  required,
  type Shape,
  some,
  text,
  withDefault,
  withRule,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { traits as allTraits } from '../form.ts';
import type { Trait } from '../persona.ts';

/** Required attribute values: one, or any of several. */
export type PopulationFilter = Readonly<Record<string, string | readonly string[]>>;

export interface Joint {
  readonly of: readonly string[];
  /** Weights by the values of `of`, nested in that order. */
  readonly table: JsonObject;
}

/** `never`: these values must not occur together. `if` and `must`: a person who meets `if` must also meet `must`. */
export type Constraint = { readonly never: PopulationFilter } | { readonly if: PopulationFilter; readonly must: PopulationFilter };

/** An exact part of a sample, as a count or a share. */
export interface Quota {
  readonly where: PopulationFilter;
  readonly count?: number;
  readonly share?: number;
}

/** Counted people: the values of each, and the number of people each one represents. */
export interface Microdata {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** One for each row; all 1 if omitted. */
  readonly weights?: readonly number[];
}

/** The same in a file, loaded by `loadPopulation`. */
export type MicrodataFile = {
  readonly file: string;
  readonly weight?: string;
  readonly columns?: readonly string[];
};

export interface Specification {
  readonly name: string;
  /** Observed people: the table that is raked to the shares and joint tables; without targets, it is the population itself. */
  readonly microdata?: Microdata | MicrodataFile;
  /** Each attribute's values with their weights, which may have any sum. */
  readonly attributes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly joints: readonly Joint[];
  readonly constraints: readonly Constraint[];
  readonly quotas: readonly Quota[];
  /** Big Five scores, normally distributed and cut off at 0 and 100. */
  readonly traits: { readonly [T in Trait]?: { readonly mean: number; readonly sd: number } };
  /** Sentences with {name} and {attribute} in braces, one statement each for every persona. */
  readonly statements: readonly string[];
  /** First names by gender (`any` for all others) and family names under `family`. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Fields that all personas share. */
  readonly base: JsonObject;
}

/** An attribute in braces. */
export const placeholder = /\{([^{}]+)\}/g;

const weight = number(0, Number.MAX_VALUE);
const moments = object<{ mean: number; sd: number }>({ mean: withDefault(number(0, 100), 50), sd: withDefault(number(0, 100), 15) });

const filter: Shape<PopulationFilter> = record(
  either<string | readonly string[]>('a value or a list of values', text, list(text, { from: 1 })),
);

const joint = object<Joint>({
  of: required(list(words, { from: 1 }), 'attributes, in the order in which the table nests'),
  table: required(record(anything), 'weights by the values of these attributes'),
});

const constraint: Shape<Constraint> = either<Constraint>(
  '{"never": {…}} or {"if": {…}, "must": {…}}',
  object<{ never: PopulationFilter }>({ never: required(filter) }),
  object<{ if: PopulationFilter; must: PopulationFilter }>({ if: required(filter), must: required(filter) }),
);

const quota: Shape<Quota> = withRule(
  'an object with "where" and either a count or a share',
  object<Quota>({ where: required(filter), count: optional(number(0, 10_000_000)), share: optional(number(0, 1)) }),
  ({ count, share }) => (count === undefined) !== (share === undefined),
);

const microdata: Shape<Microdata | MicrodataFile> = either<Microdata | MicrodataFile>(
  '{"file": "people.csv"}, or columns and rows',
  object<Microdata>({
    columns: required(list(words, { from: 1 }), 'attributes, in the order of the rows'),
    rows: required(list(list(text), { from: 1 }), 'the values of each person'),
    weights: optional(list(weight), 'how many people each row represents'),
  }),
  object<MicrodataFile>({
    file: required(words, 'comma-separated values, next to this file'),
    weight: optional(words, 'the column with the number of people a row represents'),
    columns: optional(list(words, { from: 1 }), 'the columns that are attributes; all others unless set'),
  }),
);

export const populationShape: Shape<Specification> = object<Specification>(
  {
    name: withDefault(words, 'population'),
    attributes: withDefault(record(record(weight)), {}, 'values with their weights, which need not add up to anything'),
    joints: withDefault(list(joint), [], 'weights of combinations of attributes'),
    microdata: optional(microdata, 'people as they were counted, raked to the shares and joint tables'),
    constraints: withDefault(list(constraint), []),
    quotas: withDefault(list(quota), [], 'the exact number in a sample'),
    traits: withDefault(some(allTraits, moments), {}, 'Big Five scores: normal, cut off at 0 and 100'),
    statements: withDefault(list(text), [], 'sentences with {name} and {attribute} in braces'),
    names: withDefault(record(list(words)), {}, 'first names by gender ("any" for all others), family names under "family"'),
    base: withDefault(record(anything), {}, 'fields that all personas share'),
  },
  { document: true },
);

/** A target over some attributes: one share for each combination of their values. */
export interface Margin {
  readonly of: readonly string[];
  readonly cells: readonly { readonly values: readonly string[]; readonly share: number }[];
}

/** A validated specification, with its targets as margins and each attribute's values in order. */
export interface Population {
  readonly specification: Specification;
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly margins: readonly Margin[];
  /** Combinations of the microdata with their weights, or null. */
  readonly counted: {
    readonly of: readonly string[];
    readonly cells: readonly (readonly string[])[];
    readonly weights: readonly number[];
  } | null;
}

export function readSpecification(input: Json): Population {
  if (!isObject(input))
    throw new Fault(
      'input',
      `A population must be an object such as {"attributes": {"gender": {"female": 1, "male": 1}}}, but got ${brief(input)}.`,
    );
  const specification = readAs(populationShape, input, { where: 'This is not a valid population', called: 'a population' });
  const counted = countMicrodata(specification.microdata);
  const wanted = [
    ...Object.entries(specification.attributes).map(([name, weights]) =>
      marginAsWritten(
        [name],
        Object.entries(weights).map(([value, share]) => ({ values: [value], share })),
      ),
    ),
    ...specification.joints.map((joint) =>
      marginAsWritten(joint.of, cellsOf(joint.table, joint.of.length, `joints ${joint.of.join(' × ')}`)),
    ),
  ];
  const isBound = wanted.some(({ of }) => of.some((name) => counted?.of.includes(name)));
  const margins = counted === null || isBound ? wanted : [...wanted, ...counted.of.map((name) => marginFromCounts(counted, name))];
  const values = new Map<string, string[]>();
  for (const [i, name] of (counted?.of ?? []).entries()) values.set(name, [...new Set(counted?.cells.map((cell) => cell[i]))]);
  for (const { of, cells } of margins)
    for (const cell of cells)
      of.forEach((name, i) => {
        const knownNames = values.get(name) ?? [];
        if (!knownNames.includes(cell.values[i])) knownNames.push(cell.values[i]);
        values.set(name, knownNames);
      });
  if (values.size === 0) throw new Fault('input', 'A population needs at least one attribute or joint table, but this one has none.');
  for (const where of conditionsOf(specification)) checkWhere(where, values);
  for (const template of specification.statements) checkTemplate(template, values);
  return { specification, values, margins, counted };
}

/** Equal rows become one cell, with their total weight. */
function countMicrodata(data: Specification['microdata']): Population['counted'] {
  if (data === undefined) return null;
  if ('file' in data)
    throw new Fault('input', `The microdata are in the file ${data.file}. Load it with loadPopulation, or pass columns and rows.`);
  const { columns, rows, weights } = data;
  if (new Set(columns).size < columns.length)
    throw new Fault('input', `The microdata have two columns with the same name: ${columns.join(', ')}.`);
  if (weights !== undefined && weights.length !== rows.length)
    throw new Fault('input', `The microdata need a weight for each row, but have ${rows.length} rows and ${weights.length} weights.`);
  const cells = new Map<string, { readonly cell: readonly string[]; weight: number }>();
  rows.forEach((row, i) => {
    if (row.length !== columns.length)
      throw new Fault('input', `Row ${i + 1} of the microdata has ${row.length} values, but there are ${columns.length} columns.`);
    const key = row.join('\u0000');
    const matchingCell = cells.get(key) ?? { cell: row, weight: 0 };
    matchingCell.weight += weights?.[i] ?? 1;
    cells.set(key, matchingCell);
  });
  const all = [...cells.values()];
  if (!all.some((item) => item.weight > 0)) throw new Fault('input', 'The weights of the microdata must add up to more than 0.');
  return { of: columns, cells: all.map((item) => item.cell), weights: all.map((item) => item.weight) };
}

/** The shares of a column in the data. */
function marginFromCounts(counted: NonNullable<Population['counted']>, name: string): Margin {
  const place = counted.of.indexOf(name);
  const sums = new Map<string, number>();
  counted.cells.forEach((cell, i) => {
    const value = cell[place];
    sums.set(value, (sums.get(value) ?? 0) + counted.weights[i]);
  });
  return marginOf(
    [name],
    [...sums].map(([value, share]) => ({ values: [value], share })),
  );
}

/** Whether a set of values meets a condition. */
export function meets(where: PopulationFilter, of: (attribute: string) => string | undefined): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    const value = of(name);
    return value !== undefined && (typeof wanted === 'string' ? wanted === value : wanted.includes(value));
  });
}

export function isAllowed(constraints: readonly Constraint[], of: (attribute: string) => string | undefined): boolean {
  return constraints.every((constraint) =>
    'never' in constraint ? !meets(constraint.never, of) : !meets(constraint.if, of) || meets(constraint.must, of),
  );
}

/** The attributes of a condition. */
export function attributesOf(constraint: Constraint | Quota): readonly string[] {
  if ('where' in constraint) return Object.keys(constraint.where);
  return 'never' in constraint ? Object.keys(constraint.never) : [...Object.keys(constraint.if), ...Object.keys(constraint.must)];
}

function conditionsOf({ constraints, quotas }: Specification): readonly PopulationFilter[] {
  return [
    ...constraints.flatMap((constraint) => ('never' in constraint ? [constraint.never] : [constraint.if, constraint.must])),
    ...quotas.map((quota) => quota.where),
  ];
}

function checkWhere(where: PopulationFilter, values: ReadonlyMap<string, readonly string[]>): void {
  if (Object.keys(where).length === 0) throw new Fault('input', 'A condition must name at least one attribute, but this one is empty.');
  for (const [name, wanted] of Object.entries(where)) {
    const knownNames = values.get(name);
    if (knownNames === undefined)
      throw new Fault(
        'input',
        `A condition names the attribute "${name}", but the population has ${[...values.keys()].join(', ')}.${didYouMean(name, [...values.keys()])}`,
      );
    for (const value of [wanted].flat())
      if (!knownNames.includes(value as string))
        throw new Fault(
          'input',
          `A condition names ${brief(value as Json)} for "${name}", but its values are ${knownNames.map((item) => `"${item}"`).join(', ')}.${didYouMean(value, knownNames)}`,
        );
  }
}

/** A word in braces that is not an attribute would appear unchanged in every statement. */
function checkTemplate(template: string, values: ReadonlyMap<string, unknown>): void {
  for (const [, name = ''] of template.matchAll(placeholder))
    if (name !== 'name' && !values.has(name))
      throw new Fault(
        'input',
        `The statement ${brief(template)} uses {${name}}. Available: {${['name', ...values.keys()].join('}, {')}}.${didYouMean(name, ['name', ...values.keys()])}`,
      );
}

function cellsOf(table: Json, depth: number, path: string): readonly { readonly values: readonly string[]; readonly share: number }[] {
  if (depth === 0) {
    if (typeof table !== 'number' || table < 0) throw new Fault('input', `${path} must be a weight of 0 or more, but got ${brief(table)}.`);
    return [{ values: [], share: table }];
  }
  if (!isObject(table)) throw new Fault('input', `${path} must be an object of weights, but got ${brief(table)}.`);
  return Object.entries(table).flatMap(([value, inner]) =>
    cellsOf(inner, depth - 1, `${path}.${value}`).map((cell) => ({ values: [value, ...cell.values], share: cell.share })),
  );
}

function marginOf(of: readonly string[], cells: Margin['cells']): Margin {
  const total = cells.reduce((sum, cell) => sum + cell.share, 0);
  if (!(total > 0) || total === Infinity)
    throw new Fault('input', `The weights of ${of.join(' × ')} must add up to more than 0, but add up to ${total}.`);
  return { of, cells: cells.map((cell) => ({ ...cell, share: cell.share / total })) };
}

/** The same for a margin from a file, with a warning if the shares look mistaken. */
function marginAsWritten(of: readonly string[], cells: Margin['cells']): Margin {
  const margin = marginOf(of, cells);
  warnOfShares(
    of,
    cells.map(({ share }) => share),
  );
  return margin;
}

/**
 * Warns of fractions that almost sum to 1, or numbers that almost sum to 100, beyond rounding: weights may have any sum, but these were
 * meant as shares.
 */
function warnOfShares(of: readonly string[], shares: readonly number[]): void {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const isFractions = shares.every((share) => share <= 1);
  if (isFractions && shares.every(Number.isInteger)) return;
  const whole = isFractions ? 1 : 100;
  const missed = Math.abs(total / whole - 1);
  if (shares.length < 2 || missed > (isFractions ? 0.5 : 0.2) || missed <= 0.005 * shares.length) return;
  const sentence = `The ${isFractions ? 'shares' : 'weights'} of ${of.join(' × ')} add up to ${Number(total.toPrecision(3))}, not to ${whole}, and are scaled; ${isFractions ? 'whole numbers are taken as weights' : 'if they are percentages, correct them'}.`;
  if (observation.has(sentence)) return;
  observation.add(sentence);
  process.emitWarning(sentence, 'PopulationWarning');
}

/** A command parses a population several times, but reports its errors once. */
const observation = new Set<string>();
