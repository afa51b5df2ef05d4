/**
 * @file Rule-based appraisal: the meaning of an event for an agent, from word lists, rewards, and the speaker, without a model call.
 *
 * The lists are small and their results rough. They are for machines without a sentence encoder; with one, `feelings.ts` reads emotions, and
 * the lists count for importance alone.
 */

import type { Seen } from '@ludus-agents/kernel/internal/core/index';
import type { Emotion } from './affect.ts';
import { termsOf } from './relevance.ts';

/** Word lists, each with the emotion it raises in a listener and its position among Plutchik's eight emotions. */
const lexicon: readonly { readonly words: string; readonly raises: Emotion; readonly like: number }[] = [
  { words: 'thank thanks grateful gratitude appreciate bless', raises: 'gratitude', like: 1 },
  {
    words: 'glad happy joy wonderful delighted splendid congratulations celebrate laugh laughs smile smiles won win',
    raises: 'joy',
    like: 0,
  },
  { words: 'admire brilliant genius magnificent brave hero masterpiece', raises: 'admiration', like: 1 },
  { words: 'love darling dear dearest sweetheart beloved kiss embrace', raises: 'love', like: 1 },
  { words: 'hope promise expect soon tomorrow plan await', raises: 'hope', like: 7 },
  { words: 'safe relieved relief saved forgive forgiven sorry apologise apologize', raises: 'relief', like: 1 },
  {
    words: 'threat threaten kill hurt danger dangerous police gun knife beware warn warning afraid fear terrified',
    raises: 'fear',
    like: 2,
  },
  { words: 'suddenly unexpected surprise astonished shocked amazing impossible', raises: 'hope', like: 3 },
  { words: 'died dead death dying funeral ill sick cancer lost alone grief weep cry tears sad miserable', raises: 'distress', like: 4 },
  { words: 'disgusting filthy vile rotten revolting coward shameful disgrace', raises: 'reproach', like: 5 },
  {
    words: 'liar lie lied cheat cheated thief stole steal betray betrayed traitor fool idiot stupid hate damn insult worthless',
    raises: 'anger',
    like: 6,
  },
  { words: 'blame accuse accused fault guilty confess ashamed shame', raises: 'shame', like: 4 },
];

const rows = new Map(lexicon.flatMap((row) => termsOf(row.words).map((term) => [term, row] as const)));

export interface Raised {
  readonly emotion: Emotion;
  /** 0 to 10, before thresholds. */
  readonly intensity: number;
}

export interface Hearer {
  /** The hearer's names: messages that contain one matter more. */
  readonly names: readonly string[];
  /** The listener's attitude to the speaker, −1 to 1. */
  readonly affinity?: number;
  /** The eight values of the text, as read by an encoder, in place of the lists. */
  readonly feelings?: readonly number[] | undefined;
}

/** The emotion that each of the eight values raises in a listener. */
const raisedBy: readonly Emotion[] = ['joy', 'gratitude', 'fear', 'hope', 'distress', 'reproach', 'anger', 'hope'];

/** The emotions that an event raises in an agent: at most one of each kind. */
export function appraise(item: Seen, hearer: Hearer): readonly Raised[] {
  if (item.kind === 'action') return [];
  if (item.kind === 'reward') return appraiseReward(item.reward - item.penalty);
  const weight = (isAddressed(item.text, hearer.names) ? 4 : 2.5) * (1 + Math.abs(hearer.affinity ?? 0) / 2);
  const listed = termsOf(item.text).flatMap((term) => rows.get(term) ?? []);
  const { feelings } = hearer;
  if (feelings !== undefined) {
    // A text expresses one emotion: the strongest. Of pleasant ones, the words tell gratitude, love, and admiration from joy.
    const strongest = Math.max(...feelings);
    const like = feelings.indexOf(strongest);
    const emotion = (like === 0 ? listed.find((row) => row.like <= 1)?.raises : undefined) ?? raisedBy[like];
    return strongest <= 1 || emotion === undefined ? [] : [{ emotion, intensity: Math.min(10, weight * (1 + Math.log2(strongest) / 2)) }];
  }
  const counts = new Map<Emotion, number>();
  for (const { raises } of listed) counts.set(raises, (counts.get(raises) ?? 0) + 1);
  return [...counts].map(([emotion, count]) => ({ emotion, intensity: Math.min(10, weight * (1 + Math.log2(count))) }));
}

/** Gains cause joy and losses distress, less than proportionally: 1 counts as 3, 7 as 9. */
function appraiseReward(amount: number): readonly Raised[] {
  if (amount === 0) return [];
  return [{ emotion: amount > 0 ? 'joy' : 'distress', intensity: Math.min(10, 3 * Math.log2(1 + Math.abs(amount))) }];
}

/** The eight values of Emotional RAG, 1 to 10 each: joy, acceptance, fear, surprise, sadness, disgust, anger, anticipation. */
export function emotionVector(text: string): readonly number[] {
  const out = [1, 1, 1, 1, 1, 1, 1, 1];
  for (const term of termsOf(text)) {
    const row = rows.get(term);
    if (row !== undefined) out[row.like] = Math.min(10, out[row.like]! + 3);
  }
  return out;
}

/** How much a text matters to an agent, 1 to 10: emotional words, being addressed, numbers, and length add to it. */
export function importanceOf(text: string, names: readonly string[]): number {
  let feeling = 0;
  for (const term of termsOf(text)) if (rows.has(term)) feeling++;
  const points =
    2 + Math.min(4, 2 * feeling) + (isAddressed(text, names) ? 2 : 0) + (/\d/.test(text) ? 1 : 0) + (text.length > 160 ? 1 : 0);
  return Math.min(10, points);
}

function isAddressed(text: string, names: readonly string[]): boolean {
  const low = text.toLowerCase();
  return names.some((name) => name !== '' && low.includes(name.toLowerCase()));
}
