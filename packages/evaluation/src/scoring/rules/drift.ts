/** @file Whether a seat's voice drifts: its later words against its earlier ones and, with a persona, both against the persona's voice. */

import type { ScoringRule } from '../scorer.ts';
import { wordsBy } from './log.ts';
import { voiceOf } from './style.ts';
import { likeness, profileOf, wordsOf } from './text.ts';

const fewest = 30;

/**
 * Likeness of the second half of a seat's words to the first. `away` is how much further from the persona's voice the second half is; texts
 * of a few words look different by chance, so each half needs enough of them.
 */
export const drift: ScoringRule = {
  name: 'drift',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  settings: { fewest },
  find({ log, seat, persona }) {
    const texts = wordsBy(log, seat).map(({ text }) => text);
    const half = Math.ceil(texts.length / 2);
    const halves = [texts.slice(0, half), texts.slice(half)];
    if (halves.some((part) => part.reduce((sum, text) => sum + wordsOf(text).length, 0) < fewest)) return null;
    const [before, after] = halves.map(profileOf) as [ReturnType<typeof profileOf>, ReturnType<typeof profileOf>];
    const voice = persona === null ? null : voiceOf(persona);
    const away = voice === null ? null : likeness(before, voice) - likeness(after, voice);
    return { value: likeness(before, after), parts: { away, lines: texts.length } };
  },
};
