/** @file Messages of the review page, and of testing a lorebook. */

import type { SpokenLine } from '@ludus-agents/desk/internal/claims';
import type { PeopleAgreement } from '@ludus-agents/evaluation/internal/people-agreement';
import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import type { ReviewShares } from '@ludus-agents/store/internal/review-shares';
import type { Review } from '@ludus-agents/store/internal/reviews';

/** A case whose verdict differs between two runs of a desk, with the lines of both conversations next to each other. */
export interface CaseChangeShown {
  readonly name: string;
  /** The agent of the second run; empty if all changes are about one. */
  readonly agent: string;
  readonly seed: number;
  readonly change: 'fixed' | 'broken';
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly pairs: readonly (readonly [SpokenLine | null, SpokenLine | null])[];
}

export interface ComparedSide {
  readonly episode: string;
  readonly passed: boolean;
  readonly reason: string;
}

export interface CaseChangesShown {
  /** Null if the runs share no desk case. */
  readonly summary: string | null;
  readonly changes: readonly CaseChangeShown[];
  /** The number of changed cases that are not listed because there are too many. */
  readonly more: number;
}

/** The lorebook entries that a text activates, and why. */
export interface LoreFired {
  readonly entries: readonly { readonly id: string; readonly text: string; readonly reason: string; readonly key?: string }[];
  /** Activated, but over the budget. */
  readonly dropped: number;
}

/** A reviewer's queue: its length, the next episode, a pair to choose from, and earlier labels. */
export interface ReviewShown {
  readonly waiting: number;
  /** The number of examined episodes. */
  readonly looked: number;
  /** Older episodes were not examined. */
  readonly isMore: boolean;
  /** Episodes without a label, newest first. */
  readonly queue: readonly string[];
  readonly pair: readonly [string, string] | null;
  readonly labels: readonly string[];
  readonly reviews: readonly Review[];
  /** How many of these episodes each person has labeled. */
  readonly people: readonly { readonly by: string; readonly labeled: number }[];
  /** Their agreement; null if no two people have labeled the same episode. */
  readonly agreement: PeopleAgreement | null;
  readonly shares: ReviewShares | null;
}

/** A rubric as a person reads it. */
export interface RubricShown {
  readonly about: string;
  readonly criteria: readonly { readonly name: string; readonly about: string; readonly questions: readonly string[] }[];
}

export interface ReviewRequest extends Omit<Review, 'at'> {}

/** A message or an action. `to` names the seats of a private message, and is empty if every seat sees it. */
export interface BlindLine {
  readonly who: string;
  readonly to: readonly Seat[];
  readonly text: string;
  readonly event: number;
}

/** An episode by the messages of each seat, without the names of agents. */
export interface BlindText {
  readonly id: string;
  readonly environment: string;
  readonly lines: readonly BlindLine[];
  /** Labels on turns, by all people. */
  readonly turns: readonly Review[];
}
