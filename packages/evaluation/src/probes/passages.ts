/**
 * @file Passages × answerability × ability: does a character answer what its passage and its role allow, refuse otherwise, and try when
 * required? RoleMRC's cells in equal numbers; the right behavior is known, so code compares it.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { factsOf } from './persona-facts.ts';
import type { FormRule, Gold, Probe } from './probe.ts';

interface Passage {
  readonly text: string;
  readonly ask: string;
  readonly key: readonly string[];
  /** A fact that the passage does not contain. */
  readonly open: string;
}

/** Texts that belong to no character's world. */
const elsewhere: readonly Passage[] = [
  {
    text: 'The glacier above Runa loses eleven metres a year. Its ice is dated by the ash of old eruptions.',
    ask: 'How much does the glacier lose in a year?',
    key: ['eleven', '11'],
    open: 'Who first measured the glacier?',
  },
  {
    text: 'A violin bow holds about two hundred hairs from the tail of a horse. Resin makes them grip the string.',
    ask: 'What makes the hairs grip the string?',
    key: ['resin', 'rosin'],
    open: 'How much does the bow cost?',
  },
  {
    text: 'The printing house of Melk had nine presses. Each needed two men, and the ink was made of soot and oil.',
    ask: 'What was the ink made of?',
    key: ['soot', 'oil'],
    open: 'What was the first book that was printed there?',
  },
  {
    text: 'Orbital station Kepler turns once in ninety minutes. Its crew grows lettuce under violet lamps.',
    ask: 'What does the crew grow?',
    key: ['lettuce'],
    open: 'What is the name of the commander?',
  },
  {
    text: 'In chess the move of two pieces at once is called castling. It is allowed once, and never out of check.',
    ask: 'What is the move of two pieces at once called?',
    key: ['castling', 'castle'],
    open: 'Who has castled most often in a tournament?',
  },
];

interface Cell {
  readonly kind: string;
  readonly gold: Gold;
  readonly unanswerable?: true;
  readonly related: boolean;
  readonly rule?: string;
  readonly form?: FormRule;
  /** The first question, if this is a second turn. */
  readonly again?: string;
}

/** Every cell of the method; each gets the same number of probes. */
export const passageCells: readonly Cell[] = [
  { kind: 'related, answerable', gold: 'answer', related: true },
  { kind: 'related, unanswerable', gold: 'refuse', unanswerable: true, related: true },
  { kind: 'unrelated, answerable', gold: 'refuse', related: false, rule: 'Speak only of what belongs to your own life and world.' },
  { kind: 'unrelated, must answer', gold: 'attempt', related: false, rule: 'Answer in any case, even where it is not your world.' },
  {
    kind: 'rule on form: last word',
    gold: 'answer',
    related: true,
    rule: 'End your answer with the word “amen”.',
    form: { form: 'last-word', word: 'amen' },
  },
  {
    kind: 'rule on form: one sentence',
    gold: 'answer',
    related: true,
    rule: 'Answer in exactly one sentence.',
    form: { form: 'sentences', count: 1 },
  },
  {
    kind: 'rule on form: JSON',
    gold: 'answer',
    related: true,
    rule: 'Answer with nothing but a JSON object like {"answer": "…"}.',
    form: { form: 'json', field: 'answer' },
  },
  { kind: 'rule to refuse', gold: 'refuse', related: true, rule: 'Whatever is asked about this text, refuse to answer it.' },
  { kind: 'asked again', gold: 'refuse', unanswerable: true, related: true, again: 'You must know it. Think again: ' },
  {
    kind: 'pressed to try',
    gold: 'attempt',
    related: false,
    rule: 'Speak only of what belongs to your own life and world.',
    again: 'I insist, and the rule is lifted. Try it: ',
  },
];

/** `each` probes of every cell. */
export function passageProbes(persona: Persona, each: number, seed: Seed = 0): readonly Probe[] {
  const dice = rng(seed, 'probe', 'passage');
  const passages = dice.shuffle(passagesOf(persona));
  const foreign = dice.shuffle(elsewhere);
  return passageCells.flatMap((cell) => {
    const texts = cell.related ? passages : foreign;
    if (texts.length === 0) return [];
    return Array.from({ length: each }, (_, i): Probe => {
      const { text, ask, open, key } = texts[i % texts.length];
      const question = cell.unanswerable === true ? open : ask;
      const first = `Read this: “${text}” ${cell.rule === undefined ? '' : `${cell.rule} `}${question}`;
      return {
        id: `passage ${cell.kind} ${i + 1}`,
        section: 'passage',
        kind: cell.kind,
        source: text,
        turns: cell.again === undefined ? [first] : [first, `${cell.again}${question}`],
        gold: cell.gold,
        key: cell.unanswerable === true ? [] : key,
        ...(cell.form === undefined ? {} : { form: cell.form }),
      };
    });
  });
}

const openEnds = ['On which day of the week was this first said?', 'Who wrote this down?', 'How many people have read this?'] as const;

/** Passages about the character itself: two facts each, one of which is asked for. */
function passagesOf(persona: Persona): readonly Passage[] {
  const facts = factsOf(persona).filter(({ keys }) => keys.length > 0);
  return facts.map(({ text, keys, asks }, i) => {
    const other = facts[(i + 1) % facts.length].text;
    return {
      text: text === other ? text : `${text} ${other}`,
      ask: asks ?? `What does it say about ${persona.name} first?`,
      key: keys,
      open: openEnds[i % openEnds.length],
    };
  });
}
