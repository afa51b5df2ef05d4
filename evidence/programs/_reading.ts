/**
 * @file Questions over notes, and a language model that answers them. One model is trained per seed, on other material than the
 * questions: it learns to answer if the notes hold the answer, and to say "unknown" otherwise. Then it is frozen.
 */

import { type Lesson, taught } from './_taught.ts';

/** A question over notes. */
export interface ReadingItem {
  /** What is in view. */
  readonly notes: string;
  readonly question: string;
  readonly answer: string;
  /** What leads to the answer, in the order in which it is looked up. */
  readonly steps?: readonly string[];
  /** Whether the notes hold the answer. */
  readonly complete: boolean;
}

export interface ReadingItems {
  readonly items: readonly ReadingItem[];
  /** How often the mechanism acted. */
  readonly acted: number;
}

/** The share of questions whose notes hold the answer. */
export function completeShare(items: readonly ReadingItem[]): number {
  return items.filter(({ complete }) => complete).length / items.length;
}

export interface Reader {
  readonly server: string;
  readonly seed: number;
  /** What the reader is taught on. */
  readonly material: () => Promise<readonly ReadingItem[]>;
}

/** The share of questions that the taught reader answers rightly from the notes. */
export async function rightShare(items: readonly ReadingItem[], { server, seed, material }: Reader): Promise<number> {
  const lessons = async () => (await material()).map(lessonOf);
  const reader = await taught({ key: 'reader', server, seed, lessons, answer: 32 });
  const answers = await reader.answers(items.map(promptOf));
  return items.filter(({ answer }, i) => answers[i].split(', ').at(-1) === answer).length / items.length;
}

function promptOf({ notes, question }: ReadingItem): string {
  return `Notes:\n${notes}\n\nQuestion: ${question}\nName what leads to the answer, then the answer, or say unknown.`;
}

function lessonOf(item: ReadingItem): Lesson {
  return { prompt: promptOf(item), answer: item.complete ? [...(item.steps ?? []), item.answer].join(', ') : 'unknown' };
}
