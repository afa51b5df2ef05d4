/** @file The instrument of a survey: its items, their conditions, and the randomized parts. Validation reports every problem. */

import { Fault, type Json, type Rng } from '@ludus-agents/kernel/internal/core/index';
import {
  boolean,
  either,
  type Fields,
  list,
  object,
  one,
  optional,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';

export const itemKinds = ['single', 'multiple', 'scale', 'rank', 'open'] as const;
export type ItemKind = (typeof itemKinds)[number];

/** Answers to earlier items that are the condition for asking an item: one, or any of several, by option or by number. */
export type AskedWhen = { readonly [item: string]: string | readonly string[] };

export type SurveyItem = {
  readonly id: string;
  readonly kind: ItemKind;
  readonly text: string;
  /** The options of a choice, or the labels of a scale from low to high; empty for an open item. */
  readonly options: readonly string[];
  /** The wording for each ballot, if it differs. */
  readonly versions: { readonly [ballot: string]: string };
  readonly when: AskedWhen;
  /** The construct that the item measures together with others of the same name. */
  readonly scale: string;
  /** A high answer means a low value of the measured construct. */
  readonly reversed: boolean;
  /** The number of options to choose or to rank; 0 means all. */
  readonly most: number;
  /** The item that this one repeats, or an empty text. */
  readonly again: string;
};

/** What a panel remembers between its waves: everything said, its own answers in a sentence, or nothing. */
export const panelMemories = ['all', 'answers', 'none'] as const;

/** One wave of a panel: its items, and the events before it. */
export type SurveyWave = {
  readonly name: string;
  /** A text that people read before the first item of the wave. */
  readonly told: string;
  /** Ids of the items. Empty means all. */
  readonly items: readonly string[];
};

export type Instrument = {
  readonly name: string;
  readonly intro: string;
  readonly items: readonly SurveyItem[];
  /** Randomizes item order for each person. Items that depend on another follow it. */
  readonly shuffle: boolean;
  /** Option order: fixed, random, or reversed for one half of the people. */
  readonly options: 'fixed' | 'random' | 'reversed';
  /** Names of ballots. Each person gets one of them. */
  readonly ballots: readonly string[];
  /** Whether a person may refuse to answer. */
  readonly refusal: boolean;
  /** The waves of a panel in order. Empty if people are asked once. */
  readonly waves: readonly SurveyWave[];
  readonly memory: (typeof panelMemories)[number];
};

type Given = Omit<SurveyItem, 'kind'> & { readonly kind?: ItemKind };

const identifier = pattern('up to 40 letters, digits, or underscores, starting with a letter', /^[A-Za-z]\w{0,39}$/);

const itemFields: Fields<Given> = {
  id: required(identifier, 'the name of the variable'),
  kind: optional(one(...itemKinds), 'the kind of item (default: single)'),
  text: withDefault(text, '', 'the question'),
  options: withDefault(list(words, { to: 30 }), [], 'options, or the labels of a scale from low to high'),
  versions: withDefault(record(words), {}, 'the wording for each ballot'),
  when: withDefault(
    record(either<string | readonly string[]>('an answer or a list of answers', text, list(text, { from: 1 }))),
    {},
    'ask this item only after these answers to earlier items',
  ),
  scale: withDefault(text, '', 'the scale that the item belongs to'),
  reversed: withDefault(boolean, false, 'reverse-coded: a high answer is a low value of the scale'),
  most: withDefault(whole(0, 30), 0, 'maximum number of options to choose or rank; 0 for all'),
  again: withDefault(text, '', 'an earlier item to ask again, to measure stability'),
};

const form: Shape<Omit<Instrument, 'items'> & { readonly items: readonly Given[] }> = object(
  {
    name: withDefault(pattern('letters, digits, dots, or dashes', /^[\w.-]{1,40}$/), 'survey'),
    intro: withDefault(text, ''),
    items: required(list(object<Given>(itemFields), { from: 1, to: 200 })),
    shuffle: withDefault(boolean, false, 'whether to shuffle the items for each person'),
    options: withDefault(
      one('fixed', 'random', 'reversed'),
      'fixed',
      'order of options: as written, random, or reversed for half of the people',
    ),
    ballots: withDefault(list(words, { to: 10 }), [], 'names of ballots; each person gets one'),
    refusal: withDefault(boolean, true, 'whether people may decline to answer'),
    waves: withDefault(
      list(
        object<SurveyWave>({
          name: required(identifier, 'the name of the wave'),
          told: withDefault(text, '', 'events since the previous wave'),
          items: withDefault(list(words), [], 'the items to ask (default: all)'),
        }),
        { to: 12 },
      ),
      [],
      'the waves of a panel, which asks the same people again',
    ),
    memory: withDefault(one(...panelMemories), 'all', 'what people keep between waves: all, their answers, or nothing'),
  },
  { document: true },
);

export function readInstrument(input: Json, where = 'The questionnaire'): Instrument {
  const read = readAs(form, input, { where, called: 'a questionnaire' });
  const items: SurveyItem[] = [];
  for (const input of read.items) {
    if (items.some(({ id }) => id === input.id))
      throw new Fault('input', `${where} has two items named "${input.id}". Give each a unique name.`);
    items.push(itemOf(input, { items, ballots: read.ballots, where }));
  }
  const visited = new Set<string>();
  for (const { name, items: ids } of read.waves) {
    if (visited.has(name)) throw new Fault('input', `${where} has two waves named "${name}". Give each a unique name.`);
    visited.add(name);
    const unknown = ids.find((id) => !items.some((item) => item.id === id));
    if (unknown !== undefined)
      throw new Fault(
        'input',
        `${where}: the wave "${name}" asks the unknown item "${unknown}". Available: ${items.map(({ id }) => id).join(', ')}.`,
        { code: 'E_UNKNOWN_NAME' },
      );
  }
  return { ...read, items };
}

/** Returns the indexes of a wave's items, or of all items without waves. */
function placesIn({ items, waves }: Instrument, wave: number): readonly number[] {
  const ids = waves[wave]?.items ?? [];
  return items.flatMap(({ id }, place) => (ids.length === 0 || ids.includes(id) ? [place] : []));
}

interface Reading {
  /** Earlier items. */
  readonly items: readonly SurveyItem[];
  readonly ballots: readonly string[];
  readonly where: string;
}

function itemOf(input: Given, { items, ballots, where }: Reading): SurveyItem {
  const wrong = (what: string, hint = '') => new Fault('input', `${where}: the item "${input.id}" ${what}.${hint}`);
  const before = items.map(({ id }) => id);
  const first = input.again === '' ? undefined : items.find(({ id }) => id === input.again);
  if (input.again !== '' && first === undefined)
    throw wrong(
      `puts "${input.again}" again, but no item before it has that name; there are ${before.join(', ') || 'none'}`,
      didYouMean(input.again, before),
    );
  const item: SurveyItem =
    first === undefined ? { ...input, kind: input.kind ?? 'single' } : { ...first, id: input.id, again: first.id, when: input.when };
  if (item.text.trim() === '' && Object.keys(item.versions).length === 0) throw wrong('has no "text"');
  for (const ballot of ballots)
    if (item.text.trim() === '' && item.versions[ballot] === undefined) throw wrong(`has no text for the ballot "${ballot}"`);
  for (const ballot of Object.keys(item.versions))
    if (!ballots.includes(ballot))
      throw wrong(`has a version for the ballot "${ballot}", but the ballots are ${ballots.join(', ') || 'none'}`);
  if (item.kind === 'open' ? item.options.length > 0 : item.options.length < 2)
    throw wrong(
      item.kind === 'open' ? 'is open and has options; leave them out' : `needs two "options" or more, but has ${item.options.length}`,
    );
  if (new Set(item.options).size < item.options.length) throw wrong('has the same option twice');
  for (const [other, answers] of Object.entries(item.when)) {
    const surveyItem = items.find(({ id }) => id === other);
    if (surveyItem === undefined) throw wrong(`is asked after "${other}", but no item before it has that name`, didYouMean(other, before));
    for (const answer of [answers].flat() as readonly string[])
      if (codeOf(surveyItem, answer) === null)
        throw wrong(
          `is asked when "${other}" is ${JSON.stringify(answer)}, but that has ${surveyItem.options.map((option) => `"${option}"`).join(', ') || 'no options'}`,
        );
  }
  return item;
}

/** Returns the number of an option, given its text or number, or null if the item doesn't have it. */
export function codeOf({ options }: SurveyItem, answer: string): number | null {
  const at = options.indexOf(answer);
  if (at >= 0) return at + 1;
  const number = /^\d+$/.test(answer) ? Number(answer) : 0;
  return number >= 1 && number <= options.length ? number : null;
}

/** Returns item indexes in a person's order. Items that depend on another come after it. */
export function itemOrder(instrument: Instrument, rng: Rng, wave = 0): readonly number[] {
  const { items, shuffle } = instrument;
  const places = placesIn(instrument, wave);
  if (!shuffle) return places;
  const blocks: number[][] = [];
  for (const place of places) {
    const { when } = items[place];
    const needed = Object.keys(when);
    const joined = blocks.filter((block) => block.some((value) => needed.includes(items[value].id)));
    const merged = [...joined.flat(), place].sort((a, b) => a - b);
    for (const block of joined) blocks.splice(blocks.indexOf(block), 1);
    blocks.push(merged);
  }
  return rng.shuffle(blocks).flat();
}

/** Returns option numbers in a person's order. Scales can be reversed but not shuffled, because they would no longer be scales. */
export function optionOrder({ kind, options }: SurveyItem, order: Instrument['options'], turned: boolean, rng: Rng): readonly number[] {
  const codes = options.map((_, i) => i + 1);
  if (order === 'fixed' || kind === 'open') return codes;
  if (order === 'reversed' || kind === 'scale') return turned ? codes.toReversed() : codes;
  return rng.shuffle(codes);
}
