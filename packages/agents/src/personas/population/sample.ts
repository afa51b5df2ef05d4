/**
 * @file Samples personas from a specification: seeded, with every margin and quota met exactly, and the achieved distribution reported next
 * to the target. In random mode, only quotas are exact.
 */

import { Fault, type Json, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Persona } from '../persona.ts';
import { chiSquare, type Fit } from './fit.ts';
import { personFrom } from './person.ts';
import { type Component, rake } from './rake.ts';
import { type Grouping, roundTable } from './rounding.ts';
import { attributesOf, type Margin, meets, type Population, type Quota, readSpecification } from './specification.ts';
import { rakeWeights, type SampleWeights, standardisedDifference } from './weights.ts';

export interface SampleReport {
  readonly of: readonly string[];
  readonly cells: readonly {
    readonly values: readonly string[];
    readonly target: number;
    readonly count: number;
    readonly share: number;
  }[];
  readonly fit: Fit;
  /** True if a quota uses some of these attributes, so that the fit is not random. */
  readonly quota: boolean;
  /** Every count is its target, rounded up or down. */
  readonly exact: boolean;
  /** The distance of the shares from their targets, in standard deviations; above 0.1 deserves attention. */
  readonly difference: number;
}

export interface SampleOptions {
  /** Whether every margin is met exactly, the default; otherwise people are drawn at random, and only quotas are met. */
  readonly exact?: boolean;
}

export interface PersonaSample {
  readonly personas: readonly Persona[];
  /** Each person's attributes, in the order of the personas. */
  readonly attributes: readonly Readonly<Record<string, string>>[];
  /** One for each attribute and joint table of the specification. */
  readonly report: readonly SampleReport[];
  /** Weights that match the sample to the target shares, and their cost. */
  readonly weighting: SampleWeights;
}

const most = 1_000_000;

/** Samples n personas from a specification. Every margin is met exactly by default. The same seed gives the same people. */
export function samplePopulation(specification: Json, n: number, seed: Seed, options: SampleOptions = {}): PersonaSample {
  if (!Number.isInteger(n) || n < 1 || n > most)
    throw new Fault('input', `A sample can have 1 to ${most} personas, but ${n} were requested.`);
  const population = readSpecification(specification);
  const attributes = sampleAttributes(population, n, seed, options);
  const used = new Set<string>();
  const personas = attributes.map((row, i) => personFrom(population.specification, row, { index: i, seed, taken: used }));
  const report = population.margins.map((margin) => marginReport(margin, attributes, population));
  return { personas, attributes, report, weighting: rakeWeights(attributes, population.margins) };
}

/** Only the attributes, without persons: n rows of the raked distribution, then adjusted to the quotas. */
export function sampleAttributes(
  population: Population,
  n: number,
  seed: Seed,
  { exact = true }: SampleOptions = {},
): readonly Readonly<Record<string, string>>[] {
  const rows = Array.from({ length: n }, () => ({}) as Record<string, string>);
  rake(population).forEach((component) => {
    const { quotas } = population.specification;
    const ownQuotas = quotas.filter((quota) => component.attributes.includes(attributesOf(quota)[0]));
    const margins = population.margins.filter(({ of }) => component.attributes.includes(of[0] as string));
    const selectedCells = exact ? exactCells(component, margins, { n, seed, bound: ownQuotas.length > 0 }) : drawCells(component, n, seed);
    const current = new Set(ownQuotas.flatMap(attributesOf));
    const retained = exact ? margins.flatMap(({ of }) => (of.some((name) => current.has(name)) ? [] : of)) : [];
    meetQuotas(component, selectedCells, { quotas: ownQuotas, kept: retained, seed });
    selectedCells.forEach((cell, i) => {
      component.attributes.forEach((name, k) => {
        rows[i][name] = component.cells[cell][k];
      });
    });
  });
  return rows;
}

function drawCells(component: Component, n: number, seed: Seed): number[] {
  const running = cumulative(component.shares);
  const dice = rng(seed, 'population', component.attributes.join('\u0000'));
  return Array.from({ length: n }, () => pick(running, dice.next()));
}

/** Every combination in proportion to its share, up to rounding, in random order. */
function exactCells(
  component: Component,
  margins: readonly Margin[],
  { n, seed, bound }: { n: number; seed: Seed; bound: boolean },
): number[] {
  const expected = component.shares.map((share) => share * n);
  const groupings = margins.map(({ of, cells }): Grouping => {
    const places = of.map((name) => component.attributes.indexOf(name));
    const index = new Map(cells.map((cell, i) => [cell.values.join('\u0000'), i]));
    const group = (cell: readonly string[]) => index.get(places.map((place) => cell[place]).join('\u0000')) ?? -1;
    return { of: Int32Array.from(component.cells, group), expected: Float64Array.from(cells, (cell) => cell.share * n) };
  });
  const { counts, off } = roundTable(expected, groupings, n, seed);
  if (off !== null && !bound) {
    const { of, cells } = margins[off.grouping];
    const { values, share } = cells[off.group];
    const where = of.map((name, i) => `${name} "${values[i]}"`).join(' with ');
    throw new Fault(
      'input',
      `No sample of ${n} people can match all shares exactly: ${where} should be ${(share * n).toFixed(2)} people, but is ${off.count}. Use another sample size, connect fewer attributes, or sample at random.`,
    );
  }
  const choice: number[] = [];
  counts.forEach((count, cell) => {
    for (let i = 0; i < count; i++) choice.push(cell);
  });
  return rng(seed, 'population', component.attributes.join('\u0000')).shuffle(choice);
}

/**
 * Exchanges people until every quota is met: replaces a surplus person by one drawn from where the quota needs more. If possible, both have
 * the same retained attributes, so that margins without a quota stay met.
 */
function meetQuotas(
  component: Component,
  choice: number[],
  { quotas, kept, seed }: { quotas: readonly Quota[]; kept: readonly string[]; seed: Seed },
): void {
  const n = choice.length;
  const places = kept.map((name) => component.attributes.indexOf(name));
  const likeness = component.cells.map((cell) => places.map((place) => cell[place]).join('\u0000'));
  const inside = quotas.map((quota) =>
    component.cells.map((cell) => meets(quota.where, (name) => cell[component.attributes.indexOf(name)])),
  );
  const wanted = quotas.map((quota) => quota.count ?? Math.round((quota.share as number) * n));
  const counts = inside.map((is) => choice.filter((cell) => is[cell]).length);
  const poolsOf = (members: readonly number[]) =>
    inside.map((is) => [true, false].map((side) => poolOf(component, members, (cell) => is[cell] === side)));
  const pools = poolsOf([...component.cells.keys()]);
  const alike = new Map(
    [...Map.groupBy(component.cells.keys(), (cell) => likeness[cell])].map(([like, ownItems]) => [like, poolsOf(ownItems)]),
  );
  const dice = rng(seed, 'quotas', component.attributes.join('\u0000'));
  for (let tries = 1000 + 50 * n * quotas.length; tries > 0; tries--) {
    const open = quotas.map((_, q) => q).filter((q) => counts[q] !== wanted[q]);
    if (open.length === 0) return;
    const q = dice.pick(open);
    const short = counts[q] < wanted[q];
    const side = short ? 0 : 1;
    if (pools[q][side].total === 0 || wanted[q] > n) break;
    const i = somebody(choice, (cell) => inside[q][cell] !== short, dice);
    const near = alike.get(likeness[choice[i]])![q][side];
    const pool = near.total > 0 ? near : pools[q][side];
    const next = pool.cells[pick(pool.running, dice.next())];
    const change = inside.map((is) => Number(is[next]) - Number(is[choice[i]]));
    const error = (shift: number) => counts.reduce((sum, count, k) => sum + Math.abs(count + shift * change[k] - wanted[k]), 0);
    if (error(1) > error(0)) continue;
    change.forEach((by, k) => {
      counts[k] = counts[k] + by;
    });
    choice[i] = next;
  }
  const unmet = quotas.findIndex((_, q) => counts[q] !== wanted[q]);
  if (unmet < 0) return;
  throw new Fault(
    'input',
    `The quotas cannot be met together with ${n} personas and the constraints: ${JSON.stringify(quotas[unmet].where)} should be ${wanted[unmet]}, but is ${counts[unmet]}. Change one of them.`,
  );
}

/** A random match, each equally likely: first by a few random tries, then by a complete search. */
function somebody(choice: readonly number[], fits: (cell: number) => boolean, dice: Rng): number {
  for (let tries = 0; tries < 50; tries++) {
    const i = dice.int(choice.length);
    if (fits(choice[i])) return i;
  }
  return dice.pick(choice.flatMap((cell, i) => (fits(cell) ? [i] : [])));
}

interface Pool {
  readonly cells: readonly number[];
  readonly running: Float64Array;
  readonly total: number;
}

/** The cells of one side of a quota that can occur, with their shares. */
function poolOf({ shares }: Component, among: readonly number[], belongs: (cell: number) => boolean): Pool {
  const members = among.filter((i) => belongs(i) && shares[i] > 0);
  const running = cumulative(Float64Array.from(members, (i) => shares[i]));
  return { cells: members, running, total: running.at(-1) ?? 0 };
}

function cumulative(shares: Float64Array): Float64Array {
  let sum = 0;
  return shares.map((share) => {
    sum += share;
    return sum;
  });
}

/** The first index whose running sum exceeds a fraction of the total: empty cells are never picked. */
function pick(running: Float64Array, fraction: number): number {
  const aim = fraction * (running.at(-1) as number);
  let low = 0;
  let high = running.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (running[middle] > aim) high = middle;
    else low = middle + 1;
  }
  return low;
}

function marginReport(
  { of, cells }: Margin,
  rows: readonly Readonly<Record<string, string>>[],
  { specification }: Population,
): SampleReport {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = of.map((name) => row[name]).join('\u0000');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const matches = cells.map((cell) => counts.get(cell.values.join('\u0000')) ?? 0);
  const current = new Set(specification.quotas.flatMap(attributesOf));
  return {
    of,
    cells: cells.map((cell, i) => ({
      values: cell.values,
      target: cell.share,
      count: matches[i],
      share: matches[i] / rows.length,
    })),
    fit: chiSquare(
      matches,
      cells.map((cell) => cell.share),
    ),
    quota: of.some((name) => current.has(name)),
    exact: cells.every((cell, i) => Math.abs(matches[i] - cell.share * rows.length) < 1 - 1e-9),
    difference: standardisedDifference(
      matches.map((count) => count / rows.length),
      cells.map((cell) => cell.share),
    ),
  };
}
