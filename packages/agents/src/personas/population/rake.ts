/**
 * @file Raking: the distribution over all combinations of attributes that has the target margins, excludes forbidden combinations, and
 * assumes nothing else (iterative proportional fitting; Deming and Stephan 1940).
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { attributesOf, type Constraint, isAllowed, type Margin, type Population } from './specification.ts';

/** Attributes that depend on each other, with a probability for each possible combination. */
export interface Component {
  readonly attributes: readonly string[];
  readonly cells: readonly (readonly string[])[];
  readonly shares: Float64Array;
}

const mostCells = 200_000;
const mostRounds = 2000;
/** The largest deviation at which shares count as met. */
const closeEnough = 1e-6;

/** Independent groups of attributes, each with its joint distribution. Contradictory targets are rejected. */
export function rake(population: Population): readonly Component[] {
  return groupsOf(population).map((attributes) => {
    const margins = population.margins.filter(({ of }) => attributes.includes(of[0] as string));
    const constraints = population.specification.constraints.filter((constraint) => attributes.includes(attributesOf(constraint)[0]));
    const cells = combinations(population, attributes, constraints);
    refuseTooSmall(attributes, cells, margins);
    return { attributes, cells, shares: fitCells(attributes, cells, margins, seedOf(population, attributes, cells)) };
  });
}

/** Attributes connected by a joint table, a constraint or a quota are in one group. */
function groupsOf({ values, margins, specification, counted }: Population): readonly (readonly string[])[] {
  const group = new Map([...values.keys()].map((name) => [name, new Set([name])]));
  const connect = (names: readonly string[]) => {
    const whole = new Set(names.flatMap((name) => [...(group.get(name) as Set<string>)]));
    for (const name of whole) group.set(name, whole);
  };
  if (counted !== null) connect(counted.of);
  for (const { of } of margins) connect(of);
  for (const condition of [...specification.constraints, ...specification.quotas]) connect(attributesOf(condition));
  return [...new Set(group.values())].map((names) => [...values.keys()].filter((name) => names.has(name)));
}

function combinations(
  { values, counted }: Population,
  attributes: readonly string[],
  constraints: readonly Constraint[],
): readonly (readonly string[])[] {
  // Microdata contain the only combinations of their columns; other attributes combine with all of them.
  const none: Pick<NonNullable<Population['counted']>, 'of' | 'cells'> = { of: [], cells: [[]] };
  const knownNames = counted?.of.every((name) => attributes.includes(name)) === true ? counted : none;
  const free = attributes.filter((name) => !knownNames.of.includes(name));
  const size = free.reduce((product, name) => product * (values.get(name) as readonly string[]).length, knownNames.cells.length);
  if (size > mostCells)
    throw new Fault(
      'input',
      `${attributes.join(', ')} depend on each other in ${size} combinations, but the limit is ${mostCells}. Connect fewer attributes.`,
    );
  let joined: (readonly string[])[] = [...knownNames.cells];
  for (const name of free) joined = joined.flatMap((cell) => (values.get(name) as readonly string[]).map((value) => [...cell, value]));
  const places = attributes.map((name) =>
    knownNames.of.includes(name) ? knownNames.of.indexOf(name) : knownNames.of.length + free.indexOf(name),
  );
  const cells = knownNames.of.length === 0 ? joined : joined.map((cell) => places.map((place) => cell[place]));
  const retainedCells = cells.filter((cell) => isAllowed(constraints, (name) => cell[attributes.indexOf(name)]));
  if (retainedCells.length === 0)
    throw new Fault('input', `The constraints on ${attributes.join(', ')} rule out every combination. Remove one of them.`);
  return retainedCells;
}

/** The starting point of raking: all combinations equal, or the microdata. */
function seedOf({ counted }: Population, attributes: readonly string[], cells: readonly (readonly string[])[]): Float64Array {
  const shares = new Float64Array(cells.length).fill(1 / cells.length);
  if (counted === null || !counted.of.every((name) => attributes.includes(name))) return shares;
  const weights = new Map(counted.cells.map((cell, i) => [cell.join('\u0000'), counted.weights[i]]));
  const places = counted.of.map((name) => attributes.indexOf(name));
  const match = shares.map((_, i) => weights.get(places.map((place) => cells[i]?.[place]).join('\u0000')) ?? 0);
  const total = match.reduce((sum, value) => sum + value, 0);
  return match.map((value) => value / total);
}

/** Rejects a share that cannot be met because its compatible combinations are too rare: raking alone would oscillate. */
function refuseTooSmall(attributes: readonly string[], cells: readonly (readonly string[])[], margins: readonly Margin[]): void {
  const groups = margins.map((margin) => {
    const index = new Map(margin.cells.map((cell, i) => [cell.values.join('\u0000'), i]));
    const places = margin.of.map((name) => attributes.indexOf(name));
    return cells.map((cell) => index.get(places.map((place) => cell[place]).join('\u0000')) ?? -1);
  });
  margins.forEach((margin, m) => {
    margins.forEach((other, o) => {
      if (m === o) return;
      const within = margin.cells.map(() => new Set<number>());
      cells.forEach((_, at) => {
        const [i, j] = [groups[m]?.[at] as number, groups[o]?.[at] as number];
        if (i >= 0 && j >= 0) within[i]?.add(j);
      });
      margin.cells.forEach((cell, i) => {
        const room = [...(within[i] ?? [])].reduce((sum, j) => sum + other.cells[j].share, 0);
        if (within[i]?.size === 0 || cell.share <= room + closeEnough) return;
        const partners = [...(within[i] ?? [])].map((j) => cellName(other, j)).join(' or ');
        throw new Fault(
          'input',
          `The shares and constraints cannot all hold: ${cellName(margin, i)} should have a share of ${cell.share.toPrecision(3)}, but it only occurs with ${partners}, which has ${room.toPrecision(3)}. Change one of them.`,
        );
      });
    });
  });
}

function fitCells(
  attributes: readonly string[],
  cells: readonly (readonly string[])[],
  margins: readonly Margin[],
  seed: Float64Array,
): Float64Array {
  const shares = seed;
  const targets = margins.map((margin) => {
    const places = margin.of.map((name) => attributes.indexOf(name));
    const index = new Map(margin.cells.map((cell, i) => [cell.values.join('\u0000'), i]));
    // Combinations missing from a joint table have probability zero.
    const of = cells.map((cell) => index.get(places.map((place) => cell[place]).join('\u0000')) ?? -1);
    return { margin, of };
  });
  for (const { margin, of } of targets)
    margin.cells.forEach((cell, i) => {
      if (cell.share > 0 && !of.includes(i))
        throw new Fault(
          'input',
          `${cellName(margin, i)} should have a share of ${cell.share.toPrecision(3)}, but the constraints rule it out. Change the share or the constraints.`,
        );
    });
  let worst = { error: Infinity, margin: 0, cell: 0 };
  // After convergence, some more rounds improve the precision, so that integer expectations become exact.
  for (let round = 0, extra = 0; round < mostRounds && worst.error > 1e-12 && extra < 200; round++) {
    if (worst.error <= closeEnough) extra++;
    worst = { error: 0, margin: 0, cell: 0 };
    targets.forEach(({ margin, of }, m) => {
      const sums = new Float64Array(margin.cells.length);
      of.forEach((i, at) => {
        if (i >= 0) sums[i] = sums[i] + shares[at];
      });
      margin.cells.forEach((cell, i) => {
        const error = Math.abs(cell.share - sums[i]);
        if (error > worst.error) worst = { error, margin: m, cell: i };
      });
      of.forEach((i, at) => {
        const sum = i < 0 ? 0 : sums[i];
        shares[at] = sum === 0 ? 0 : (shares[at] * margin.cells[i].share) / sum;
      });
    });
  }
  if (worst.error > closeEnough) {
    const { margin } = targets[worst.margin];
    throw new Fault(
      'input',
      `The shares and constraints cannot all hold: ${cellName(margin, worst.cell)} misses its target by ${worst.error.toPrecision(2)}. Change one of them.`,
    );
  }
  return shares;
}

function cellName({ of, cells }: Margin, cell: number): string {
  const { values } = cells[cell];
  return of.map((name, i) => `${name} "${values[i]}"`).join(' with ');
}
