/** @file Emotions and mood from an appraisal frame, by the arithmetic of FAtiMA; time is counted in turns. */

import { clamp } from './clamp.ts';

/** The meaning of an event for a character, from −10 to 10. */
export interface AppraisalFrame {
  readonly desirability?: number | undefined;
  readonly forOther?: number | undefined;
  readonly praise?: number | undefined;
  readonly target?: 'self' | 'speaker' | undefined;
  readonly like?: number | undefined;
  /** The probability of a goal before, its change, and its value. */
  readonly goal?: { readonly before: number; readonly by: number; readonly significance: number } | undefined;
}

export interface Potential {
  readonly emotion: string;
  readonly potential: number;
}

const pleasant = new Set([
  'happy_for',
  'gloating',
  'gratification',
  'gratitude',
  'pride',
  'admiration',
  'love',
  'joy',
  'hope',
  'relief',
  'satisfaction',
]);
/** Emotions about expected events do not change the mood. */
const expected = new Set(['hope', 'fear']);
const valenceOf = (emotion: string) => (pleasant.has(emotion) ? 1 : -1);

/** The emotions that a frame raises, in this order; if signs conflict, desirability decides. */
export function potentialsOf({
  desirability,
  forOther = 0,
  praise = 0,
  target = 'speaker',
  like = 0,
  goal,
}: AppraisalFrame): readonly Potential[] {
  const d = desirability ?? 0;
  const potentials: Potential[] = [];
  const others = desirability !== undefined && forOther !== 0;
  const deeds = d !== 0 && praise !== 0;
  if (others) {
    const emotion = d >= 0 ? (forOther >= 0 ? 'happy_for' : 'gloating') : forOther >= 0 ? 'resentment' : 'pity';
    potentials.push({ emotion, potential: (Math.abs(d) + Math.abs(forOther)) / 2 });
  }
  if (deeds) {
    const [good, bad] = target === 'self' ? ['gratification', 'remorse'] : ['gratitude', 'anger'];
    potentials.push({ emotion: (d > 0 ? good : bad) as string, potential: Math.abs(d + praise) / 2 });
  }
  if (praise !== 0 && !others && !deeds) {
    const [good, bad] = target === 'self' ? ['pride', 'shame'] : ['admiration', 'reproach'];
    potentials.push({ emotion: (praise > 0 ? good : bad) as string, potential: Math.abs(praise) });
  }
  if (like !== 0) potentials.push({ emotion: like > 0 ? 'love' : 'hate', potential: 0.7 * Math.abs(like) });
  if (d !== 0 && !others && !deeds) potentials.push({ emotion: d > 0 ? 'joy' : 'distress', potential: Math.abs(d) });
  if (goal !== undefined && goal.by !== 0) potentials.push(ofGoal(goal));
  return potentials;
}

function ofGoal({ before, by, significance }: NonNullable<AppraisalFrame['goal']>): Potential {
  const after = clamp(before + by, 0, 1);
  if (by > 0) {
    const emotion = after < 1 ? 'hope' : before <= 0.5 ? 'relief' : 'satisfaction';
    return { emotion, potential: significance * after };
  }
  const emotion = after > 0 ? 'fear' : before >= 0.5 ? 'disappointment' : 'fears_confirmed';
  return { emotion, potential: significance * (1 - after) };
}

/** From −10 to 10, with emotions by name. */
export type Feelings = { readonly mood: number; readonly felt: Readonly<Record<string, number>> };

export const noFeelings: Feelings = { mood: 0, felt: {} };

/** Feelings after some turns: emotions halve in 15 and end at a tenth, the mood halves in 60. */
export function fadeFeelings({ mood, felt }: Feelings, turns: number, decay: Readonly<Record<string, number>> = {}): Feelings {
  const left = Object.entries(felt).map(
    ([emotion, intensity]) => [emotion, intensity * 2 ** ((-(decay[emotion] ?? 1) * turns) / 15)] as const,
  );
  return { mood: mood * 2 ** (-turns / 60), felt: Object.fromEntries(left.filter(([, intensity]) => intensity > 0.1)) };
}

/** The feelings after a frame: the mood affects the emotions, and the emotions change the mood. */
export function feel(before: Feelings, frame: AppraisalFrame, thresholds: Readonly<Record<string, number>> = {}): Feelings {
  let { mood } = before;
  const felt = { ...before.felt };
  for (const { emotion, potential } of potentialsOf(frame)) {
    const threshold = thresholds[emotion] ?? 0;
    const coloured = potential + valenceOf(emotion) * 0.3 * mood;
    if (potential === 0 || coloured <= threshold) continue;
    const intensity = clamp(coloured - threshold, 0, 10);
    felt[emotion] = Math.max(felt[emotion] ?? 0, intensity);
    if (expected.has(emotion)) continue;
    mood = clamp(mood + valenceOf(emotion) * 0.3 * intensity, -10, 10);
    if (Math.abs(mood) < 0.5) mood = 0;
  }
  return { mood, felt };
}
