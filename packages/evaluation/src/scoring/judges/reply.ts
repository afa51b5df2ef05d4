/**
 * @file Parses a judge's reply: JSON in prose or code fences, with trailing commas or odd quotation marks, or labeled lines.
 *
 * The form is parsed leniently, the content strictly: nothing is guessed, and two different answers are no answer.
 */

import { equal, type Json, type JsonObject, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

export type ParsedReply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export const problem = (text: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem: text });

/** The only JSON object in a reply that has the wanted key. */
export function objectWith(text: string, key: string): ParsedReply<JsonObject> {
  const jsonObjects: JsonObject[] = [];
  for (const piece of balancedPieces(text)) {
    const value = parsePiece(piece);
    if (value === undefined || !Object.hasOwn(value, key)) continue;
    if (!jsonObjects.some((jsonObject) => equal(jsonObject, value))) jsonObjects.push(value);
  }
  if (jsonObjects.length === 1) return { ok: true, value: jsonObjects[0] };
  if (jsonObjects.length > 1) return problem(`it contains ${jsonObjects.length} different answers; give exactly one`);
  return problem(`no complete JSON object with the key "${key}" was found in it`);
}

/** The maximum number of open braces in the prose around an answer; trying each of thousands would take quadratic time. */
const strayBraces = 50;

/** Every outermost {…} that closes, strings respected. What never closes was cut off and is no answer. */
function balancedPieces(text: string): string[] {
  const pieces: string[] = [];
  let stray = 0;
  for (let start = text.indexOf('{'); start >= 0 && stray < strayBraces; ) {
    const end = closing(text, start);
    if (end >= 0) pieces.push(text.slice(start, end + 1));
    else stray++;
    start = text.indexOf('{', end >= 0 ? end + 1 : start + 1);
  }
  return pieces;
}

function closing(text: string, start: number): number {
  let depth = 0;
  let inside = false;
  for (let i = start; i < text.length; i++) {
    const character = text[i];
    if (inside) {
      if (character === '\\') i++;
      else if (character === '"') inside = false;
    } else if (character === '"') inside = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return i;
  }
  return -1;
}

/** JSON as models write it: the second try drops trailing commas and comments and reads Python's names for true and false. */
function parsePiece(piece: string): JsonObject | undefined {
  for (const repair of [(text: string) => text, outsideStrings])
    try {
      const value = parseJson(repair(piece));
      return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : undefined;
    } catch {
      // Another attempt may succeed; if none does, there is no answer here.
    }
  return undefined;
}

/** Repairs between strings; the content of strings, quotes above all, stays as it is, except for raw line breaks. */
function outsideStrings(text: string): string {
  const parts = text.split(linear(/("(?:[^"\\]|\\.)*")/su));
  for (let i = 0; i < parts.length; i++)
    parts[i] =
      i % 2 === 1
        ? parts[i].replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '')
        : parts[i]
            .replace(linear(/\/\/[^\n]*|\/\*.*?\*\//gsu), '')
            .replace(/\bTrue\b/g, 'true')
            .replace(/\bFalse\b/g, 'false')
            .replace(/\bNone\b/g, 'null');
  // A comma before a closing bracket may be the last character of its part; the bracket is in the same part, since no string is between
  // them.
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(/,(\s*[}\]])/g, '$1'))).join('');
}

/**
 * Replies without JSON: each label at the start of a line, bare or decorated, and what follows up to the next label. A reply with a brace
 * in it has tried JSON and is read as JSON only. A repeated label makes the reply unreadable.
 */
export function parseLabels(text: string, labels: readonly string[]): ParsedReply<ReadonlyMap<string, string>> {
  if (text.includes('{')) return problem('its JSON could not be read');
  const wanted = new Map(labels.map((label) => [label.toLowerCase(), label]));
  const sections = new Map<string, string>();
  let current: string | undefined;
  for (const line of text.split('\n')) {
    const match = linear(/^[\s>*_#•+-]*(?:\d+[.)]\s*)?[*_`]*([\p{L}\p{N}-]+)[*_`]*\s*[:=|][*_]*\s*(.*)$/u).exec(line);
    const label = match === null ? undefined : wanted.get(match[1].toLowerCase());
    if (label !== undefined) {
      if (sections.has(label)) return problem(`it answers "${label}" twice`);
      current = label;
      sections.set(label, (match as RegExpExecArray)[2]);
    } else if (current !== undefined) sections.set(current, `${sections.get(current)}\n${line}`);
  }
  return sections.size === 0 ? problem('it contains neither JSON nor labeled lines') : { ok: true, value: sections };
}

/** A whole number as judges write it: 4, "4", "**4**", ": 4", "4/5", "[12]", "event 12". Anything else is invalid. */
export function wholeNumber(value: Json | undefined): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  if (typeof value !== 'string') return null;
  const match = linear(
    /^[\s:*_[(#]*(?:event|line|score|severity)?[\s:*_[(#]*([+-]?\d{1,6})(?:\s*(?:\/|of|out of)\s*\d+)?[\s*_\])."]*$/iu,
  ).exec(value);
  return match === null ? null : Number(match[1]);
}

/** yes, no or na, in any formatting. */
export function yesNo(value: Json | undefined): 'yes' | 'no' | 'na' | null {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return null;
  const word = value.toLowerCase().replace(linear(/^[\s*_"'`(]+|[\s*_"'`).!]+$/g), '');
  if (word === 'yes' || word === 'y' || word === 'true') return 'yes';
  if (word === 'no' || word === 'n' || word === 'false') return 'no';
  return word === 'na' || word === 'n/a' || word === 'not applicable' ? 'na' : null;
}

/** An event number and a quotation on a labelled line, e.g. `[12] "I never said that"`. */
export function parseCitation(text: string): { readonly event: number; readonly quote: string } | null {
  const event = linear(/\[(\d{1,6})\]|\b(?:event|line)\s*#?(\d{1,6})\b/iu).exec(text);
  const quote = linear(/"([^"]+)"|“([^”]+)”/u).exec(text);
  if (event === null || quote === null) return null;
  return { event: Number(event[1] ?? event[2]), quote: (quote[1] ?? quote[2]) as string };
}
