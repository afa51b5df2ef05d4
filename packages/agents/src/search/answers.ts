/**
 * @file Reads the answers of judges and planners: in the requested lines, or in prose. What cannot be read is reported as such, and never
 * replaced by a value.
 */

import { choose } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { readChoice } from '../llm/choice.ts';

const longestText = 200;

export function onOneLine(text: string, longest = longestText): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, longest).toWellFormed();
}

/** The rest of the line after a label such as "Lesson:"; null without the label. */
export function afterLabel(text: string, label: string): string | null {
  return (
    linear(new RegExp(`\\b${label}[*_]*[:：][*_]*\\s*(.+)`, 'i'))
      .exec(text)?.[1]
      ?.trim() ?? null
  );
}

const scoreForms = [
  /score:\**\s*(\d+(?:\.\d+)?)/i,
  linear(/(\d+(?:\.\d+)?)\s*(?:\/|out of|of)\s*10\b/i),
  linear(/\b(?:score|rating|value|rate|give)\b\D{0,30}?(\d+(?:\.\d+)?)/i),
  linear(/^\W*(\d+(?:\.\d+)?)\b/),
] as const;

/** A score from 0 to 10 as a value from 0 to 1; null if the text has no score. */
export function scoreIn(text: string): number | null {
  const digits = scoreForms.map((form) => form.exec(text)?.[1]).find((match) => match !== undefined);
  return digits === undefined ? null : Math.min(10, Math.max(0, Number(digits))) / 10;
}

export function explanationIn(text: string): string {
  return onOneLine(text.replace(linear(/\**score:\**\s*[\d.]+(?:\s*\/\s*10)?/i), ''));
}

/** The move that an answer chooses: after "Choice:", as the only one that the text names, or as the only one in its last sentence. */
export function choiceIn(text: string, moves: readonly string[]): string | undefined {
  const choice = /choice:\**\s*(.+)/i.exec(text)?.[1]?.trim().toLowerCase() ?? '';
  const named = moves.filter((move) => choice.startsWith(move.toLowerCase())).sort((a, b) => b.length - a.length)[0];
  if (named !== undefined) return named;
  const sentences = text.split(linear(/[.!?\n]+\s/)).filter((sentence) => sentence.trim() !== '');
  return (readChoice(text, moves) ?? readChoice(sentences.at(-1) ?? '', moves))?.move;
}

/** The items of a list: lines with the label, or else numbered lines or lines with a bullet. */
export function itemsIn(text: string, label: string): readonly string[] {
  const labelled = linear(new RegExp(`^[\\s*_#>-]*${label}(?:\\s*\\d+)?[*_]*[:：][*_]*\\s*(.+)$`, 'gim'));
  const rows = [...text.matchAll(labelled)];
  const items = rows.length > 0 ? rows : [...text.matchAll(linear(/^\s*(?:\d+[.)]|[-*•])\s+(.+)$/gm))];
  return items.map(([, item = '']) => onOneLine(item.replaceAll('**', ''))).filter((item) => item !== '');
}

/** Whether a report says that something is done: in its "Done:" line, or by beginning with "yes". */
export function isDoneIn(text: string): boolean {
  return /^\W*yes\b/i.test(afterLabel(text, 'done') ?? text);
}

/** The legal move that an answer names, in brackets or in prose. */
export function legalMove(text: string, choices: readonly string[]): string | undefined {
  const choice = choose({ text }, choices);
  return choice.ok ? choice.move : readChoice(text, choices)?.move;
}
