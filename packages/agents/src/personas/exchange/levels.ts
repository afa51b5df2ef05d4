/**
 * @file Parses Big Five levels in all common formats: 72, 7 of 10, "High. Very curious", "72/100", {score, description}, and so on.
 *
 * A text without a level stays a statement.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { traits } from '../form.ts';
import type { BigFive, Trait, TraitLevel } from '../persona.ts';
import { firstText, numberIn, textIn } from './loose.ts';

export const traitKeys: Readonly<Record<Trait, string>> = {
  O: 'openness',
  C: 'conscientiousness',
  E: 'extraversion',
  A: 'agreeableness',
  N: 'neuroticism',
};

/** Level words with their scores; the first match counts, so longer ones come first. */
const levelWords: readonly (readonly [RegExp, number])[] = [
  [/^(?:very|extremely|exceptionally)[ -]high\b/i, 90],
  [/^(?:very|extremely|exceptionally)[ -]low\b/i, 10],
  [/^(?:low|moderate(?:ly)?|medium|mid)[ -](?:to[ -])?(?:low|medium|moderate(?:ly low)?)\b/i, 35],
  [/^(?:moderately|somewhat|relatively|slightly|fairly)[ -]low\b|^(?:slightly |somewhat )?below[ -]average\b/i, 35],
  [/^(?:moderate|medium|mid)[ -](?:to[ -])?high\b|^(?:moderately|somewhat|relatively|slightly|fairly|quite)[ -]high\b/i, 65],
  [/^slightly above[ -]average\b/i, 58],
  [/^(?:somewhat )?above[ -]average\b/i, 65],
  [/^high\b/i, 80],
  [/^(?:medium|moderate|average|balanced|neutral|mid)\b/i, 50],
  [/^low\b/i, 20],
];

interface Read {
  readonly score: number;
  readonly note?: string;
}

/** The level in a text, or null if it contains none. */
export function levelIn(text: string): Read | null {
  const start = text.trim();
  for (const [pattern, score] of levelWords) {
    const match = pattern.exec(start);
    if (match === null) continue;
    const fraction = linear(/^\s*\(?\s*(\d+(?:\.\d+)?)\s*\/\s*(\d+)\s*\)?/).exec(start.slice(match[0].length));
    const exact = fraction === null ? null : scaleScore(Number(fraction[1]), Number(fraction[2]));
    return withNote(exact ?? score, start.slice(match[0].length + (exact === null ? 0 : (fraction as RegExpExecArray)[0].length)));
  }
  const fraction = /^(\d+(?:\.\d+)?)\s*(?:\/\s*(\d+)|%)?/.exec(start);
  if (fraction === null) return null;
  const score = scaleScore(Number(fraction[1]), Number(fraction[2] ?? 100));
  return score === null ? null : withNote(score, start.slice(fraction[0].length));
}

/** All five traits from an object with five values in any format. `rest` contains the values without a level. */
export function bigFiveIn(jsonObject: JsonObject): { readonly bigFive: BigFive; readonly rest: JsonObject } {
  const scale = scaleOf(jsonObject);
  const match: { [T in Trait]?: TraitLevel } = {};
  const rest: Record<string, Json> = {};
  const used = new Set<string>();
  for (const trait of traits) {
    const key = traitKeys[trait];
    const value = Object.hasOwn(jsonObject, key) ? jsonObject[key] : undefined;
    const level = levelOfValue(value, scale);
    used.add(key);
    if (level === null) {
      if (value !== undefined) rest[key] = value;
      continue;
    }
    const note = level.note ?? textIn(jsonObject[`${key}_description`]);
    if (level.note === undefined && note !== undefined) used.add(`${key}_description`);
    match[trait] = note === undefined ? { score: level.score } : { score: level.score, note };
  }
  for (const [key, value] of Object.entries(jsonObject)) if (!used.has(key)) rest[key] = value;
  return { bigFive: match, rest };
}

/** "High. note", TinyTroupe's format of a level, with the number if the word alone would lose it. */
export function levelText({ score, note }: TraitLevel): string {
  const word = score >= 85 ? 'Very high' : score >= 70 ? 'High' : score > 30 ? 'Medium' : score > 15 ? 'Low' : 'Very low';
  const exact = levelIn(word)?.score === score ? '' : ` (${score}/100)`;
  return `${word}${exact}.${note === undefined ? '' : ` ${note}`}`;
}

function levelOfValue(value: Json | undefined, scale: number): Read | null {
  if (typeof value === 'number') {
    const score = scaleScore(value, scale);
    return score === null ? null : { score };
  }
  if (typeof value === 'string') return levelIn(value);
  if (!isObject(value)) return null;
  const input = value['score'] ?? value['value'] ?? value['level'] ?? value['rating'];
  const level = levelOfValue(input, scale) ?? levelIn(firstText(value, 'level', 'description', 'descriptor', 'notes', 'note') ?? '');
  if (level === null) return null;
  const note = firstText(value, 'description', 'descriptor', 'notes', 'note') ?? level.note;
  return note === undefined ? { score: level.score } : { score: level.score, note };
}

/** The scale of bare numbers is inferred from all five together: no person has all five traits below ten out of a hundred. */
function scaleOf(jsonObject: JsonObject): number {
  const numbers = traits
    .map((trait) => jsonObject[traitKeys[trait]])
    .map((value) => (isObject(value) ? numberIn(value['score'] ?? value['value'] ?? value['level'] ?? value['rating']) : value))
    .filter((value) => typeof value === 'number');
  const largest = Math.max(...numbers, 0);
  if (numbers.some((value) => !Number.isInteger(value)) && largest <= 1) return 1;
  return largest <= 5 ? 5 : largest <= 10 ? 10 : 100;
}

/** Converts to 0–100. Five-point scales run from 1 to 5, the others from 0. */
function scaleScore(value: number, scale: number): number | null {
  const score = scale === 5 ? ((value - 1) / 4) * 100 : (value / scale) * 100;
  return scale > 0 && score >= 0 && score <= 100 ? Math.round(score * 100) / 100 : null;
}

function withNote(score: number, rest: string): Read {
  const note = rest.replace(/^[\s.,;:—–)-]+/, '').trim();
  return note === '' ? { score } : { score, note };
}
