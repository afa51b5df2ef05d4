/** @file One sitting of a survey: a person's progress, the text of the next item, and the moves that answer it. */

import type { InterventionHistory } from '@ludus-agents/environments/internal/interventions';
import { type Ask, type Json, parameter, retries, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { type Instrument, readInstrument, type SurveyItem } from './instrument.ts';

export const parameters = {
  questionnaire: parameter.json({
    default: null,
    description: 'the questionnaire: {"name", "items": [{"id", "kind", "text", "options"}]}; docs/reference/societies.md',
  }),
  fresh: parameter.boolean({ default: false, description: 'show each item without the earlier ones' }),
  told: parameter.string({ default: '', description: 'text shown before the first item, such as a treatment' }),
  retries,
} as const;

/** Parameters that were added later. A task contains them only if they are set, so that older logs stay unchanged. */
export const laterParameters = {
  interventions: parameter.json({
    default: null,
    description: 'text shown during the survey: [{"name", "when": {"answers": {"move": "yes"}}, "tell"}]',
  }),
} as const;

export type SurveyTask = TaskOf<typeof parameters> & Partial<TaskOf<typeof laterParameters>>;

/** answered; refused by the person; broken if the answer was invalid; skipped if the item did not apply to the person. */
export type AnswerStatus = 'answered' | 'refused' | 'broken' | 'skipped';

export type SurveyAnswer = {
  readonly item: string;
  readonly status: AnswerStatus;
  /** Numbers of the options in the instrument's order, or in rank order for a ranking. */
  readonly codes: readonly number[];
  /** The text of an open answer. */
  readonly text: string;
  /** Numbers of all options in the order shown. */
  readonly shown: readonly number[];
  /** The position in the order of asking, from 1. */
  readonly place: number;
  /** The wave of a panel in which the answer was given. */
  readonly wave?: string;
};

export type SurveyState = {
  readonly task: SurveyTask;
  readonly ballot: string;
  /** Whether options are reversed for this person. */
  readonly turned: boolean;
  readonly order: readonly number[];
  readonly shown: readonly (readonly number[])[];
  /** The options of the current item that were chosen so far. */
  readonly picked: readonly number[];
  readonly answers: readonly SurveyAnswer[];
  readonly misses: number;
  readonly over: boolean;
  /** Where the people are a panel: the present wave, the answers of those before, and messages since it began. */
  /** Interventions that have happened. */
  readonly happened?: InterventionHistory;
  readonly panel?: { readonly wave: number; readonly past: readonly SurveyAnswer[]; readonly seen: number };
};

export const seat = 'respondent';
export const skip = '[skip]';
export const done = '[done]';

/** The default questionnaire: one item of each kind. */
export const neighbourhood: Json = {
  name: 'neighbourhood',
  items: [
    {
      id: 'years',
      kind: 'single',
      text: 'How long have you lived where you live now?',
      options: ['under a year', 'one to five years', 'longer'],
    },
    {
      id: 'trust',
      kind: 'scale',
      text: 'Most people around here can be trusted.',
      options: ['disagree strongly', 'disagree', 'neither', 'agree', 'agree strongly'],
    },
    {
      id: 'places',
      kind: 'multiple',
      text: 'Which of these do you use at least once a month?',
      options: ['a library', 'a park', 'a market'],
    },
    { id: 'needs', kind: 'rank', text: 'What does this neighbourhood need most?', options: ['quiet', 'shops', 'buses'], most: 2 },
    { id: 'move', kind: 'single', text: 'Do you want to move away?', options: ['yes', 'no'] },
    { id: 'why', kind: 'open', text: 'Why do you want to move away?', when: { move: 'yes' } },
  ],
};

const read = new WeakMap<object, Instrument>();

/** Instruments are cached by task object, which episodes of a run share. */
export function instrumentOf({ questionnaire }: SurveyTask): Instrument {
  const input = (questionnaire ?? neighbourhood) as object;
  const instrument = read.get(input) ?? readInstrument(input as Json);
  read.set(input, instrument);
  return instrument;
}

export function placeOf(state: SurveyState): number {
  return state.order[state.answers.length];
}

export function itemAt(state: SurveyState): SurveyItem {
  return instrumentOf(state.task).items[placeOf(state)];
}

/** Returns the number of options to pick. */
export function picksOf({ kind, most, options }: SurveyItem): number {
  if (kind === 'multiple') return most === 0 ? options.length : Math.min(most, options.length);
  return kind === 'rank' ? (most === 0 ? options.length : Math.min(most, options.length)) : 1;
}

/** Returns the moves of a closed item, by the positions at which its options are shown. */
function movesOf(state: SurveyState): readonly string[] {
  const item = itemAt(state);
  const visible = state.shown[placeOf(state)];
  const left = visible.flatMap((code, i) => (state.picked.includes(code) ? [] : [`[${i + 1}]`]));
  return [
    ...left,
    ...(item.kind === 'multiple' ? [done] : []),
    ...(state.picked.length === 0 && instrumentOf(state.task).refusal ? [skip] : []),
  ];
}

export function askOf(state: SurveyState): Ask {
  const ask: Ask = itemAt(state).kind === 'open' ? { seat } : { seat, choices: movesOf(state) };
  if (state.task.fresh) return { ...ask, window: 1 };
  const { panel } = state;
  // Without full memory, the person sees only the messages of the current wave.
  const forgets = panel !== undefined && panel.wave > 0 && instrumentOf(state.task).memory !== 'all';
  return forgets ? { ...ask, window: panel.seen } : ask;
}

const asking: Readonly<Record<SurveyItem['kind'], string>> = {
  single: 'Answer with one number in square brackets.',
  scale: 'Answer with one number in square brackets.',
  multiple: 'Choose one number in square brackets; you are asked again for more. [done] when there are no others.',
  rank: 'Choose the one that comes first for you, as a number in square brackets.',
  open: 'Answer in your own words, in a sentence or two.',
};

export function wording(state: SurveyState): string {
  const item = itemAt(state);
  const { refusal } = instrumentOf(state.task);
  const visible = state.shown[placeOf(state)];
  const options = visible.flatMap((code, i) => (state.picked.includes(code) ? [] : [`[${i + 1}] ${item.options[code - 1]}`]));
  const selectedText = state.picked.map((code) => item.options[code - 1]).join(', ');
  const how = item.kind === 'rank' && state.picked.length > 0 ? 'And which comes next? One number in square brackets.' : asking[item.kind];
  return [
    item.versions[state.ballot] ?? item.text,
    ...(selectedText === '' ? [] : [`So far: ${selectedText}.`]),
    ...options,
    ...(refusal && state.picked.length === 0 ? [`${skip} I would rather not say`] : []),
    how,
  ].join('\n');
}
