/**
 * @file Tokens of a text by its sections: what stands between the marks of a chat template is encoded once and remembered. A chat that has
 * grown shares all but its last sections with the chat before.
 */

import { TokenCache } from './token-cache.ts';

/** Encodes as `encode` does. `marks` are texts that are one token wherever they stand, with their tokens. */
export function encodeSections(
  encode: (text: string) => readonly number[],
  marks: ReadonlyMap<string, number>,
): (text: string) => readonly number[] {
  if (marks.size === 0) return encode;
  // Where two marks begin at one place, the longer one is meant.
  const longestFirst = [...marks.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(${longestFirst.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`);
  const tokenCache = new TokenCache<readonly number[]>();
  /** A section may lose spaces to the marks next to it, and may begin otherwise where it begins the text: so it is encoded between them. */
  const tokensOf = (before: string, section: string, after: string) =>
    tokenCache.of(before + section + after, () =>
      encode(before + section + after).slice(before === '' ? 0 : 1, after === '' ? undefined : -1),
    );
  return (text) => {
    const tokens: number[] = [];
    // Every other part is a mark.
    const parts = text.split(pattern);
    for (const [i, part] of parts.entries()) {
      if (i % 2 === 1) tokens.push(marks.get(part)!);
      else if (part !== '') for (const token of tokensOf(parts[i - 1] ?? '', part, parts[i + 1] ?? '')) tokens.push(token);
    }
    return tokens;
  };
}
