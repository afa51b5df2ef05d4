/** @file Compares two agents on the cells that both have played: same task, same seed, same seat, same other agents. */

import { Fault, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { type CompareOptions, type Comparison, type Contestant, compare } from '../statistics/compare.ts';
import type { Over } from '../statistics/estimator.ts';
import { type Observation, pairUp } from '../statistics/paired.ts';
import { type Summary, summaryOf } from '../statistics/summary.ts';
import { arePoints, type ScoreRow } from './row.ts';

/** An agent's result on one seat of a scene. */
export interface SeatStanding extends Summary {
  readonly scene: string;
  readonly seat: Seat;
  readonly agent: string;
  /** Episodes without a value. */
  readonly missing: number;
}

/** Seats that have a value, ordered by scene, agent and seat. */
export function seatStandings(rows: readonly ScoreRow[], over: Over): readonly SeatStanding[] {
  const unit = arePoints(rows);
  const groups = Map.groupBy(rows, ({ scene, agent, seat }) => JSON.stringify([scene, agent, seat]));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, scoreRows]) => {
      const { scene, agent, seat } = scoreRows[0];
      const summary = summaryOf(scoreRows, { over, unit });
      return summary === null ? [] : [{ scene, agent, seat, ...summary, missing: scoreRows.length - summary.values }];
    });
}

/** The rows of one side, under the name it goes by. */
export interface ContestSide {
  readonly name: string;
  readonly rows: readonly ScoreRow[];
}

/** Compares two sides by the means that every table shows, over the scenes that both have played. */
export function contest(a: ContestSide, b: ContestSide, options: CompareOptions = {}): Comparison {
  for (const { name, rows } of [a, b])
    if (rows.length === 0)
      throw new Fault('input', `No episode of ${name} to compare. Run "ludus list episodes" to see which agents have played.`, {
        code: 'E_NOT_FOUND',
      });
  const { left, right } = contestants(a, b);
  return compare(left, right, options);
}

/** The advantage of a over b in each pair of episodes, to show its distribution. */
export function differencesOf(a: ContestSide, b: ContestSide): readonly number[] {
  const { left, right } = contestants(a, b);
  return pairUp(left.results, right.results).pairs.map((pair) => pair.a - pair.b);
}

/**
 * Only what both have played: rows of the same task, seat and other agents. Sides gathered from several runs may have played different
 * things, and an easier seat that only one of them has played must not count for it.
 */
export function sharedRows(a: ContestSide, b: ContestSide): { readonly a: ContestSide; readonly b: ContestSide; readonly leftOut: number } {
  const place = placesWithout([a, b]);
  const kind = (row: ScoreRow) => JSON.stringify([row.scene, row.task, place(row)]);
  const kinds = ({ rows }: ContestSide) => new Set(rows.filter(({ value }) => value !== null).map(kind));
  const [mine, theirs] = [kinds(a), kinds(b)];
  const keepShared = ({ name, rows }: ContestSide): ContestSide => ({
    name,
    rows: rows.filter((row) => mine.has(kind(row)) && theirs.has(kind(row))),
  });
  const [left, right] = [keepShared(a), keepShared(b)];
  if (left.rows.length === 0 || right.rows.length === 0) return { a, b, leftOut: 0 };
  return { a: left, b: right, leftOut: a.rows.length + b.rows.length - left.rows.length - right.rows.length };
}

function contestants(a: ContestSide, b: ContestSide): { readonly left: Contestant; readonly right: Contestant } {
  const place = placesWithout([a, b]);
  const side = ({ name, rows }: ContestSide): Contestant => ({
    name,
    results: rows.map((row): Observation => {
      const { episode, scene, task, seed, value } = row;
      return { episode, scene, task, seed, value, place: place(row) };
    }),
  });
  return { left: side(a), right: side(b) };
}

/** The seat and the other agents of a row, without the two compared; when they played each other, each is the other's opponent. */
function placesWithout(sides: readonly ContestSide[]): (row: ScoreRow) => string {
  const names = new Set(sides.flatMap(({ rows }) => rows.map((row) => row.agent)));
  const companies = new Map<string, string>();
  const blurCompany = (company: string): string => {
    const knownCompany = companies.get(company);
    if (knownCompany !== undefined) return knownCompany;
    const others = Object.entries(JSON.parse(company) as Record<string, string>);
    const text = others.map(([seat, agent]) => `${seat}=${names.has(agent) ? '*' : agent}`).join(' ');
    companies.set(company, text);
    return text;
  };
  return ({ seat, company }) => `${seat} ${blurCompany(company)}`;
}
