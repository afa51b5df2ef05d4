/**
 * @file What characters do, and what follows from it: moves are read, promises are made, objects change hands, secrets are revealed, goals
 * are met.
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

/** What changes in a scene. `words[seat][term]` is the number a seat has last given its word on, 0 where the term has none. */
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
 * Reads a character's answer. Plain words are speech; a move in brackets is done, and words next to it are said before it. Words next to
 * [speak "…"] are thoughts, and brackets with anything else are stage directions inside the speech.
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

/** Reads an answer in a conversation: a move in brackets is done, and everything else is said as it is written. */
export function spokenDoings(action: Action, seats: readonly Seat[]): readonly Doing[] {
  const speech = wordsOf(action);
  if (speech === '') return [{ kind: 'none' }];
  const read = verbs.test(speech) ? doingsOf(action, seats) : null;
  return read?.ok === true ? read.move : [speak(speech)];
}

function speak(text: string): Doing {
  return { kind: 'speak', text, to: null };
}

/** Words as they are heard: without a label such as "Speech:", without quotes around all of them, with brackets as parentheses. */
function speechIn(text: string): string {
  const plain = text
    .replace(linear(/^\s*(?:speech|say|says)\s*:\s*/i), '')
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .trim();
  const [, quoted] = /^["“„]([^"“”„]*)["”]$/.exec(plain) ?? [];
  return talkOf(quoted ?? withoutLoneQuote(plain));
}

/** A quotation mark that opens or closes nothing, as in an answer that was cut off, is dropped. */
function withoutLoneQuote(text: string): string {
  const marks = text.match(quoteMarks) ?? [];
  return marks.length === 1 ? text.replace(quoteMarks, '').trim() : text;
}

/** A move without its brackets. Quotes may be straight, curly, unmatched or missing. */
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

/** Lower case, words and numbers only, a space before and after each; "1,200" is 1200. */
export function foldText(text: string): string {
  const plain = text.toLowerCase().replace(/(?<=\d)[,.'](?=\d{3}\b)/g, '');
  return ` ${plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

/** What someone gives their word on by saying this: terms with their numbers, 0 where a term has none. */
export function wordsIn(terms: SocialScene['terms'], text: string): readonly (readonly [string, number])[] {
  // Most lines give no word, and folding is slow.
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

/** How the last word on each term is found in folded text. */
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

/** Does a text give a secret away? Phrases and numbers are found whatever their case, punctuation or spacing. */
export function leaks(marks: readonly string[], text: string): boolean {
  const speech = foldText(text);
  const squeezed = speech.replaceAll(' ', '');
  for (const mark of marks) {
    const { words, letters } = foldMark(mark);
    // Letters may be spelled out one by one; short marks and numbers would be found so by accident.
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
  // Marks hold drawn numbers, so there are many; what is forgotten is only folded again.
  if (foldedMarks.size > 10_000) foldedMarks.clear();
  foldedMarks.set(mark, result);
  return result;
}

/** What an act changes: things are given, taken and put down, and places are gone to. Other acts are only seen. */
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

/** Is a number on the right side of a deal's limit? Limits are numbers once the scene is filled. */
export function within(number: number, { bound, limit }: Extract<Condition, { kind: 'deal' }>): boolean {
  return bound === 'least' ? number >= Number(limit) : number <= Number(limit);
}

/** The share of a character's conditions that hold, from 0 to 1; with none there is nothing to reach, and nothing is paid. */
export function goalScore(situation: SocialSituation, { conditions }: Character): number {
  return conditions.length === 0 ? 0 : conditions.filter((condition) => holds(situation, condition)).length / conditions.length;
}
