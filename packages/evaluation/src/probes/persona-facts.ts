/** @file The public facts of a persona as sentences with a slot that can be changed: the basis of probes. */

import { expandMacros, mayKnow, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { statedAge, statedHome, statedTrade } from '@ludus-agents/agents/internal/personas/scripted-persona';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { wordsOf } from '../scoring/rules/text.ts';
import { visitorName } from './play-probes.ts';

export interface PersonaFact {
  readonly id: string;
  /** A sentence that names the persona. */
  readonly text: string;
  /** Words of which a right answer to an open question contains at least one. */
  readonly keys: readonly string[];
  /** An open question about it, if there is a natural one. */
  readonly asks?: string;
  /** A word of the text and its replacement, which makes the sentence false. */
  readonly edits: readonly { readonly from: string; readonly to: string }[];
}

const people = ['Orlan Tesk', 'Brida Maunt', 'Ivo Karrel', 'Senna Wray', 'Hale Dorrimer', 'Petra Quill'] as const;
const places = ['Port Wessel', 'Grendale', 'Tarn Abbey', 'the Isle of Corrow', 'Vennick', 'Upper Stroud'] as const;
const works = ['beekeeper', 'tax collector', 'ship’s cook', 'organist', 'falconer', 'dentist'] as const;
const hobbies = ['collecting thimbles', 'raw onions', 'sleigh rides', 'brass bands', 'card tricks', 'cold porridge'] as const;

/**
 * Everything that a stranger may ask about: public facts, and data that a form would contain. If a document marks no statement as
 * public, as is usual for cards, facts that acquaintances may know are asked instead.
 */
export function factsOf(persona: Persona): readonly PersonaFact[] {
  const { name, identity, statements } = persona;
  const { age, residence, occupation, nationality } = identity.social;
  const { likes, dislikes, history } = identity.context;
  const facts: PersonaFact[] = [];
  const other = <T>(list: readonly T[], i = facts.length): T => list[i % list.length];
  const add = (id: string, text: string, more: { asks?: string; value: string; instead: string }) =>
    facts.push({
      id,
      text,
      keys: keysOf(more.value),
      ...(more.asks === undefined ? {} : { asks: more.asks }),
      edits: [{ from: more.value, to: more.instead }],
    });
  if (age !== undefined)
    add('age', `${name} is ${age} years old.`, { asks: 'How old are you?', value: String(age), instead: String(otherAge(age)) });
  if (residence !== undefined)
    add('residence', `${name} lives in ${residence}.`, { asks: 'Where do you live?', value: residence, instead: other(places) });
  if (occupation !== undefined)
    add('occupation', `${name} works as ${article(occupation.title)}.`, {
      asks: 'What is your work?',
      value: article(occupation.title),
      instead: article(other(works)),
    });
  if (occupation?.organization !== undefined && occupation.organization !== '')
    add('organization', `${name} works for ${occupation.organization}.`, {
      asks: 'Whom do you work for?',
      value: occupation.organization,
      instead: `the guild of ${other(places)}`,
    });
  if (nationality !== undefined) add('nationality', `${name} is ${nationality}.`, { value: nationality, instead: 'Corrovian' });
  for (const [i, like] of likes.entries())
    add(`like ${i + 1}`, `${name} likes ${bare(like)}.`, { value: bare(like), instead: other(hobbies) });
  for (const [i, item] of dislikes.entries())
    add(`dislike ${i + 1}`, `${name} dislikes ${bare(item)}.`, { value: bare(item), instead: other(hobbies) });
  for (const [i, item] of history.entries()) facts.push(toFact(`history ${i + 1}`, endSentence(item), persona, i));
  // A card without these fields states them in its sentences.
  const questions = [
    ...(age === undefined ? [{ asks: 'How old are you?', pattern: statedAge }] : []),
    ...(residence === undefined ? [{ asks: 'Where do you live?', pattern: statedHome }] : []),
    ...(occupation === undefined ? [{ asks: 'What is your work?', pattern: statedTrade }] : []),
  ];
  const level = statements.some(({ visibility }) => visibility === 'public') ? 'stranger' : 'acquaintance';
  for (const [i, { id, text, kind, polarity, visibility }] of statements.entries())
    if (
      mayKnow(visibility, {}, level) &&
      polarity === 'must' &&
      kind !== 'style' &&
      kind !== 'boundary' &&
      wordsOf(text).length >= 3 &&
      !pronounFirst.test(text)
    ) {
      const fact = toFact(id, endSentence(expandMacros(text, { char: name, user: visitorName })), persona, i);
      facts.push(fact);
      for (const { asks, pattern } of questions) {
        const [, ...values] = pattern.exec(text) ?? [];
        const value = values.find((group) => group !== undefined);
        if (value !== undefined && !facts.some((earlier) => earlier.asks === asks))
          facts.push({ id, text: fact.text, keys: keysOf(value), asks, edits: [] });
      }
    }
  return facts;
}

/** A sentence that would be ambiguous about its subject when quoted alone. */
const pronounFirst = /^(?:he|she|they|it|his|her|their|its|this|that|these|those)\b/i;

/** An unchanged sentence, with its names and numbers as slots. */
function toFact(id: string, text: string, { name }: Persona, at: number): PersonaFact {
  const ownEntry = new Set(wordsOf(name));
  const edits: { from: string; to: string }[] = [];
  for (const [i, match] of [...text.matchAll(linear(/(?<=\s)\p{Lu}[\p{L}’'-]+(?:\s\p{Lu}[\p{L}’'-]+)*/gu))].entries()) {
    if (wordsOf(match[0]).some((word) => ownEntry.has(word))) continue;
    edits.push({ from: match[0], to: people[(at + i) % people.length] });
  }
  for (const [number] of text.matchAll(/\b\d+\b/g)) edits.push({ from: number, to: String(otherAge(Number(number))) });
  return { id, text, keys: keysOf(text.replace(name, '')), edits };
}

/** A number that can't be mistaken for the other. */
function otherAge(age: number): number {
  return age >= 40 ? age - 17 : age + 17;
}

const idle = new Set(
  'a an the of and in on at to for with by from is are was were has have had his her their its that this as who'.split(' '),
);

/** The words of a value that an answer would name. */
function keysOf(value: string): readonly string[] {
  return [...new Set(wordsOf(value).filter((word) => !idle.has(word) && (word.length > 2 || /\d/.test(word))))];
}

function article(title: string): string {
  return /^(an?|the)\s/i.test(title) ? title : `${/^[aeiou]/i.test(title) ? 'an' : 'a'} ${title}`;
}

function bare(text: string): string {
  return text.replace(/[.;]\s*$/, '');
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

const auxiliary = /\b(is|are|was|were|can|will|would|could|should|must)\b(?! not\b)/;

/** The opposite of a sentence about a persona: its denial is removed or added. Null if there is no place for one. */
export function opposite(text: string, name: string): string | null {
  if (/\b(?:never|not)\s/i.test(text)) return text.replace(/\b(?:never|not)\s/i, '');
  if (/\bno\s(?!one\b)/.test(text)) return text.replace(/\bno\s/, 'deep ');
  const after = text.startsWith(`${name} `) ? name.length + 1 : null;
  const match = auxiliary.exec(text);
  if (match !== null && (after === null || match.index <= after + 24)) {
    const end = match.index + match[0].length;
    return `${text.slice(0, end)} not${text.slice(end)}`;
  }
  if (after === null) return null;
  const rest = text.slice(after);
  return /^(?:has|have|had)\s/.test(rest) ? `${name} has never ${rest.replace(/^\w+\s/, 'had ')}` : `${name} never ${rest}`;
}
