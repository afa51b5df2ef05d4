/**
 * @file The actions of characters and their effects: parses moves, records promises, hands over objects, detects revealed secrets, and
 * scores goals.
 */

import type { Action, ParsedMove, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { wordsOf } from '../chat.ts';
import { talkOf } from '../together.ts';
import type { Character, Condition, SocialScene } from './scene.ts';

export type Doing =
  | { readonly kind: 'speak' | 'gesture' | 'act'; readonly text: string; readonly to: Seat | null }
  | { readonly kind: 'leave' }
  | { readonly kind: 'none' };

/** The changing part of a scene. `words[seat][term]` is the number of a seat's latest promise, or 0 if the term has no number. */
export type SocialSituation = {
  readonly places: { readonly [seat: Seat]: string };
  readonly present: { readonly [seat: Seat]: boolean };
  readonly holders: { readonly [object: string]: string };
  readonly words: { readonly [seat: Seat]: { readonly [term: string]: number } };
};

const form =
  'Say what you say in plain words, or write one of [speak "…"], [gesture "…"], [act "…"], [leave], [none]; add to: NAME inside the brackets to address someone.';

const bracketed = linear(/\[[^[\]]*\]/g);
const quoteMarks = /["“”„]/g;
const verbs = linear(/\[\s*(?:speak|gesture|act|leave|none)\b/i);
const verb = linear(/^(?:speak|gesture|act|leave|none)\b/i);

/**
 * Parses a character's answer. Plain text is speech. A move in brackets is performed, and text next to it is said before it. Text next to
 * [speak "…"] is thought, and brackets with any other content are stage directions within the speech.
 */
export function doingsOf({ text }: Action, seats: readonly Seat[]): ParsedMove<readonly Doing[]> {
  const refuse = (problem: string) => ({ ok: false, problem: `${problem} ${form}` }) as const;
  const groups = [...text.matchAll(bracketed)];
  const moves = groups.filter(([group]) => verb.test(group.slice(1, -1).trim()));
  if (moves.length > 1) return refuse('Your answer has more than one move.');
  const [move] = moves;
  if (move === undefined) {
    if (text.lastIndexOf('[') > text.lastIndexOf(']')) return refuse('Your move has no closing bracket.');
    const speech = speechIn(text);
    const onlyBrackets = groups.length > 0 && speechIn(text.replace(bracketed, ' ')) === '';
    if (speech === '') return refuse('Your answer is empty.');
    return onlyBrackets ? refuse(`${groups[0][0].slice(0, 60)} is not a move here.`) : { ok: true, move: [speak(speech)] };
  }
  const doing = doingIn(move[0].slice(1, -1), seats);
  if (!doing.ok) return doing;
  const speech = doing.move.kind === 'speak' ? '' : speechIn(text.replace(move[0], ' '));
  const spoken = speech === '' ? [] : [speak(speech)];
  return { ok: true, move: doing.move.kind === 'none' && speech !== '' ? spoken : [...spoken, doing.move] };
}

/** Parses an answer in a conversation: a move in brackets is performed, and all other text is said as written. */
export function spokenDoings(action: Action, seats: readonly Seat[]): readonly Doing[] {
  const speech = wordsOf(action);
  if (speech === '') return [{ kind: 'none' }];
  const read = verbs.test(speech) ? doingsOf(action, seats) : null;
  return read?.ok === true ? read.move : [speak(speech)];
}

function speak(text: string): Doing {
  return { kind: 'speak', text, to: null };
}

/** Returns speech as it is heard: without a label such as "Speech:", without enclosing quotes, and with brackets as parentheses. */
function speechIn(text: string): string {
  const plain = text
    .replace(linear(/^\s*(?:speech|say|says)\s*:\s*/i), '')
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .trim();
  const [, quoted] = /^["“„]([^"“”„]*)["”]$/.exec(plain) ?? [];
  return talkOf(quoted ?? withoutLoneQuote(plain));
}

/** Drops an unmatched quotation mark, as in an answer that was cut off. */
function withoutLoneQuote(text: string): string {
  const marks = text.match(quoteMarks) ?? [];
  return marks.length === 1 ? text.replace(quoteMarks, '').trim() : text;
}

/** Parses a move without its brackets. Quotes may be straight, curly, unmatched, or missing. */
function doingIn(inner: string, seats: readonly Seat[]): ParsedMove<Doing> {
  const plain = inner.replace(/[“”„]/g, '"').replace(/\s+/g, ' ').trim();
  const move = withoutLoneQuote(plain);
  if (/^leave$/i.test(move)) return { ok: true, move: { kind: 'leave' } };
  if (/^none$/i.test(move)) return { ok: true, move: { kind: 'none' } };
  const [, kind, before, quoted, after] =
    linear(/^(speak|gesture|act)\s+(?:to:\s*(\w+)\s+)?("[^"]*"|[^"]+?)(?:\s+to:\s*(\w+))?$/i).exec(move) ?? [];
  const text = talkOf((quoted ?? '').replaceAll('"', ''));
  if (kind === undefined || text === '') return { ok: false, problem: form };
  const to = (before ?? after)?.toLowerCase() ?? null;
  if (to !== null && !seats.includes(to))
    return { ok: false, problem: `Nobody called ${to.slice(0, 40)} is here. Present: ${seats.join(', ')}.` };
  return { ok: true, move: { kind: kind.toLowerCase() as 'speak' | 'gesture' | 'act', text, to } };
}

/** Normalizes a text: lower case, words and numbers only, with a space before and after each. "1,200" becomes 1200. */
export function foldText(text: string): string {
  const plain = text.toLowerCase().replace(/(?<=\d)[,.'](?=\d{3}\b)/g, '');
  return ` ${plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

/** Returns the promises in a text: terms with their numbers, or 0 if a term has no number. */
export function wordsIn(terms: SocialScene['terms'], text: string): readonly (readonly [string, number])[] {
  // Most lines contain no promise, and normalizing is slow.
  if (!linear(/\bi\s+(?:agree|promise)\b/i).test(text)) return [];
  const speech = foldText(text);
  const inputs: (readonly [string, number])[] = [];
  for (const [term, pattern] of patternsOf(terms)) {
    const match = pattern.exec(speech);
    if (match !== null) inputs.push([term, Number(match[1] ?? 0)]);
  }
  return inputs;
}

const patterns = new WeakMap<SocialScene['terms'], readonly (readonly [string, RegExp])[]>();

/** Returns patterns that find the latest promise on each term in normalized text. */
function patternsOf(terms: SocialScene['terms']): readonly (readonly [string, RegExp])[] {
  const pattern = patterns.get(terms);
  if (pattern !== undefined) return pattern;
  const results = Object.entries(terms).map(([term, phrase]) => {
    const sought = phrase.split('#').map(foldText).join('(\\d{1,9})');
    return [term, linear(new RegExp(`^.* i (?:agree|promise)${sought}`))] as const;
  });
  patterns.set(terms, results);
  return results;
}

/** Returns whether a text reveals a secret. Matching ignores case, punctuation, and spacing. */
export function leaks(marks: readonly string[], text: string): boolean {
  const speech = foldText(text);
  const squeezed = speech.replaceAll(' ', '');
  for (const mark of marks) {
    const { words, letters } = foldMark(mark);
    // Also matches letters that are spelled out one by one. Short marks and numbers are excluded, because they would match by accident.
    if (speech.includes(words) || (letters !== '' && squeezed.includes(letters))) return true;
  }
  return false;
}

const foldedMarks = new Map<string, { readonly words: string; readonly letters: string }>();

function foldMark(mark: string): { readonly words: string; readonly letters: string } {
  const foldedMark = foldedMarks.get(mark);
  if (foldedMark !== undefined) return foldedMark;
  const folded = foldText(mark);
  const letters = folded.replaceAll(' ', '');
  const result = { words: folded, letters: letters.length < 7 || /^\d+$/.test(letters) ? '' : letters };
  // Marks contain random numbers, so there can be many. Evicted ones are simply normalized again.
  if (foldedMarks.size > 10_000) foldedMarks.clear();
  foldedMarks.set(mark, result);
  return result;
}

/** Applies an act: giving, taking, or putting down an object, or going to a place. Other acts change nothing. */
export function applyAct(
  places: SocialScene['places'],
  situation: SocialSituation,
  { seat, text }: { readonly seat: Seat; readonly text: string },
): SocialSituation {
  const spokenText = foldText(text).trim();
  const here = situation.places[seat];
  const [, gift, receiver] = /^give (?:the )?(.+) to (\w+)$/.exec(spokenText) ?? [];
  if (gift !== undefined && receiver !== undefined) {
    const can = situation.holders[gift] === seat && situation.present[receiver] && situation.places[receiver] === here && receiver !== seat;
    return can ? { ...situation, holders: { ...situation.holders, [gift]: receiver } } : situation;
  }
  const [, object] = /^take (?:the )?(.+)$/.exec(spokenText) ?? [];
  if (object !== undefined && situation.holders[object] === here)
    return { ...situation, holders: { ...situation.holders, [object]: seat } };
  const [, put] = /^put down (?:the )?(.+)$/.exec(spokenText) ?? [];
  if (put !== undefined && situation.holders[put] === seat) return { ...situation, holders: { ...situation.holders, [put]: here } };
  const [, place] = /^go to (?:the )?(.+)$/.exec(spokenText) ?? [];
  if (place !== undefined && place !== here && places.includes(place))
    return { ...situation, places: { ...situation.places, [seat]: place } };
  return situation;
}

export function holds(situation: SocialSituation, condition: Condition): boolean {
  switch (condition.kind) {
    case 'holds':
      return situation.holders[condition.object] === condition.who;
    case 'at':
      return situation.places[condition.who] === condition.place;
    case 'not':
      return !holds(situation, condition.of);
    case 'word':
      return situation.words[condition.who]?.[condition.term] !== undefined;
    case 'deal': {
      const [item, other] = condition.between.map((seat) => situation.words[seat]?.[condition.term]);
      return item !== undefined && item === other && within(item, condition);
    }
  }
}

/** Returns whether a number satisfies a deal's limit. Limits are numbers once the scene is filled. */
export function within(number: number, { bound, limit }: Extract<Condition, { kind: 'deal' }>): boolean {
  return bound === 'least' ? number >= Number(limit) : number <= Number(limit);
}

/** Returns the share of a character's conditions that are met, from 0 to 1. Without conditions, the reward is 0. */
export function goalScore(situation: SocialSituation, { conditions }: Character): number {
  return conditions.length === 0 ? 0 : conditions.filter((condition) => holds(situation, condition)).length / conditions.length;
}
