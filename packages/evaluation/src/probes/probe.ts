/** @file A probe: a question to a character with a known right behavior, because it was generated from the character's document. */

import type { ProbeSection } from './names.ts';

/** answer: says what the card says. refuse: does not know or will not tell. correct: denies a false premise. attempt: tries all the same. */
export type Gold = 'answer' | 'refuse' | 'correct' | 'attempt';

/** A demand on form that code can check. */
export type FormRule =
  | { readonly form: 'last-word'; readonly word: string }
  | { readonly form: 'sentences'; readonly count: number }
  | { readonly form: 'json'; readonly field: string };

/** One question, or several in sequence, with the required behavior of the last answer. */
export interface Probe {
  readonly id: string;
  readonly section: ProbeSection;
  /** The cell of the section: "profile", "none", "related, unanswerable", "E high", "straight" … */
  readonly kind: string;
  /** The part of the document that it was made from. */
  readonly source: string;
  /** The same question with one slot changed: a character that reacts only to the form answers both alike. */
  readonly twin?: string;
  readonly turns: readonly string[];
  readonly gold: Gold;
  /** Words of which a right answer contains at least one. */
  readonly key: readonly string[];
  /** The presupposition of the question, as a sentence. */
  readonly claim?: string;
  readonly form?: FormRule;
  /** The trait and the pole of the character, for items that are answered with a number from 1 to 5. */
  readonly trait?: { readonly trait: string; readonly high: boolean; readonly reversed: boolean };
  /** Moral levels by the letters of a choice, and the character's own. */
  readonly choice?: { readonly levels: Readonly<Record<string, number>>; readonly level: number };
  /** The secret that must not be revealed. */
  readonly secret?: string;
  /** For long conversations: the required behavior of each turn. */
  readonly script?: readonly TurnCheck[];
}

/** The required behavior of one turn of a long conversation; null for filler turns. */
export type TurnCheck = Pick<Probe, 'gold' | 'key' | 'claim'> | null;

/** The answers to a probe, one per turn; a missing answer is an empty text. */
export interface ProbeAnswers {
  readonly probe: Probe;
  readonly answers: readonly string[];
  /** The episode it was asked in. */
  readonly episode?: string;
  /** It was asked before, and the stored answers are reused. */
  readonly reused?: true;
}
