/**
 * @file Text of an episode as a judge may read it: on one line, without names of agents and models, and without power over the chat.
 *
 * Every character shown has its position in the original, so that a quote from the shown text can be mapped back to the log.
 */

/** `from[i]` and `to[i]` bound the part of the original that the shown character i represents. */
export interface EscapedText {
  readonly text: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** A line break inside a text: kept visible, but unable to begin a line of the prompt. */
export const lineBreak = '⏎';

/** The replacement for a hidden name. */
const hiddenName = '(name)';

/** Versions of well-known models, wherever they are named: a judge must not recognise its own family. */
const models = String.raw`(?:chat)?gpt[- ]?\d[\w.:-]*|chatgpt|(?:claude|llama|gemini|gemma|qwen|mistral|mixtral|deepseek|grok|phi|kimi|glm)[- ]?v?\d[\w.:-]*`;

/** A pattern that finds the given names and models as whole words. */
export function maskOf(names: Iterable<string>): RegExp {
  const ownItems = [...new Set([...names].map((name) => name.trim()).filter((name) => name.length >= 3))]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${[...ownItems, models].join('|')})(?![\p{L}\p{N}_])`, 'giu');
}

/** Chat templates mark roles with angle or doubled brackets; look-alikes read the same and mean nothing to a template. */
const lookalikes: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '`': 'ˋ', '|': '¦' };
const bracketRole = /\[(\/?)(INST|SYS|SYSTEM|SYSTEM_PROMPT|USER|ASSISTANT|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS)\]/giu;
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;

export function toEscapedText(original: string, mask: RegExp): EscapedText {
  const from: number[] = [];
  const to: number[] = [];
  let out = '';
  const push = (display: string, start: number, end: number) => {
    for (let i = 0; i < display.length; i++) {
      from.push(start);
      to.push(end);
    }
    out += display;
  };
  const replaced = new Map<number, { readonly end: number; readonly shown: string }>();
  for (const match of original.matchAll(bracketRole))
    replaced.set(match.index, { end: match.index + match[0].length, shown: `(${match[0].slice(1, -1)})` });
  for (const match of original.matchAll(mask)) replaced.set(match.index, { end: match.index + match[0].length, shown: hiddenName });
  for (let at = 0; at < original.length; ) {
    const special = replaced.get(at);
    const character = String.fromCodePoint(original.codePointAt(at) as number);
    const end = special?.end ?? at + character.length;
    if (special !== undefined) push(special.shown, at, end);
    else if (character === '\n') push(` ${lineBreak} `, at, end);
    else if (/\s/u.test(character)) push(' ', at, end);
    else if (/[\x21-\x7e]/.test(character) || !unseen.test(character)) push(lookalikes[character] ?? character, at, end);
    at = end;
  }
  return { text: out, from, to };
}
