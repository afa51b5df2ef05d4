/**
 * @file Converts second person to third and back: "You are shy and keep to yourself" ↔ "They are shy and keep to themself".
 *
 * Singular they takes the same verb forms as you, so no grammar is needed and the conversion back is exact. A text that already uses "they"
 * for others is unchanged, because the conversion back could not distinguish them.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

const there: Readonly<Record<string, string>> = { your: 'their', yours: 'theirs', yourself: 'themself' };
const back: Readonly<Record<string, string>> = {
  they: 'you',
  them: 'you',
  their: 'your',
  theirs: 'yours',
  themself: 'yourself',
};

/** After one of these words, "you" is an object. */
const before = new Set(
  'to for with of about from by at on around against than like between toward towards upon behind without let lets make makes made help helps give gives keep keeps drive drives love loves support supports taught teach teaches encourage encourages know knows tell tells ask asks leave leaves see sees'.split(
    ' ',
  ),
);

export function thirdPerson(text: string): string {
  if (/\b(?:they|them|their|theirs|themsel(?:f|ves)|yourselves)\b/i.test(text) || /\bYOU/.test(text)) return text;
  return text.replace(/\b(you)\b|\b(your|yours|yourself)\b/gi, (word, you: string | undefined, _other, at: number) => {
    if (you === undefined) return sameCase(word, there[word.toLowerCase()]!);
    return sameCase(word, isObject(text, at) ? 'them' : 'they');
  });
}

export function secondPerson(text: string): string {
  return text.replace(/\b(?:they|them|their|theirs|themself)\b/gi, (word) => sameCase(word, back[word.toLowerCase()]!));
}

function isObject(text: string, at: number): boolean {
  const previous = linear(/([\p{L}']+)\s+$/u).exec(text.slice(Math.max(0, at - 30), at))?.[1];
  const next = text.slice(at + 3, at + 5);
  return previous !== undefined && (before.has(previous.toLowerCase()) || /^(?:$|[.,;:!?)])/.test(next));
}

function sameCase(model: string, word: string): string {
  return /^\p{Lu}/u.test(model) ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
