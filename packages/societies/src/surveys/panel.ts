/** @file Measures how a panel changes from wave to wave, comparing each person with themselves. */

import type { Instrument } from '../survey/instrument.ts';
import type { AnswerRow } from './answers.ts';
import { retest } from './checks.ts';
import { type DesignEstimate, designMean, designShare } from './tables.ts';

export interface PanelChange {
  readonly item: string;
  readonly from: string;
  readonly to: string;
  /** The number of people who answered in both waves, and of those who answered only in the first. */
  readonly people: number;
  readonly lost: number;
  /** The mean change on a scale, within people; null for other items. */
  readonly change: DesignEstimate | null;
  /** The share of people who changed their answer. */
  readonly changed: DesignEstimate;
  /** Absolute agreement of single answers on a scale (ICC(A,1)). */
  readonly icc: number | null;
}

/** Compares every closed item that two consecutive waves share. With more than two waves, also compares the first with the last. */
export function panelChanges({ items, waves }: Instrument, rows: readonly AnswerRow[]): readonly PanelChange[] {
  const names = waves.map(({ name }) => name);
  const pairs = names.slice(1).map((to, i) => [names[i], to] as const);
  if (names.length > 2) pairs.push([names[0], names[names.length - 1]]);
  return items
    .filter(({ kind }) => kind !== 'open')
    .flatMap(({ id, kind }) => pairs.flatMap(([from, to]) => changeOf({ item: id, kind, from, to }, rows)));
}

function changeOf(
  { item, kind, from, to }: Pick<PanelChange, 'item' | 'from' | 'to'> & Pick<AnswerRow, 'kind'>,
  rows: readonly AnswerRow[],
): readonly PanelChange[] {
  const of = (wave: string) =>
    new Map(rows.filter((row) => row.item === item && row.wave === wave && row.status === 'answered').map((row) => [row.person, row]));
  const [before, after] = [of(from), of(to)];
  const pairs = [...before.values()].flatMap((row) => {
    const later = after.get(row.person);
    return later === undefined ? [] : [[row, later] as const];
  });
  if (pairs.length < 2) return [];
  const isScale = kind === 'scale';
  return [
    {
      item,
      from,
      to,
      people: pairs.length,
      lost: before.size - pairs.length,
      change: isScale ? designMean(pairs.map(([a, b]) => ({ value: b.codes[0] - a.codes[0], weight: a.weight }))) : null,
      changed: designShare(pairs.map(([a, b]) => ({ value: a.codes.join() === b.codes.join() ? 0 : 1, weight: a.weight }))),
      icc: isScale ? retest(pairs.map(([a, b]) => [a.codes[0], b.codes[0]])).icc : null,
    },
  ];
}
