/** @file A request for a dataset, and its rows: tables by the store's formats, and preferences by this package. */

import { Fault, type JsonObject, type Lesson, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { DatasetCard } from '@ludus-agents/store/internal/exports/card';
import type { Choice, EvalSplit, ExportEpisode, ExportTable, Filter, Leave, Wording } from '@ludus-agents/store/internal/exports/index';
import { choose, formats, plays } from '@ludus-agents/store/internal/exports/index';
import { dpoRow, ktoRows, preferenceNotes } from '@ludus-agents/store/internal/exports/trl';
import { desirabilities, type PreferenceOptions, preferencePairs } from '../rl/preference-pairs.ts';
import { preferences } from './formats.ts';

export interface DatasetRequest {
  readonly store: Store;
  readonly format: string;
  readonly filter: Filter;
  readonly split: EvalSplit;
  readonly wording?: Wording | undefined;
  /** How sides are compared, for preferences. */
  readonly preference: Omit<PreferenceOptions, 'evalShare' | 'seed'>;
  /** The creation time and the version. */
  readonly at: Date;
  readonly version: string;
  /** What was left out before, by reason. */
  readonly omitted?: Readonly<Record<string, number>>;
}

/** The inputs that determine the rows of some episodes. */
export type RowRequest = Pick<DatasetRequest, 'store' | 'format' | 'filter' | 'split' | 'wording' | 'preference'>;

/** A row with its table and its side of the split. */
export interface DatasetRow {
  readonly table: Pick<ExportTable, 'name' | 'columns'>;
  readonly split: 'train' | 'eval';
  readonly row: JsonObject;
}

/** Receives every used episode, and every item left out. */
export interface Ears {
  readonly provenance: DatasetCard;
  readonly leave: Leave;
}

export function notesOf(format: string): readonly string[] {
  return formats[format]?.notes ?? (format in preferences ? preferenceNotes : []);
}

/** The tables of a format, so that a file can be opened before its first row. */
export function tablesOf(format: string): readonly Pick<ExportTable, 'name' | 'columns'>[] {
  return formats[format]?.open() ?? [{ name: '' }];
}

/** The episodes of a request, each reported once. */
export async function* playsOf(
  order: DatasetRequest,
  ears?: Pick<Ears, 'leave'> & Partial<Ears>,
): AsyncGenerator<ExportEpisode, void, undefined> {
  const choices = await choose(order.store, order.filter);
  for await (const play of plays(order.store, choices, order, leaveDamaged(ears))) {
    ears?.provenance?.take(play);
    yield play;
  }
}

/** All rows of a request, in order. */
export async function* rowsOf(order: DatasetRequest, ears: Ears): AsyncGenerator<DatasetRow, void, undefined> {
  const maker = new RowMaker(order);
  const choices = await choose(order.store, order.filter);
  for (const portion of portionsFor(order.format, choices, { episodes: 100, events: 1000 })) {
    const rows: DatasetRow[] = [];
    await maker.make(portion, ears, (row) => rows.push(row));
    yield* rows;
  }
}

/**
 * Portions of the selected episodes, in row order. Episodes that are compared with each other share a portion, however many they are;
 * otherwise an episode longer than a portion has its own.
 */
export function* portionsFor(
  format: string,
  choices: readonly Choice[],
  most: { readonly episodes: number; readonly events: number },
): Generator<readonly Choice[], void, undefined> {
  const isCompared = format in preferences;
  const sorted = isCompared ? [...Map.groupBy(choices, ({ group }) => group).values()].flat() : choices;
  let [partialChoices, events]: [Choice[], number] = [[], 0];
  for (const choice of sorted) {
    const isFull = partialChoices.length >= most.episodes || (partialChoices.length > 0 && events + choice.events > most.events);
    if (isFull && !(isCompared && choice.group === partialChoices.at(-1)?.group)) {
      yield partialChoices;
      [partialChoices, events] = [[], 0];
    }
    partialChoices.push(choice);
    events += choice.events;
  }
  if (partialChoices.length > 0) yield partialChoices;
}

/** Builds the rows of a request, portion by portion. */
export class RowMaker {
  readonly #order: RowRequest;
  readonly #tables: readonly ExportTable[];

  constructor(order: RowRequest) {
    this.#order = order;
    const format = formats[order.format];
    if (format === undefined && !(order.format in preferences)) throw new Fault('input', `No rows match the format "${order.format}".`);
    this.#tables = format?.open() ?? [];
  }

  async make(choices: readonly Choice[], ears: Ears, take: (row: DatasetRow) => void): Promise<void> {
    if (this.#order.format in preferences) {
      await this.#compare(choices, ears, take);
      return;
    }
    for await (const play of plays(this.#order.store, choices, this.#order, leaveDamaged(ears))) {
      ears.provenance.take(play);
      for (const table of this.#tables) for (const row of table.rows(play, ears.leave)) take({ table, split: play.split, row });
    }
  }

  /** Compares the episodes of one task and seed, then releases them. */
  async #compare(choices: readonly Choice[], ears: Ears, take: (row: DatasetRow) => void): Promise<void> {
    const groups = new Map(choices.map(({ id, group }) => [id, group]));
    let [current, lessons]: [string | undefined, Lesson[]] = [undefined, []];
    // The store is read across groups, because a group may be a single episode.
    for await (const play of plays(this.#order.store, choices, this.#order, leaveDamaged(ears))) {
      const group = groups.get(play.record.id);
      if (group !== current) {
        this.#prefer(lessons, ears, take);
        [current, lessons] = [group, []];
      }
      ears.provenance.take(play);
      lessons.push(...lessonsIn(play));
    }
    this.#prefer(lessons, ears, take);
  }

  #prefer(lessons: readonly Lesson[], ears: Ears, take: (row: DatasetRow) => void): void {
    if (lessons.length === 0) return;
    const { format, split, preference } = this.#order;
    const options = { ...preference, evalShare: split.evalShare, seed: split.seed };
    if (format === 'trl-kto') {
      const { made, left } = desirabilities(lessons, options);
      tell(ears, left);
      for (const judged of made) for (const row of ktoRows(judged)) take({ table: only, split: judged.split, row });
      return;
    }
    const { made, left } = preferencePairs(lessons, options);
    tell(ears, left);
    for (const pair of made) {
      const row = dpoRow(pair, ears.leave);
      if (row !== null) take({ table: only, split: pair.split, row });
    }
  }
}

const only = { name: '' };

/** Lessons contain scores by name, including "return" if the environment gives rewards. */
function lessonsIn({ record, events, seats, scores, masked }: ExportEpisode): readonly Lesson[] {
  const episode = { id: record.id, events };
  return seats.map((seat): Lesson => {
    return { episode, seat, scores, ...(masked !== undefined && { masked: masked[seat] as ReadonlySet<number> }) };
  });
}

/** Reports items left out, except token rows, which these rows do not contain. */
function tell({ leave }: Ears, left: Readonly<Record<string, number>>): void {
  for (const [why, count] of Object.entries(left)) if (!why.startsWith('rows')) for (let i = 0; i < count; i++) leave(why);
}

/** The prefix of the reason for leaving out an episode with an unreadable log. */
const damagedMark = 'damaged episode ';

/** Undefined in a second pass over the same episodes, which has already reported damaged ones. */
const leaveDamaged = (ears: Pick<Ears, 'leave'> | undefined) => (episode: string, problem: string) =>
  ears?.leave(`${damagedMark}${episode}: ${problem}`);

/** Counts items left out, by reason. */
export function countLeft(left: Record<string, number>): Pick<Ears, 'leave'> {
  return {
    leave: (why) => {
      left[why] = (left[why] ?? 0) + 1;
    },
  };
}

/** Whether any item was left out because it is damaged. */
export function hasDamaged(left: Readonly<Record<string, number>>): boolean {
  return Object.keys(left).some((why) => why.startsWith(damagedMark));
}
