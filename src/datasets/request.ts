/** @file A request for a dataset, and its rows: tables made by the store's formats, and preferences by learning. */

import { Fault, type JsonObject, type Lesson, type Store } from '../core/index.ts';
import { desirabilities, type PreferenceOptions, preferencePairs } from '../learning/rl/preference-pairs.ts';
import type { DatasetCard } from '../store/exports/card.ts';
import {
  choose,
  type EvalSplit,
  type ExportEpisode,
  type ExportTable,
  type Filter,
  formats,
  type Leave,
  plays,
  type Wording,
} from '../store/exports/index.ts';
import { dpoRow, ktoRows, preferenceNotes } from '../store/exports/trl.ts';

export interface DatasetRequest {
  readonly store: Store;
  readonly format: string;
  readonly filter: Filter;
  readonly split: EvalSplit;
  readonly wording?: Wording | undefined;
  /** What sides are compared by, for preferences. */
  readonly preference: Omit<PreferenceOptions, 'evalShare' | 'seed'>;
  /** When it is made, and by which version. */
  readonly at: Date;
  readonly version: string;
}

/** A row on its way to the table and the side of the split it belongs to. */
export interface DatasetRow {
  readonly table: Pick<ExportTable, 'name' | 'columns'>;
  readonly split: 'train' | 'eval';
  readonly row: JsonObject;
}

/** Called for every episode that is used, and for what is left out. */
export interface Ears {
  readonly provenance: DatasetCard;
  readonly leave: Leave;
}

const preferences: Readonly<Record<string, string>> = {
  'trl-dpo': 'TRL preference rows: the better and the worse of two first words after the same prompt',
  'trl-kto': 'TRL rows with a label: one for each message of a seat, good or bad by how its episode came out',
};

/** Every format whose rows can be written line by line or as parquet. */
export const rowFormats: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(formats).map(([name, { about }]) => [name, about])),
  ...preferences,
};

export function notesOf(format: string): readonly string[] {
  return formats[format]?.notes ?? (format in preferences ? preferenceNotes : []);
}

/** The tables of a format, so that a file can be begun before its first row. */
export function tablesOf(format: string): readonly Pick<ExportTable, 'name' | 'columns'>[] {
  return formats[format]?.open() ?? [{ name: '' }];
}

/** The episodes of a request, each reported once. */
export async function* playsOf(order: DatasetRequest, ears?: Ears): AsyncGenerator<ExportEpisode, void, undefined> {
  const choices = await choose(order.store, order.filter);
  for await (const play of plays(order.store, choices, order)) {
    ears?.provenance.take(play);
    yield play;
  }
}

export async function* rowsOf(order: DatasetRequest, ears: Ears): AsyncGenerator<DatasetRow, void, undefined> {
  if (order.format in preferences) {
    yield* readPreferences(order, ears);
    return;
  }
  const format = formats[order.format];
  if (format === undefined) throw new Fault('input', `There are no rows in the format "${order.format}".`);
  const opened = format.open();
  for await (const play of playsOf(order, ears))
    for (const table of opened) for (const row of table.rows(play, ears.leave)) yield { table, split: play.split, row };
}

const only = { name: '' };

/** Episodes of one task and seed are compared with each other; then they are let go. */
async function* readPreferences(order: DatasetRequest, ears: Ears): AsyncGenerator<DatasetRow, void, undefined> {
  const { evalShare, seed } = order.split;
  const options = { ...order.preference, evalShare, seed };
  for await (const lessons of groupsOf(order, ears)) {
    if (order.format === 'trl-kto') {
      const { made, left } = desirabilities(lessons, options);
      tell(ears, left);
      for (const judged of made) for (const row of ktoRows(judged)) yield { table: only, split: judged.split, row };
    } else {
      const { made, left } = preferencePairs(lessons, options);
      tell(ears, left);
      for (const pair of made) {
        const row = dpoRow(pair, ears.leave);
        if (row !== null) yield { table: only, split: pair.split, row };
      }
    }
  }
}

/** The lessons of one group of comparable episodes after the other; the store is read across groups, which may be as small as one episode. */
async function* groupsOf(order: DatasetRequest, { provenance }: Ears): AsyncGenerator<readonly Lesson[], void, undefined> {
  const choices = await choose(order.store, order.filter);
  const groups = Map.groupBy(choices, (choice) => choice.group);
  const groupById = new Map(choices.map(({ id, group }) => [id, group]));
  let [current, lessons]: [string | undefined, Lesson[]] = [undefined, []];
  for await (const play of plays(order.store, [...groups.values()].flat(), order)) {
    const group = groupById.get(play.record.id);
    if (group !== current && lessons.length > 0) yield lessons;
    if (group !== current) [current, lessons] = [group, []];
    provenance.take(play);
    lessons.push(...lessonsIn(play));
  }
  if (lessons.length > 0) yield lessons;
}

/** Lessons have scores by name: where an environment pays, "return" is one of them. */
function lessonsIn({ record, events, seats, scores, masked }: ExportEpisode): readonly Lesson[] {
  const episode = { id: record.id, events };
  return seats.map((seat): Lesson => {
    return { episode, seat, scores, ...(masked !== undefined && { masked: masked[seat] as ReadonlySet<number> }) };
  });
}

/** What has no part in any row of words is not missed in one. */
function tell({ leave }: Ears, left: Readonly<Record<string, number>>): void {
  for (const [why, count] of Object.entries(left)) if (!why.startsWith('rows')) for (let i = 0; i < count; i++) leave(why);
}
