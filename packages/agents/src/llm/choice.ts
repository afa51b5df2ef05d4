/**
 * @file Parses a move as leniently as a person would: `bet`, `Action: bet`, `I bet.` all mean [bet].
 *
 * The result is exactly one of the legal moves, or none. If two are named, or one is negated, the parser does not guess, and the
 * environment judges the original text.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** How a move was parsed, for the log. */
export interface ReadChoice {
  readonly move: string;
  readonly how: string;
}

/** A label before an answer, which is not part of it. */
const label = linear(
  /^[\s>*_#"'“”-]*(?:(?:my|the|your)\s+)?(?:action|move|answer|choice|decision|response|speech|reply)(?:\s+is)?[\s*_]*[:：=]?[\s*_]*/i,
);
const denial = linear(
  /\b(?:not|never|no|don['’]?t|won['’]?t|cannot|can['’]?t|wouldn['’]?t|shouldn['’]?t|instead of|rather than|without)(?:\s+\S+){0,2}\s*$/i,
);

/** The one legal move that an answer means, or null. */
export function readChoice(written: string, choices: readonly string[]): ReadChoice | null {
  const text = written.trim();
  const exact = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (exact !== undefined) return { move: exact, how: 'letter for letter' };
  const bare = toBareText(text.replace(label, ''));
  const same = choices.filter((choice) => toBareText(choice) === bare);
  if (same.length === 1) return { move: same[0]!, how: 'without its brackets' };
  const named = choicesIn(text, choices);
  return named.length === 1 ? { move: named[0]!, how: 'as the only move that the answer names' } : null;
}

/** Lowercase text without brackets, quotes, and final punctuation. */
function toBareText(text: string): string {
  return text
    .toLowerCase()
    .replace(linear(/^[\s[("'“”*_`]+|[\s\])"'“”*_`.!?,;]+$/g), '')
    .replace(/\s+/g, ' ');
}

/** Every legal move named in a text, each once; a negated one makes the whole answer unclear. */
function choicesIn(text: string, choices: readonly string[]): readonly string[] {
  const low = text.toLowerCase().replace(/\s+/g, ' ');
  const matches: { choice: string; from: number; to: number }[] = [];
  for (const choice of choices) {
    const plainChoice = toBareText(choice);
    if (plainChoice === '') continue;
    for (let from = low.indexOf(plainChoice); from >= 0; from = low.indexOf(plainChoice, from + 1)) {
      const to = from + plainChoice.length;
      if (isWordPart(low[from - 1], plainChoice[0]) || isWordPart(low[to], plainChoice.at(-1))) continue;
      // A letter or a number is common in ordinary text, and means a move only in brackets or quotes.
      if (plainChoice.length <= 2 && !/[[("'“`]/.test(low[from - 1] ?? '')) continue;
      matches.push({ choice, from, to });
    }
  }
  // "bet" inside "bet five" does not count by itself.
  const whole = matches.filter(
    (item) =>
      !matches.some(
        (other) => other !== item && other.from <= item.from && other.to >= item.to && other.to - other.from > item.to - item.from,
      ),
  );
  if (whole.some(({ from }) => denial.test(low.slice(0, from).replace(linear(/[[("'“`*_]+$/), '')))) return [];
  return [...new Set(whole.map(({ choice }) => choice))];
}

/** Whether an adjacent character makes a word part of a longer one. */
function isWordPart(beside: string | undefined, edge: string | undefined): boolean {
  return beside !== undefined && edge !== undefined && /[\p{L}\p{N}]/u.test(beside) && /[\p{L}\p{N}]/u.test(edge);
}
