/** @file A probe: a question to a character whose right behaviour is known beforehand, because it was made from the character's own document. */

import type { ProbeSection } from './names.ts';

/** answer: says what the card says. refuse: does not know or will not tell. correct: denies a false premise. attempt: tries all the same. */
export type Gold = 'answer' | 'refuse' | 'correct' | 'attempt';

/** A demand on form that code can check. */
export type FormRule =
  | { readonly form: 'last-word'; readonly word: string }
  | { readonly form: 'sentences'; readonly count: number }
  | { readonly form: 'json'; readonly field: string };

/** One question, or several in a row, with what the last answer should be. */
export interface Probe {
  readonly id: string;
  readonly section: ProbeSection;
  /** The cell of the section: "profile", "none", "related, unanswerable", "E high", "straight" … */
  readonly kind: string;
  /** The part of the document it was made from. */
  readonly source: string;
  /** The same question with one slot changed: a character that reacts to the form alone answers both alike. */
  readonly twin?: string;
  readonly turns: readonly string[];
  readonly gold: Gold;
  /** Words one of which a right answer contains. */
  readonly key: readonly string[];
  /** What the question takes for granted, as a sentence. */
  readonly claim?: string;
  readonly form?: FormRule;
  /** The trait and the pole of the character, for items that are answered with a number from 1 to 5. */
  readonly trait?: { readonly trait: string; readonly high: boolean; readonly reversed: boolean };
  /** Moral levels by the letters of a choice, and the character's own. */
  readonly choice?: { readonly levels: Readonly<Record<string, number>>; readonly level: number };
  /** The secret that must not come out. */
  readonly secret?: string;
  /** For long conversations: what each turn asks for. */
  readonly script?: readonly TurnCheck[];
}

/** What one turn of a long conversation should bring; null where the turn only passes the time. */
export type TurnCheck = Pick<Probe, 'gold' | 'key' | 'claim'> | null;

/** The answers to a probe, one a turn; an answer that did not come is an empty text. */
export interface ProbeAnswers {
  readonly probe: Probe;
  readonly answers: readonly string[];
  /** The episode it was asked in. */
  readonly episode?: string;
  /** It was asked before, and the stored answers count. */
  readonly reused?: true;
}
