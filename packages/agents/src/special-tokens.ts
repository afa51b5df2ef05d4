/**
 * @file Escapes texts that a model's tokenizer reads as marks (roles, turns, ends): people still read them, the tokenizer no longer does.
 */

const lookAlikes: Readonly<Record<string, string>> = { '<': '‹', '[': '⟦', '{': '❴', '|': '¦', '｜': '¦' };
/** Has no width, and splits a token that begins with no bracket. */
const joiner = '\u2060';

/** Makes every mark in a text inert by its first bracket. */
export type Escape = (text: string) => string;

/** For tokens that are plain words or blanks, texts stay as they are: an ordinary text is full of them. */
export function escapeTokens(tokens: readonly string[]): Escape {
  const marks = [...new Set(tokens.map((token) => token.trim()))].filter((token) => token.length > 2 && /[^\s\p{L}\p{N}]/u.test(token));
  if (marks.length === 0) return (text) => text;
  // The longest first, so that a mark inside another one does not hide it.
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
