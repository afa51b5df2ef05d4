/**
 * @file The epistemic ledger: which seat learned which fact, from whom and when, computed from a log; and leaks, facts uttered by a seat
 * that could not know them.
 *
 * A fact is known from the start to its owner and to the seats that its visibility includes; all others learn it from a message that states
 * it. Whether a text states a fact is judged by words: the share of the fact's informative words in two consecutive sentences, because a
 * long text contains every word somewhere. This is strict and repeatable, but blind to paraphrase; a better judge can be passed in.
 */

import type { EpisodeEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { addresseeText, expandMacros, levelOf, mayKnow, type Persona, sentences, type Visibility } from '../personas/index.ts';
import { termsOf } from './relevance.ts';

export interface KnownFact {
  readonly id: string;
  readonly text: string;
  readonly owner: Seat;
  readonly visibility: Visibility;
}

/** Learned at the event with this index; −1 for initial knowledge. `from` is a seat, or null for the environment. */
export interface Learned {
  readonly fact: string;
  readonly seat: Seat;
  readonly from: Seat | null;
  readonly at: number;
}

export interface Leak {
  readonly fact: string;
  readonly seat: Seat;
  readonly owner: Seat;
  /** The index of the event that states it. */
  readonly at: number;
  readonly text: string;
}

export type Says = (text: string, fact: KnownFact) => boolean;

/**
 * A text with at least this share of a fact's informative words states it. Facts with fewer words than `fewest` are ignored, because texts
 * contain them by chance.
 */
const share = 0.75;
const fewest = 3;

/** Judges by words; common names (`plain`) are not informative. */
function saysByWords(plain: readonly string[]): Says {
  const dull = new Set(plain.flatMap(termsOf));
  const knownNames = new Map<string, readonly string[]>();
  const telling = (text: string) => {
    const matches = knownNames.get(text) ?? [...new Set(termsOf(text))].filter((term) => !dull.has(term));
    knownNames.set(text, matches);
    return matches;
  };
  let last = { text: '', whole: pairsOf(''), affirmed: pairsOf('') };
  // Cached, because one text is compared with many facts in a row.
  const passages = (text: string, isDenial: boolean) => {
    if (text !== last.text) last = { text, whole: pairsOf(text), affirmed: pairsOf(text, dropDenials) };
    return isDenial ? last.whole : last.affirmed;
  };
  return (text, fact) => {
    const wanted = telling(fact.text);
    if (wanted.length < fewest) return false;
    const enough = Math.ceil(share * wanted.length);
    return passages(text, negation.test(fact.text)).some((terms) => wanted.filter((term) => terms.has(term)).length >= enough);
  };
}

const negation = /\b(?:not|never|no longer|cannot|nothing|nobody|no one|none|without)\b|n['’]t\b/i;

/** A statement without its negated clauses: who says "I never let them through" tells nobody that he does. */
function dropDenials(sentence: string): string {
  return sentence
    .split(/[,;:–—]/)
    .filter((clause) => !negation.test(clause))
    .join(',');
}

/** The words of every two consecutive statements. */
function pairsOf(text: string, cleaned: (sentence: string) => string = (sentence) => sentence): readonly ReadonlySet<string>[] {
  const parts = sentences(text)
    .map((sentence) => cleaned(dropQuestions(sentence)))
    .filter((part) => part !== '')
    .map(termsOf);
  return parts.map((terms, i) => new Set([...terms, ...(parts[i + 1] ?? [])]));
}

const indirect = linear(
  /\b(?:about|of|on|asks?|asked|asking|wonders?|wondered|wondering|question|topic|know|knows|knew|tell|tells|find out|guess)\s+(?:me\s+|us\s+)?(?:who|whom|whose|what|which|why|how|where|when|whether|if)\b[^.!?;:]*/gi,
);
const supposed = linear(
  /^\s*(?:(?:who|what|which|why|how|where|when|whether|if|suppose|imagine)\b|the (?:talk|scene) is (?:of|about)\b|(?:the |our )?topic\s*:|your goal\s*:|(?:did|do|does|is|are|was|were|has|have|had|could|would)\s+(?:you|he|she|they|it|we|i)\b)/i,
);

/**
 * The statement in a sentence: empty for questions, suppositions, and topics ("the talk is of the sunken ferry"); indirect questions are
 * removed.
 */
function dropQuestions(sentence: string): string {
  if (/\?["'”’)]*\s*$/.test(sentence) || supposed.test(sentence)) return '';
  return sentence.replace(indirect, ' ').trim();
}

/** Every fact of a cast that is not public: secrets, and statements and goals with restricted visibility. */
export function factsOf(personas: Readonly<Record<Seat, Persona>>): readonly KnownFact[] {
  return Object.entries(personas).flatMap(([owner, persona]) => {
    const others = Object.entries(personas).flatMap(([seat, other]) => (seat === owner ? [] : [other]));
    const names = { char: persona.nickname || persona.name, user: addresseeText(others) };
    const facts = [
      ...persona.secrets.map(({ id, text }) => ({ id: `${owner}/${id}`, text, owner, visibility: 'self' as const })),
      ...[...persona.statements, ...persona.goals].map(({ id, text, visibility }) => ({ id: `${owner}/${id}`, text, owner, visibility })),
    ];
    return facts.filter(({ visibility }) => visibility !== 'public').map((fact) => ({ ...fact, text: expandMacros(fact.text, names) }));
  });
}

export interface LedgerOptions {
  readonly says?: Says;
  readonly facts?: readonly KnownFact[];
}

/** The facts that each seat knows by the end of a log, and how it learned them, in order. */
export function ledger(
  events: Iterable<EpisodeEvent>,
  personas: Readonly<Record<Seat, Persona>>,
  options: LedgerOptions = {},
): readonly Learned[] {
  return fold(events, personas, options).learned;
}

/** Every fact uttered by a seat that could not know it at that time. */
export function leaks(
  events: Iterable<EpisodeEvent>,
  personas: Readonly<Record<Seat, Persona>>,
  options: LedgerOptions = {},
): readonly Leak[] {
  return fold(events, personas, options).leaks;
}

function fold(events: Iterable<EpisodeEvent>, personas: Readonly<Record<Seat, Persona>>, options: LedgerOptions) {
  const facts = options.facts ?? factsOf(personas);
  const says = options.says ?? saysByWords(Object.entries(personas).flatMap(([seat, { name, aliases }]) => [seat, name, ...aliases]));
  const learned: Learned[] = [];
  const matchingLeaks: Leak[] = [];
  const knows = new Set<string>();
  const learn = (item: Learned) => {
    const key = `${item.seat}\n${item.fact}`;
    if (knows.has(key)) return;
    knows.add(key);
    learned.push(item);
  };
  for (const fact of facts)
    for (const [seat, persona] of Object.entries(personas))
      if (seat === fact.owner || sees(fact, persona, personas[fact.owner])) learn({ fact: fact.id, seat, from: null, at: -1 });
  let at = -1;
  for (const event of events) {
    at++;
    const text = event.kind === 'message' ? event.text : event.kind === 'action' ? event.action.text : '';
    if (text === '' || (event.kind === 'message' && event.to.length === 0)) continue;
    for (const fact of facts) {
      if (!says(text, fact)) continue;
      if (event.kind === 'action') {
        if (!knows.has(`${event.seat}\n${fact.id}`)) matchingLeaks.push({ fact: fact.id, seat: event.seat, owner: fact.owner, at, text });
      } else if (event.kind === 'message') for (const seat of event.to) learn({ fact: fact.id, seat, from: event.from ?? null, at });
    }
  }
  return { learned, leaks: matchingLeaks };
}

function sees({ visibility }: KnownFact, { id, name, aliases }: Persona, owner: Persona | undefined): boolean {
  const viewer = { id, name, aliases };
  return owner !== undefined && mayKnow(visibility, viewer, levelOf(owner, viewer));
}
