/** @file Selects a scripted customer's answers to questions: by card topics, by the record in question, and by the question word. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { mentionsTopic, mentionsValue, openTopics } from '../desk-facts.ts';
import { escapePattern, patternOf } from '../patterns.ts';
import { type questionsIn, wishIn } from '../questions.ts';
import type { DeskCase, DeskStep } from './document.ts';
import type { SpokenFact } from './manner.ts';

export interface Card {
  /** The customer's current request. */
  readonly say: string;
  readonly knows: DeskCase['knows'];
  /** The facts that the customer has told before. */
  readonly told: readonly string[];
}

/** Record numbers as people write them: B-1001, SH4410, s2, M/118. */
export const recordNumber = /\b[A-Za-z]{1,6}[-/]?\d+\b/g;

/** The records that a step names, by the words that ask for one. */
export function recordsOf({ say }: Pick<DeskStep, 'say'>): Readonly<Record<string, string>> {
  const [first, ...others] = new Set(say.match(recordNumber) ?? []);
  return first === undefined || others.length > 0 ? {} : { 'which|number|code|reference|id': first };
}

const alternative = linear(/\bor\b/i);

const numberLike = linear(/\b(?:number|code|reference|id)\b/i);

/**
 * The known answers to the questions, each once, with the question's name for it. A question that matches no topic is answered
 * with the only possible record, or with the fact that fits its question word: "Which day would suit you?" asks for the slot.
 */
export function answersTo(questions: ReturnType<typeof questionsIn>, { say, knows, told }: Card): readonly SpokenFact[] {
  const answers = new Map<string, SpokenFact>();
  const open = questions.filter(({ kind }) => kind === 'value' || kind === 'choice');
  for (const question of open) {
    const { sentence } = question;
    // The desk already knows a value that its question names, unless it is one of several.
    const isChoice = alternative.test(sentence);
    const offered = question.kind === 'choice' ? Object.entries(knows).filter(([, value]) => mentionsValue(sentence, value)) : [];
    const named = Object.entries(knows).filter(
      ([key, value]) => (mentionsTopic(sentence, key) || isNoun(sentence, key)) && (isChoice || !sentence.includes(value)),
    );
    const topics = offered.length > 0 ? offered : named;
    // Of several topics, only those that the question asks for count: the day of "Which day should the lesson be moved to?"
    const wanted = topics.filter(([key]) => mentionsTopic(wishIn(question), key));
    for (const [key, value] of wanted.length > 0 ? wanted : topics) answers.set(value, { value, name: nameAskedFor(sentence, key) });
  }
  const values = open.filter(({ kind }) => kind === 'value').map(({ sentence }) => sentence);
  if (answers.size === 0 && values.length > 0) {
    const question = values.join(' ');
    const record = Object.entries(recordsOf({ say })).find(
      ([key, id]) =>
        mentionsTopic(question, key) &&
        !namesOther(question) &&
        !question.includes(id) &&
        // "Which wood would you like?" asks for the order number at most once.
        (numberLike.test(question) || !(told.includes(id) || isForAnother(question, id))),
    )?.[1];
    const unsaid = Object.values(knows).filter((value) => !told.includes(value) && !say.includes(value) && !question.includes(value));
    const value =
      record ??
      unsaid.find((fact) => fitsQuestion(question, fact)) ??
      (unsaid.length === 1 && opensWithWh.test(question) && !isForAnother(question, unsaid[0]) ? unsaid[0] : undefined);
    if (value !== undefined) answers.set(value, { value, name: null });
  }
  // "M310" and "My number is M310." are one answer.
  const all = [...answers.keys()];
  return [...answers.values()].filter(({ value }) => !all.some((other) => other !== value && other.includes(value)));
}

/** A bare noun asks for a topic of several words: "Slot?" for "which slot", "Bag tag:" for "which bag". */
function isNoun(sentence: string, key: string): boolean {
  const termsOf = (text: string) =>
    (text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter((term) => !/^(?:which|what|your|the|new|number|please|code|name)$/.test(term));
  const askedTerms = termsOf(sentence);
  return (
    askedTerms.length > 0 &&
    askedTerms.length <= 2 &&
    sentence.trim().split(/\s+/).length <= 4 &&
    termsOf(key).some((term) => askedTerms.includes(term))
  );
}

/** Facts that a message mentions and the customer has not told, although none of its sentences was recognized as a question. */
export function offersTo(text: string, { say, knows, told }: Card): readonly SpokenFact[] {
  const spokenText = [say, ...told].join('\n');
  // One of several offered options: "where to: standing / seated".
  const isOffered = (value: string) =>
    !mentionsValue(spokenText, value) &&
    patternOf(`(?:/|\\bor\\b|\\|) ?${escapePattern(value)}|${escapePattern(value)} ?(?:/|,? or\\b|\\|)`).test(text);
  const topics = openTopics(text, knows, spokenText).map(([, value]) => value);
  const values = topics.length > 0 ? topics : Object.values(knows).filter(isOffered);
  return values.map((value) => ({ value, name: null }));
}

/** Does a question name a kind of fact that this fact does not belong to? */
function isForAnother(question: string, fact: string): boolean {
  return fits.some(([request, kind]) => request.test(question) && !kind.test(fact)) || (/@/.test(fact) && !/mail/i.test(question));
}

const opensWithWh = /\b(?:what|which|when|where|who|how (?:many|much|long))\b/i;
/** A question for a number of the person, not of the requested object. */
const namesOther = (question: string) =>
  /\b(?:customer|client|member|membership|account|card|holder|phone|student|tax|policy|your) (?:\w+ )?(?:number|code|id|name)\b|\bname\b/i.test(
    question,
  );
const fits: readonly (readonly [RegExp, RegExp])[] = [
  [
    linear(/\b(?:when|days?|time|date|slot|until)\b/i),
    linear(
      /\b(?:\d{4}-\d\d-\d\d|\d{1,2}[:.]\d\d|\d{1,2} ?[ap]m|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan\w*|feb\w*|march|april|may|june|july|august|sep\w*|oct\w*|nov\w*|dec\w*|tomorrow|today)\b/i,
    ),
  ],
  [linear(/\b(?:where|address|street|place)\b/i), linear(/\p{L}{3,}.*\b\d{1,4}\b/u)],
  [linear(/\b(?:how many|how much|how long)\b/i), /^\D*\d+\b/],
  [linear(/\b(?:e-?mail)\b/i), /@/],
  [linear(/\bnames?\b/i), /^\P{N}+$/u],
];

/** Does a question word ask for this kind of fact? */
function fitsQuestion(question: string, fact: string): boolean {
  return fits.some(([request, kind]) => request.test(question) && kind.test(fact));
}

/** The question's own name for a topic: "email" in "May I have your email?". Null if it has no name that fits after "my". */
function nameAskedFor(sentence: string, key: string): string | null {
  const names = key.split('|').map((word) => word.trim());
  return names.find((word) => patternOf(`\\byour (?:[a-z]+ ){0,2}${escapePattern(word)}s?\\b`).test(sentence)) ?? null;
}
