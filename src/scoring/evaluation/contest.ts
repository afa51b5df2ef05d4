/** @file Two agents held against each other on the places that both have taken: same task, same seed, same seat, same company. */

import { Fault } from '../../core/index.ts';
import { type CompareOptions, type Comparison, type Contestant, compare } from '../statistics/compare.ts';
import { type Observation, pairUp } from '../statistics/paired.ts';
import type { Row } from './row.ts';

/** The rows of one side, under the name it goes by. */
export interface Side {
  readonly name: string;
  readonly rows: readonly Row[];
}

/**
 * Compares two sides. Where they share places, only those count: an agent that also played an easier seat gains nothing by it. Where they
 * share none, all rows are compared unpaired, and the words say so.
 */
export function contest(a: Side, b: Side, options: CompareOptions = {}): Comparison {
  for (const { name, rows } of [a, b])
    if (rows.length === 0)
      throw new Fault('input', `There is no episode of ${name} to compare; "ludus list episodes" shows who has played.`);
  const { left, right, dropped } = comparable(a, b);
  const found = compare(left, right, options);
  return { ...found, unpaired: found.unpaired + dropped };
}

/** What a took more than b on each task and seed that both have, for whoever wants to see how it is spread. */
export function differencesOf(a: Side, b: Side): readonly number[] {
  const { left, right } = comparable(a, b);
  return pairUp(left.results, right.results).pairs.map((pair) => pair.a - pair.b);
}

/** The two as they are compared, and how many places only one of them has taken. */
function comparable(a: Side, b: Side): { readonly left: Contestant; readonly right: Contestant; readonly dropped: number } {
  const place = placesWithout([a, b]);
  const [mine, theirs] = [new Set(valued(a).map(place)), new Set(valued(b).map(place))];
  const shared = new Set([...mine].filter((one) => theirs.has(one)));
  const kept = ({ name, rows }: Side): Contestant => ({
    name,
    results: rows.filter((row) => row.value === null || shared.size < 2 || shared.has(place(row))).map(observation),
  });
  return { left: kept(a), right: kept(b), dropped: shared.size < 2 ? 0 : mine.size + theirs.size - 2 * shared.size };
}

function valued({ rows }: Side): readonly Row[] {
  return rows.filter((row) => row.value !== null);
}

function observation({ task, seed, value }: Row): Observation {
  return { task, seed, value };
}

/** Everything about a row but who of the two it was; when they met each other, the one's company is the other. */
function placesWithout(sides: readonly Side[]): (row: Row) => string {
  const names = new Set(sides.flatMap(({ rows }) => rows.map((row) => row.agent)));
  const companies = new Map<string, string>();
  const blurred = (company: string): string => {
    const known = companies.get(company);
    if (known !== undefined) return known;
    const others = Object.entries(JSON.parse(company) as Record<string, string>);
    const text = others.map(([seat, agent]) => `${seat}=${names.has(agent) ? '*' : agent}`).join(' ');
    companies.set(company, text);
    return text;
  };
  return ({ task, seed, seat, company }) => `${seed} ${seat} ${blurred(company)} ${task}`;
}
