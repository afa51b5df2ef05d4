/** @file Parses labeled lines in a speech, such as "Answer: …", as a model, a script, or a person writes them. */

import { choose } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** Returns the text after a label, up to the end of its line, or null if the label is missing. The last occurrence is used. */
export function lineIn(text: string, label: string): string | null {
  let match: string | null = null;
  for (const line of text.split('\n')) {
    const plain = line.replace(/^[\s>*_#-]+/, '');
    if (plain.toLowerCase().startsWith(`${label.toLowerCase()}:`))
      match = plain.slice(label.length + 1).replace(linear(/^[\s*_]+|[\s*_]+$/g), '');
  }
  return match;
}

/** Returns all lines with this kind of label, as [text between label and colon, text after the colon]. */
export function linesIn(text: string, label: string): readonly (readonly [string, string])[] {
  const form = linear(new RegExp(`^[\\s>*_#-]*${label}[ \\t]+([^:\\n]{1,80}):[\\s*_]*(.*)$`, 'i'));
  return text.split('\n').flatMap((line) => {
    const match = form.exec(line);
    return match === null ? [] : [[match[1].trim(), match[2].trim()] as const];
  });
}

export function isYes(text: string | null): boolean {
  return text !== null && /^["'\s]*(?:yes|true|y)\b/i.test(text);
}

export function isNo(text: string | null): boolean {
  return text !== null && /^["'\s]*(?:no|false|n)\b/i.test(text);
}

export function numberIn(text: string | null): number | null {
  const match = text === null ? null : /-?\d+(?:\.\d+)?/.exec(text);
  return match === null ? null : Number(match[0]);
}

/**
 * Returns the answer in a speech. With choices, it is the choice named by the answer line, or else by the whole text; a text that names
 * several choices has no answer. Without choices, it is the answer line, or the whole text if that has no labeled line.
 */
export function answerIn(text: string, choices: readonly string[]): string | null {
  const line = lineIn(text, 'answer');
  if (choices.length === 0) {
    const open = line ?? (linear(/^\s*[A-Z][\w ]{0,40}:/m).test(text) ? '' : text);
    return open.trim() === '' ? null : open.replace(/\s+/g, ' ').trim();
  }
  for (const part of [line, text]) {
    if (part === null) continue;
    const exact = choose({ text: part.trim() }, choices);
    if (exact.ok) return exact.move;
    const bare = bareText(part);
    const alike = bare === '' ? [] : choices.filter((choice) => bareText(choice) === bare);
    if (alike.length === 1) return alike[0];
    const named = choices.filter((choice) => contains(part, choice));
    // If one named choice contains another, only the longest counts: "bet" is part of "bet all".
    const whole = named.filter((choice) => !named.some((other) => other !== choice && other.includes(choice)));
    if (whole.length === 1) return whole[0];
  }
  return null;
}

/** A text in lowercase, without brackets, quotes, and a final period. */
function bareText(text: string): string {
  return text.toLowerCase().replace(linear(/^[\s[("'*_`]+|[\s\])"'*_`.!]+$/g), '');
}

function contains(text: string, choice: string): boolean {
  const [lowerText, wanted] = [text.toLowerCase(), choice.toLowerCase()];
  const [first = '', last = ''] = [wanted[0], wanted.at(-1)];
  for (let at = lowerText.indexOf(wanted); at >= 0; at = lowerText.indexOf(wanted, at + 1)) {
    const before = lowerText[at - 1] ?? ' ';
    const after = lowerText[at + wanted.length] ?? ' ';
    if (!(isWord(first) && isWord(before)) && !(isWord(last) && isWord(after))) return true;
  }
  return false;
}

function isWord(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}
