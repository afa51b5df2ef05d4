/** @file A study to reproduce: its repository, the command that runs it, questions about its results, and the answer check. */

import type { ShapeValue } from '@ludus-agents/kernel/internal/core/shape';
import { list, object, optional, record, required, text, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { textOrNumber } from '../content/content.ts';

export const questionShape = object({
  id: required(textOrNumber, 'its name'),
  ask: required(words, 'what is asked'),
  line: required(words, 'how the line of the output begins that holds the answer'),
});

export type StudyQuestion = ShapeValue<typeof questionShape>;

export const studyShape = object({
  id: required(words),
  /** The text of the paper. */
  paper: withDefault(text, ''),
  /** The repository: texts by path. */
  files: required(record(text)),
  /** The command that runs the study. {seed} is replaced by a number. */
  command: required(words),
  /** A container image with everything the command needs. */
  image: optional(words),
  questions: required(list(questionShape, { from: 1, to: 20 })),
});

export type Study = ShapeValue<typeof studyShape>;

/** How much of a study the researcher receives. */
export const levels = ['easy', 'medium', 'hard', 'text'] as const;
export type Level = (typeof levels)[number];

const instructions = /(^|\/)(readme[^/]*|dockerfile|makefile|paper\.md)$/i;

/** Returns the files of a level: with the results of a run, with instructions, the code alone, or the paper alone. */
export function filesAt({ files, paper }: Study, level: Level, output: string): Readonly<Record<string, string>> {
  const paperFile = paper === '' ? {} : { 'paper.md': paper };
  if (level === 'text') return paperFile;
  if (level === 'hard') return Object.fromEntries(Object.entries(files).filter(([path]) => !instructions.test(path)));
  return { ...files, ...paperFile, ...(level === 'easy' ? { 'results.txt': output } : {}) };
}

/** Student's t at 0.975, for 1 to 9 degrees of freedom. */
const quantiles = [12.706204736, 4.30265273, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135, 2.262157163];

/** Returns the 95% prediction interval for one more run: mean ± t·s·√(1 + 1/n), but no narrower than a millionth of the mean. */
export function predictionInterval(runs: readonly number[]): readonly [number, number] {
  const n = runs.length;
  const mean = runs.reduce((sum, value) => sum + value, 0) / n;
  const deviation = Math.sqrt(runs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  const half = Math.max(quantiles[n - 2] * deviation * Math.sqrt(1 + 1 / n), 1e-6 * Math.abs(mean));
  return [mean - half, mean + half];
}

/** The correct answer: a number in an interval, or a text on which all runs agree. */
export type Expectation = { readonly interval: readonly [number, number] } | { readonly text: string };

const leastWidth = 1e-3;

/** Returns the value of a line such as "mean wait: 4.31 minutes": the first number after the colon, or the text. */
function valueIn(output: string, line: string): string | null {
  const start = `${line.toLowerCase()}:`;
  const match = output.split('\n').find((candidate) => candidate.trim().toLowerCase().startsWith(start));
  return match === undefined ? null : match.trim().slice(start.length).trim() || null;
}

export function numberIn(value: string): number | null {
  const [match] = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/i.exec(value) ?? [];
  return match === undefined || /[a-z]/i.test(value.slice(0, value.indexOf(match))) ? null : Number(match);
}

/** Derives the correct answer from the outputs of several runs. Returns a message if they don't give one. */
export function expectationOf(outputs: readonly string[], { line }: StudyQuestion): Expectation | { readonly problem: string } {
  const values: string[] = [];
  for (const [i, output] of outputs.entries()) {
    const value = valueIn(output, line);
    if (value === null) return { problem: `run ${i + 1} of ${outputs.length} prints no line "${line}: …"` };
    values.push(value);
  }
  const numbers = values.map(numberIn);
  if (numbers.every((number) => number !== null)) {
    const [low, high] = predictionInterval(numbers);
    const mean = (low + high) / 2;
    // An answer rounded to three digits counts as right.
    const half = Math.max((high - low) / 2, leastWidth * Math.abs(mean));
    return { interval: [mean - half, mean + half] };
  }
  if (new Set(values.map(fold)).size > 1) return { problem: `runs disagree on "${line}": ${[...new Set(values)].join(', ')}` };
  return { text: values[0] };
}

export function isRight(answer: string, expectation: Expectation): boolean {
  if ('text' in expectation) return fold(answer) === fold(expectation.text);
  const value = numberIn(answer);
  return value !== null && value >= expectation.interval[0] && value <= expectation.interval[1];
}

function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export function commandFor({ command }: Study, seed: number): string {
  return command.replaceAll('{seed}', String(seed));
}
