/** @file Redacts personal data in conversations before they are stored: emails, phone and card numbers, accounts, IP addresses. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Transcript } from '@ludus-agents/store/internal/imports/index';

const kinds: readonly (readonly [string, RegExp])[] = [
  ['email', linear(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g)],
  ['account', /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b/g],
  ['card', /\b(?:\d[ -]?){12,18}\d\b/g],
  ['ssn', /\b\d{3}-\d{2}-\d{4}\b/g],
  ['ip', /\b(?:\d{1,3}\.){3}\d{1,3}\b/g],
  // With a country code, a leading zero before the area code, or at least three groups that are not a date.
  ['phone', /(?<![\w.])\+\d[\d ()/-]{5,17}\d(?!\w|\.\d)/g],
  ['phone', linear(/(?<![\w./-])\(?0\d{1,4}\)?[ /-]\d{3,}(?:[ /-]\d{2,})*(?![\w/-]|\.\d)|(?<![\w./-])0\d{7,12}(?![\w/-]|\.\d)/g)],
  ['phone', /(?<![\w.])(?!\d{4}-\d\d-\d\d\b|\d\d?[/-]\d\d?[/-]\d{4}\b)\+?\(?\d{2,4}\)?(?:[ /-]\d{2,4}){2,4}(?!\w|\.\d)/g],
];

/** The conversation with each value replaced by a placeholder. Equal values share a placeholder, so references stay intact. */
export function redactTranscript(
  transcript: Transcript,
  words: readonly string[] = [],
): { readonly transcript: Transcript; readonly replaced: number } {
  const names = new Map<string, string>();
  const nameFor = (kind: string, value: string): string => {
    const key = `${kind} ${value.toLowerCase()}`;
    const name = names.get(key) ?? `[${kind} ${[...names.keys()].filter((otherName) => otherName.startsWith(`${kind} `)).length + 1}]`;
    names.set(key, name);
    return name;
  };
  let replaced = 0;
  const clean = (text: string): string => {
    let out = text;
    for (const word of words)
      out = out.replace(
        new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'),
        (match) => {
          replaced++;
          return nameFor('name', match);
        },
      );
    for (const [kind, pattern] of kinds)
      out = out.replace(pattern, (match) => {
        replaced++;
        return nameFor(kind, match);
      });
    return out;
  };
  const deep = (value: Json): Json => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map((item: Json) => deep(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value as JsonObject).map(([key, item]) => [key, deep(item)]));
  };
  const lines = deep(transcript.lines) as Transcript['lines'];
  return { transcript: { ...transcript, lines, task: deep(transcript.task) as JsonObject }, replaced };
}
