/** @file The answers of a survey as one tidy table: a row for each person and item, with the person's attributes and weight. */

import { currentRecords } from '@ludus-agents/evaluation/internal/current-versions';
import { type EpisodeEvent, isObject, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { Instrument, ItemKind, SurveyItem } from '../survey/instrument.ts';
import type { AnswerStatus, SurveyAnswer } from '../survey/sitting.ts';
import type { SurveyPlan } from './plan.ts';

/** "missing" if a budget, a failure, or a stop kept a person from answering the item. */
export type RowStatus = AnswerStatus | 'missing';

export interface AnswerRow {
  readonly person: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly weight: number;
  readonly ballot: string;
  /** The wave of a panel. Empty if people are asked once. */
  readonly wave: string;
  readonly item: string;
  readonly kind: ItemKind;
  readonly status: RowStatus;
  /** Numbers of the options, in rank order for a ranking. */
  readonly codes: readonly number[];
  /** The text of the options, or of an open answer. */
  readonly answer: string;
  /** The position in the order of asking, from 1; null if the item was not asked. */
  readonly place: number | null;
  /** Numbers of all options in the order shown. */
  readonly shown: readonly number[];
  readonly episode: string;
}

type Note = {
  readonly ballot: string;
  readonly answers: readonly SurveyAnswer[];
};

/** The part of a survey's plan that is needed to read answers. */
type Asked = Pick<SurveyPlan, 'run' | 'instrument'> & {
  readonly people: Pick<SurveyPlan['people'], 'personas' | 'attributes'> & {
    readonly weighting: Pick<SurveyPlan['people']['weighting'], 'weights'>;
  };
};

/**
 * Reads all rows of a survey from a store, with people and items in order. The log says who answered, so the plan isn't needed to look this
 * up.
 */
export async function readAnswers({ run, instrument, people }: Asked, store: Store): Promise<readonly AnswerRow[]> {
  const matches = new Map<string, { readonly episode: string; readonly note: Note | null }>();
  const episodes: string[] = [];
  for await (const { id } of currentRecords(store, run)) episodes.push(id);
  for (const episode of episodes.reverse()) {
    const events = await store.events(episode);
    const [start] = events;
    const person = start?.kind === 'start' ? (start.cast['respondent'] ?? '') : '';
    const note = noteIn(events);
    // A person may have failed once and answered on a retry.
    if (note !== null || !matches.has(person)) matches.set(person, { episode, note });
  }
  return people.personas.flatMap((persona, i) => {
    const { episode = '', note = null } = matches.get(persona.id) ?? {};
    const who = {
      person: persona.id,
      name: persona.name,
      attributes: people.attributes[i] ?? {},
      weight: people.weighting.weights[i] ?? 1,
      ballot: note?.ballot ?? '',
      episode,
    };
    return rowsOf(instrument, note).map((row) => ({ ...who, ...row }));
  });
}

function noteIn(events: readonly EpisodeEvent[]): Note | null {
  for (const event of events.toReversed())
    if (
      event.kind === 'message' &&
      event.to.length === 0 &&
      isObject(event.data as Json) &&
      (event.data as { survey?: Json }).survey !== undefined
    )
      return (event.data as { survey: Note }).survey;
  return null;
}

type Given = Pick<AnswerRow, 'wave' | 'item' | 'kind' | 'status' | 'codes' | 'answer' | 'place' | 'shown'>;

function rowsOf({ items, waves }: Instrument, note: Note | null): readonly Given[] {
  const requests =
    waves.length === 0
      ? items.map((item) => ({ item, wave: '' }))
      : waves.flatMap(({ name, items: ids }) =>
          items.filter(({ id }) => ids.length === 0 || ids.includes(id)).map((item) => ({ item, wave: name })),
        );
  return requests.map(({ item, wave }): Given => {
    const surveyAnswer = note?.answers.find((answer) => answer.item === item.id && (answer.wave ?? '') === wave);
    const common = { wave, item: item.id, kind: item.kind };
    if (surveyAnswer === undefined) return { ...common, status: 'missing', codes: [], answer: '', place: null, shown: [] };
    const { status, codes, shown, place } = surveyAnswer;
    return {
      wave,
      item: item.id,
      kind: item.kind,
      status,
      codes,
      answer: wordsOf(item, surveyAnswer),
      place: status === 'skipped' ? null : place,
      shown,
    };
  });
}

function wordsOf(item: SurveyItem, { codes, text }: SurveyAnswer): string {
  return item.kind === 'open' ? text : codes.map((code) => item.options[code - 1]).join('; ');
}

const before = ['person', 'name'] as const;
/** The table has a column "wave" if there are waves. */
const after = ['weight', 'ballot', 'wave', 'item', 'kind', 'status', 'code', 'answer', 'place', 'shown', 'episode'] as const;

/** Returns the columns of the table. An attribute with the name of another column gets an underscore. */
export function answerColumns(rows: readonly AnswerRow[]): { readonly columns: readonly string[]; readonly attributes: readonly string[] } {
  const attributes = Object.keys(rows[0]?.attributes ?? {});
  const used: readonly string[] = [...before, ...after];
  const ownItems = attributes.map((name) => (used.includes(name) ? `${name}_` : name));
  return { attributes, columns: [...before, ...ownItems, ...after.filter((name) => name !== 'wave' || hasWaves(rows))] };
}

function hasWaves(rows: readonly AnswerRow[]): boolean {
  return (rows[0]?.wave ?? '') !== '';
}

/** Returns the cells of one row, in column order. */
export function answerCells(row: AnswerRow, attributes: readonly string[]): readonly Json[] {
  const { person, name, weight, ballot, wave, item, kind, status, codes, answer, place, shown, episode } = row;
  const code = codes.length === 1 ? codes[0] : codes.join(' ');
  return [
    ...[person, name, ...attributes.map((attribute) => row.attributes[attribute] ?? null)],
    ...[
      weight,
      ballot,
      ...(wave === '' ? [] : [wave]),
      item,
      kind,
      status,
      code === '' ? null : code,
      answer,
      place,
      shown.join(' '),
      episode,
    ],
  ];
}

/** Returns a line for each variable and each of its values, as R, Python, and SPSS programs label them. */
export function codebookRows({ items }: Instrument): readonly (readonly Json[])[] {
  return items.flatMap((item): readonly (readonly Json[])[] => {
    const common = [item.id, item.kind, Object.values(item.versions)[0] ?? item.text, item.scale, item.reversed ? 1 : 0, item.again];
    if (item.options.length === 0) return [[...common, null, null]];
    return item.options.map((label, i) => [...common, i + 1, label]);
  });
}

export const codebookColumns = ['variable', 'kind', 'question', 'scale', 'reversed', 'again', 'value', 'label'] as const;
