/**
 * @file Builds the persona of a real person from texts by that person: self-descriptions become statements with their source, and the
 * writing style becomes the voice. No model is needed. Nothing is written without the person's recorded consent.
 *
 * A later batch of texts makes a new version: new statements are added; a contradicted one is retired together with the sentence that
 * contradicts it, and never deleted.
 */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { derive } from './lineage.ts';
import { parsePersona } from './parse.ts';
import type { Persona } from './persona.ts';
import { sentences } from './prose.ts';
import { slug } from './slug.ts';

export interface IndividualOptions {
  readonly name: string;
  /** The person's consent in their own words, with the date; stored in the document. */
  readonly consent: string;
  /** The source of the texts, for the provenance. */
  readonly source: string;
  /** An earlier version of the same person. */
  readonly previous?: Persona | undefined;
}

export interface IndividualReport {
  readonly persona: Persona;
  readonly added: number;
  readonly retired: readonly { readonly id: string; readonly text: string; readonly by: string }[];
  readonly sentences: number;
}

const verbs =
  "am|was|have|had|live|lived|work|worked|like|love|hate|prefer|never|always|keep|play|grew|come|came|own|believe|think|want|need|study|studied|teach|speak|collect|run|ride|drink|eat|sleep|read|write|sing|cook|bake|do not|don't|cannot|can't|used to|grow|make|sell|build|mend|enjoy|dislike|fear|miss|hope";
const lasting = new RegExp(`^(?:I (?:really |still |also )?(?:${verbs})|I'm|I've)\\b`, 'i');
/** Matches openings such as "Mind you, I …", which state the same as "I …". */
const leading = /^(?:and |but |well,? |so |[\p{L}' ]{1,20}, )(?=I\b)/iu;
const longest = 160;

/** Plain sentences about oneself: not questions, not too long, and beginning with "I" and a verb for a lasting fact. */
function selfSentences(texts: readonly string[]): readonly string[] {
  const plain = texts.flatMap((text) => sentences(text.replaceAll('’', "'"))).map((item) => item.trim().replace(leading, ''));
  return [...new Set(plain.filter((item) => lasting.test(item) && !item.endsWith('?') && item.length <= longest))];
}

const thirds: Readonly<Record<string, string>> = {
  am: 'is',
  have: 'has',
  do: 'does',
  "don't": 'does not',
  cannot: 'cannot',
  "can't": 'cannot',
  was: 'was',
  had: 'had',
};
const past = /^(?:\w+ed|was|had|grew|came|used|never|always|cannot|could|would|will|should|must)$/;

function thirdPerson(verb: string): string {
  if (past.test(verb)) return verb;
  if (/(?:s|sh|ch|x|z|o)$/.test(verb)) return `${verb}es`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

/** Converts a sentence about oneself to a statement about a named person. */
export function toStatement(sentence: string, name: string): string {
  const body = sentence
    .replaceAll('’', "'")
    .replace(leading, '')
    .replace(/^I'm\b/i, 'I am')
    .replace(/^I've\b/i, 'I have');
  const [, adverb = '', first = '', rest = ''] =
    linear(/^I ((?:(?:really|still|also|never|always) )*)([\w']+)([\s\S]*)$/i).exec(body) ?? [];
  if (first === '') return `${name}: ${sentence}`;
  const verb = thirds[first.toLowerCase()] ?? thirdPerson(first.toLowerCase());
  const turned = rest
    .replace(/\bmyself\b/gi, name)
    .replace(/\bmy\b/gi, `${name}’s`)
    .replace(/\bme\b/gi, name)
    .replace(/\bI am\b/g, `${name} is`)
    .replace(/\bI\b/g, name);
  return `${name} ${adverb}${verb}${turned}`;
}

const negation = /\b(?:not|never|no longer|cannot|nothing)\b|n't\b/i;
const idle = new Set(
  'a an the of and in on at to for with by is are was were has have had do does any more not never no longer'.split(' '),
);

function contentOf(text: string, name: string): ReadonlySet<string> {
  const ownEntry = new Set(name.toLowerCase().split(/\s+/));
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words
      .filter((word) => !idle.has(word) && !ownEntry.has(word) && word !== 's')
      .map((word) => word.replace(/(?:ing|ed|es|s)$/, '').slice(0, 6)),
  );
}

/** Whether two statements have the same topic and one negates the other. */
function contradicts(item: string, other: string, name: string): boolean {
  const [a, b] = [contentOf(item, name), contentOf(other, name)];
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared >= 1 && shared >= 0.6 * Math.min(a.size, b.size) && negation.test(item) !== negation.test(other);
}

/** Words that this person uses often and other people rarely. */
function ownWords(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const pair of text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(
        /\b(?:you know|i mean|to be fair|by the way|mind you|no doubt|of course|i reckon|i suppose|kind of|sort of|frankly|honestly|indeed|actually|anyway|cheers|lovely|blimey|folks|y'all)\b/g,
      ) ?? [])
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
  return [...counts]
    .filter(([, n]) => n >= 2)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 8)
    .map(([word]) => word);
}

function longestUsual(texts: readonly string[]): number | undefined {
  const lengths = texts
    .flatMap((text) => sentences(text))
    .map((sentence) => (sentence.match(/[\p{L}\p{N}]+/gu) ?? []).length)
    .sort((a, b) => a - b);
  return lengths.length < 5 ? undefined : lengths[Math.floor(0.95 * (lengths.length - 1))]!;
}

/** The document of a person, or its next version. */
export function personaFromTexts(texts: readonly string[], options: IndividualOptions): IndividualReport {
  const { name, consent, source, previous } = options;
  if (consent.trim() === '')
    throw new Fault(
      'input',
      `A persona of a real person needs their consent: say who agreed to what, and when. Nothing was written about ${name}.`,
    );
  const written = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (written.length === 0) throw new Fault('input', `These texts contain nothing written by ${name}.`);
  if (previous !== undefined && previous.kind !== 'individualised')
    throw new Fault('input', `${previous.name} was not made from one person's texts, so texts cannot update it. Create a new persona.`);
  const knownStatements = previous?.statements ?? [];
  const fresh = [...new Set(selfSentences(written).map((sentence) => toStatement(sentence, name)))].filter(
    (text) => !knownStatements.some((statement) => statement.text === text),
  );
  const retired = knownStatements.flatMap(({ id, text }) => {
    const by = fresh.find((item) => contradicts(item, text, name));
    return by === undefined ? [] : [{ id, text, by }];
  });
  const gone = new Set(retired.map(({ id }) => id));
  const past = isObject(previous?.ext['retired']) ? (previous.ext['retired'] as JsonObject) : {};
  const numbers = knownStatements
    .map(({ id }) => Number(/^s(\d+)$/.exec(id)?.[1] ?? 0))
    .concat(Object.keys(past).map((id) => Number(id.slice(1)) || 0));
  const next = Math.max(0, ...numbers);
  const all = [...(previous?.voice.posts ?? []), ...written].slice(-200);
  const max = longestUsual(all);
  const document = {
    ...(previous ?? {}),
    name,
    id: previous?.id ?? slug(name),
    kind: 'individualised',
    provenance: {
      ...previous?.provenance,
      basis: 'real_person',
      consent,
      source: [...new Set([...(previous?.provenance.source ?? []), source])],
    },
    statements: [
      ...knownStatements.filter(({ id }) => !gone.has(id)),
      ...fresh.map((text, i) => ({ id: `s${next + i + 1}`, text, source, visibility: 'public' })),
    ],
    voice: {
      ...previous?.voice,
      lexicon: { use: ownWords(all), avoid: previous?.voice.lexicon.avoid ?? [] },
      posts: all,
      ...(max === undefined ? {} : { sentenceLen: { max } }),
    },
    ext: { ...previous?.ext, retired: { ...past, ...Object.fromEntries(retired.map(({ id, text, by }) => [id, { text, by, source }])) } },
  } as Json;
  const persona = previous === undefined ? parsePersona(document) : derive(previous, () => document as never, 'evolve');
  return { persona, added: fresh.length, retired, sentences: written.flatMap((text) => sentences(text)).length };
}
