/**
 * @file Tokenizes a text by sections: the text between two marks of a chat template is encoded once and cached. A longer chat shares all
 * but its last sections with the chat before.
 */

import { TokenCache } from './token-cache.ts';

/** Encodes like `encode`. `marks` are texts that are always one token, with their tokens. */
export function encodeSections(
  encode: (text: string) => readonly number[],
  marks: ReadonlyMap<string, number>,
): (text: string) => readonly number[] {
  if (marks.size === 0) return encode;
  // If two marks begin at the same position, the longer one applies.
  const longestFirst = [...marks.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(${longestFirst.map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`);
  const tokenCache = new TokenCache<readonly number[]>();
  /**
   * A section may lose spaces next to marks, and may be encoded differently at the beginning of the text, so it is encoded between its
   * marks.
   */
  const tokensOf = (before: string, section: string, after: string) =>
    tokenCache.of(before + section + after, () =>
      encode(before + section + after).slice(before === '' ? 0 : 1, after === '' ? undefined : -1),
    );
  return (text) => {
    const tokens: number[] = [];
    // Every second part is a mark.
    const parts = text.split(pattern);
    for (const [i, part] of parts.entries()) {
      if (i % 2 === 1) tokens.push(marks.get(part)!);
      else if (part !== '') for (const token of tokensOf(parts[i - 1] ?? '', part, parts[i + 1] ?? '')) tokens.push(token);
    }
    return tokens;
  };
}
