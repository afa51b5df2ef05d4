/**
 * @file A survey in a store. The plan of its run contains the instrument and the people, so shares and crosstabs need nothing else.
 *
 * A person's attributes are read from the persona, and the sampling weights from a journal of the run. Without a journal, everyone has the
 * same weight.
 */

import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { isObject, type Json, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { type Instrument, readInstrument } from '../survey/instrument.ts';
import { readAnswers } from './answers.ts';
import type { SurveyPlan } from './plan.ts';
import { type ItemTable, itemTables } from './tables.ts';

export interface StoredSurvey {
  readonly instrument: Instrument;
  /** The number of people in the plan, and of answers still missing. */
  readonly people: number;
  readonly missing: number;
  readonly tables: readonly ItemTable[];
  /** Answers to open items, limited to what a page shows, with their total number. */
  readonly open: readonly { readonly item: string; readonly texts: readonly string[]; readonly count: number }[];
  /** Shares by the values of each attribute that divides people. */
  readonly crosstabs: readonly { readonly by: string; readonly tables: readonly ItemTable[] }[];
}

const mostTexts = 50;

/** Reads a survey from a store. Returns null for a run that is not a survey. */
export async function readStoredSurvey({ id, plan }: Pick<RunRecord, 'id' | 'plan'>, store: Store): Promise<StoredSurvey | null> {
  const [only, ...others] = plan.environments;
  if (only === undefined || others.length > 0 || only.environment.split('@', 1)[0] !== 'survey') return null;
  const [task] = Array.isArray(only.tasks) ? (only.tasks as readonly Json[]) : [];
  if (!isObject(task) || task['questionnaire'] === undefined) return null;
  const instrument = readInstrument(task['questionnaire']);
  const personas = plan.casts.flatMap(({ respondent }) => {
    const persona = typeof respondent === 'object' ? respondent.persona : undefined;
    return persona === undefined ? [] : [parsePersona(persona)];
  });
  if (personas.length === 0) return null;
  const attributes = personas.map(attributesIn);
  const weights = await keptWeights(id, personas.length, store);
  const rows = await readAnswers({ run: id, instrument, people: { personas, attributes, weighting: { weights } } }, store);
  const labels = (item: string) => instrument.items.find((surveyItem) => surveyItem.id === item)?.options ?? [];
  return {
    instrument,
    people: personas.length,
    missing: rows.filter(({ status }) => status === 'missing').length,
    tables: itemTables(rows, { labels }),
    open: instrument.items
      .filter(({ kind }) => kind === 'open')
      .map(({ id: item }) => {
        const texts = rows.flatMap((row) => (row.item === item && row.status === 'answered' ? [row.answer] : []));
        return { item, texts: texts.slice(0, mostTexts), count: texts.length };
      }),
    crosstabs: groupingNames(attributes).map((by) => ({ by, tables: itemTables(rows, { labels, by }) })),
  };
}

const journal = 'weights';

/** Stores the weight of each person with the run, once. The order is that of the people in the plan. */
export async function keepWeights({ run, people }: Pick<SurveyPlan, 'run' | 'people'>, store: Store): Promise<void> {
  if ((await store.notes(run, journal)).length === 0) await store.note(run, journal, 0, [...people.weighting.weights]);
}

async function keptWeights(run: string, people: number, store: Store): Promise<readonly number[]> {
  const retained = await store.notes(run, journal);
  return retained.length === people ? (retained as readonly number[]) : Array.from({ length: people }, () => 1);
}

const mark = 'attribute.';

/** Returns the attributes that a population drew for a person: each attribute is a statement, and its value is in the identity. */
export function attributesIn({ statements, identity }: Persona): Readonly<Record<string, string>> {
  const social = identity.social as Readonly<Record<string, unknown>>;
  const extra = (social['extra'] ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    statements.flatMap(({ id }) => {
      if (!id.startsWith(mark)) return [];
      const name = id.slice(mark.length);
      const value = wordFor(name, extra[name] ?? social[name]);
      return value === '' ? [] : [[name, value] as const];
    }),
  );
}

/** Groups exact ages into decades. */
function wordFor(name: string, value: unknown): string {
  if (name === 'age' && typeof value === 'number') return `${Math.floor(value / 10) * 10} to ${Math.floor(value / 10) * 10 + 9}`;
  if (typeof value === 'object' && value !== null && 'title' in value) return String(value.title);
  return value === undefined || value === null ? '' : String(value);
}

/** Returns the attributes by which people differ, with few enough groups to be readable. */
function groupingNames(attributes: readonly Readonly<Record<string, string>>[]): readonly string[] {
  const names = [...new Set(attributes.flatMap((attribute) => Object.keys(attribute)))];
  return names.filter((name) => {
    const values = new Set(attributes.map((attribute) => attribute[name] ?? ''));
    return values.size > 1 && values.size <= 24;
  });
}
