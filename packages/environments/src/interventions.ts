/**
 * @file Interventions: events in an episode that are triggered by conditions, such as news at an hour or a sentence after an answer.
 *
 * All given conditions must be met. By default, an intervention happens once, so that a condition that stays true does not repeat it every
 * step. Past interventions are part of the state and recorded in notes.
 */

import { Fault, type Json, type Message, type Seat } from '@ludus-agents/kernel/internal/core/index';
import {
  either,
  list,
  number,
  object,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  type ShapeValue,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';

export type Intervention = {
  readonly name: string;
  readonly when: InterventionCondition;
  readonly tell: string;
  /** The recipient seats. Empty means all. */
  readonly to: readonly Seat[];
  /** Maximum number of times. */
  readonly times: number;
  /** Minimum number of steps before it can happen again. */
  readonly pause: number;
};

/** How often each intervention has happened, and the step of its last occurrence. */
export type InterventionHistory = { readonly [name: string]: { readonly times: number; readonly last: number } };

/** The facts of a step that conditions are checked against. */
export interface InterventionFacts {
  readonly step: number;
  readonly said: readonly string[];
  readonly measures: Readonly<Record<string, number>>;
  /** Returns whether an item was given this answer. */
  hasAnswer?(item: string, answer: string): boolean;
}

const most = Number.MAX_SAFE_INTEGER;

const conditions = object({
  from: withDefault(whole(0), 0, 'the first step, from 1'),
  until: withDefault(whole(0), 0, 'the last step'),
  said: withDefault(text, '', 'words that were just said'),
  measure: withDefault(text, '', 'a figure of the environment'),
  least: withDefault(number(-most, most), -most),
  below: withDefault(number(-most, most), most),
  /** Answers that were given: one, or any of several. */
  answers: withDefault(record(either<string | readonly string[]>('an answer or a list of answers', text, list(text, { from: 1 }))), {}),
});

/** The conditions of an intervention. An omitted condition is always met. */
export type InterventionCondition = ShapeValue<typeof conditions>;

const form: Shape<readonly Intervention[]> = list(
  object<Intervention>({
    name: required(pattern('letters, digits, dots or dashes', /^[\w.-]{1,40}$/)),
    when: withDefault(conditions, {}),
    tell: required(words, 'the text to show'),
    to: withDefault(list(words), [], 'seats that are told; none is all'),
    times: withDefault(whole(1), 1, 'how often at most'),
    pause: withDefault(whole(0), 0, 'steps before it can happen again'),
  }),
  { to: 40 },
);

export interface InterventionVocabulary {
  readonly seats: readonly Seat[];
  /** Measures that conditions may name. */
  readonly measures: readonly string[];
  /** Items that conditions may name. Omitted if the environment asks no items. */
  readonly items?: readonly string[];
}

/** Parses interventions from a task. Throws if one refers to something that the environment doesn't have. */
export function readInterventions(
  input: Json,
  where: string,
  { seats, measures, items = [] }: InterventionVocabulary,
): readonly Intervention[] {
  if (input === null) return [];
  const read = readAs(form, input, { where: `${where}: "interventions"`, called: 'interventions' });
  const wrong = (name: string, what: string) => new Fault('input', `${where}: the intervention "${name}" ${what}.`);
  read.forEach(({ name, when, to }, i) => {
    if (read.findIndex((intervention) => intervention.name === name) !== i)
      throw wrong(name, 'has the same name as another; use unique names');
    if (when.measure !== '' && !measures.includes(when.measure))
      throw wrong(name, `looks at "${when.measure}", but the measures are ${measures.join(', ') || 'none'}`);
    const stranger = to.find((seat) => !seats.includes(seat));
    if (stranger !== undefined) throw wrong(name, `is for "${stranger}", but the seats are ${seats.join(', ')}`);
    const unknown = Object.keys(when.answers).find((item) => !items.includes(item));
    if (unknown !== undefined) throw wrong(name, `looks at answers to "${unknown}", but the items are ${items.join(', ') || 'none'}`);
  });
  return read;
}

/** Returns the interventions that are due now, with the updated history. */
export function dueInterventions(
  interventions: readonly Intervention[],
  history: InterventionHistory,
  facts: InterventionFacts,
): { readonly due: readonly Intervention[]; readonly history: InterventionHistory } {
  const due = interventions.filter((intervention) => isDue(intervention, history, facts));
  const happened = due.map(({ name }) => [name, { times: (history[name]?.times ?? 0) + 1, last: facts.step }] as const);
  return { due, history: { ...history, ...Object.fromEntries(happened) } };
}

function isDue({ name, when, times, pause }: Intervention, history: InterventionHistory, facts: InterventionFacts): boolean {
  const before = history[name];
  if (before !== undefined && (before.times >= times || facts.step - before.last <= pause)) return false;
  const { step, said, measures } = facts;
  if (step < when.from || (when.until > 0 && step > when.until)) return false;
  if (when.said !== '' && !said.some((line) => line.toLowerCase().includes(when.said.toLowerCase()))) return false;
  if (when.measure !== '') {
    const value = measures[when.measure] ?? Number.NaN;
    if (!(value >= when.least && value < when.below)) return false;
  }
  return Object.entries(when.answers).every(([item, wanted]) =>
    ([wanted].flat() as readonly string[]).some((answer) => facts.hasAnswer?.(item, answer) === true),
  );
}

/** Returns the messages of interventions, and a note that records them. */
export function interventionMessages(due: readonly Intervention[], seats: readonly Seat[], step: number): readonly Message[] {
  return due.flatMap(({ name, tell, to }): readonly Message[] => [
    { to: to.length === 0 ? seats : to, text: tell },
    { to: [], text: `intervention ${name}`, data: { intervention: name, step } },
  ]);
}
