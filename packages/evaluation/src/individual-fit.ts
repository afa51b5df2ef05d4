/** @file Measures how well a persona document fits texts by the same person that were held out, compared with documents of other people. */

import { gallery, type IndividualOptions, personaFromTexts } from '@ludus-agents/agents/internal/personas/index';
import { voiceOf } from './scoring/rules/style.ts';
import { likeness, profileOf } from './scoring/rules/text.ts';

export interface IndividualFit {
  /** Similarity between held-out texts and a document made from the other texts, from 0 to 1; null if there are too few texts. */
  readonly likeness: number | null;
  /** The same for the best-fitting document of another person. If the fit is not better than that, it is not specific to this person. */
  readonly floor: number | null;
  readonly fits: boolean | null;
  readonly heldOut: number;
}

/** With fewer texts, none can be held out. */
const fewest = 5;

/** Every fifth text is held out. */
export function fitOfTexts(texts: readonly string[], options: Omit<IndividualOptions, 'previous'>): IndividualFit {
  if (texts.length < fewest) return { likeness: null, floor: null, fits: null, heldOut: 0 };
  const currentTexts = texts.filter((_, i) => i % 5 === 4);
  const { persona } = personaFromTexts(
    texts.filter((_, i) => i % 5 !== 4),
    options,
  );
  const profile = profileOf(currentTexts);
  const voice = voiceOf(persona);
  const others = Object.values(gallery).flatMap((other) => {
    const theirs = voiceOf(other);
    return theirs === null ? [] : [likeness(profile, theirs)];
  });
  const ownLikeness = voice === null ? 0 : likeness(profile, voice);
  const floor = Math.max(...others);
  return { likeness: ownLikeness, floor, fits: ownLikeness > floor, heldOut: currentTexts.length };
}
