/** @file The same for the review page and for trying a lorebook. */

import type { Review } from '@ludus-agents/store/internal/reviews';

/** What words would call up of a lorebook, and why. */
export interface LoreFired {
  readonly entries: readonly { readonly id: string; readonly text: string; readonly reason: string; readonly key?: string }[];
  /** Called up, but over its budget. */
  readonly dropped: number;
}

/** What a reviewer finds: how much waits, the next one, two to choose between, and what was said before. */
export interface ReviewShown {
  readonly waiting: number;
  /** How many episodes were looked at. */
  readonly looked: number;
  /** Older episodes were not looked at. */
  readonly isMore: boolean;
  /** Episodes that wait for a label, the newest first. */
  readonly queue: readonly string[];
  readonly pair: readonly [string, string] | null;
  readonly labels: readonly string[];
  readonly reviews: readonly Review[];
}

export interface ReviewRequest extends Omit<Review, 'at'> {}

/** An episode by what was said on which seat, without who sat there. */
export interface BlindText {
  readonly id: string;
  readonly environment: string;
  readonly lines: readonly { readonly who: string; readonly text: string }[];
}
