/** @file The cases of a desk that changed between two runs, as the studio shows them. */

import type { SpokenLine } from '@ludus-agents/desk/internal/claims';

/** A case whose verdict differs between two runs of a desk, with the lines of both conversations next to each other. */
export interface CaseChangeShown {
  readonly name: string;
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
  /** Null where the runs have no case of a desk in common. */
  readonly summary: string | null;
  readonly changes: readonly CaseChangeShown[];
  /** Changed cases that are not listed because there are too many. */
  readonly more: number;
}
