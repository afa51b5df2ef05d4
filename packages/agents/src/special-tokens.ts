/**
 * @file Escapes the special tokens of a model's tokenizer (roles, turns, ends) in texts: people can still read them, but the tokenizer no
 * longer matches them.
 */

const lookAlikes: Readonly<Record<string, string>> = { '<': '‹', '[': '⟦', '{': '❴', '|': '¦', '｜': '¦' };
/** Zero-width; splits a token that does not begin with a bracket. */
const joiner = '\u2060';

/** Escapes every special token in a text at its first bracket. */
export type Escape = (text: string) => string;

/** Tokens that are plain words or blanks are not escaped, because ordinary texts are full of them. */
export function escapeTokens(tokens: readonly string[]): Escape {
  const marks = [...new Set(tokens.map((token) => token.trim()))].filter((token) => token.length > 2 && /[^\s\p{L}\p{N}]/u.test(token));
  if (marks.length === 0) return (text) => text;
  // Longest first, so that a token inside a longer one does not hide it.
  const pattern = new RegExp(
    marks
      .sort((a, b) => b.length - a.length)
      .map((mark) => mark.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('|'),
    'g',
  );
  return (text) => text.replace(pattern, broken);
}

function broken(mark: string): string {
  const first = mark[0]!;
  const alike = lookAlikes[first];
  return alike === undefined ? `${first}${joiner}${mark.slice(1)}` : `${alike}${mark.slice(1)}`;
}
