/** @file A score is a judgment with evidence; a scorer creates scores from one, two, or many episodes. */

import type { Seat } from './environment.ts';
import type { EpisodeEvent } from './event.ts';
import type { Json } from './json.ts';
import type { Rng } from './rng.ts';

/** A finished log with its address. */
export interface Episode {
  readonly id: string;
  readonly events: readonly EpisodeEvent[];
}

/** Why a score has no value, or "ok". */
export type ScoreStatus = 'ok' | 'not-applicable' | 'unparsed' | 'undecided' | 'judge-failed' | 'over-budget' | 'error';

/** A quote from an event of an episode; code checks that the event contains it. */
export type Evidence = {
  readonly episode: string;
  readonly event: number;
  readonly quote: string;
  readonly supports: boolean;
  readonly note?: string;
};

export type Cost = {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** In US dollars; null if any price is unknown. */
  readonly money: number | null;
};

/** A judgment of a seat or an episode, with its evidence. */
export type Score = {
  readonly name: string;
  /** Missing is null with a status, never 0. */
  readonly value: number | null;
  readonly status: ScoreStatus;
  /** The problem, in a sentence, if there was one. */
  readonly reason?: string;
  readonly seat?: Seat;
  readonly turn?: number;
  readonly parts?: Readonly<Record<string, number | null>>;
  /** The minimum and maximum of the value, if bounded. */
  readonly scale?: readonly [number, number];
  /** By default, more is better. */
  readonly lowerIsBetter?: boolean;
  readonly evidence: readonly Evidence[];
  /** The value of an agent that does nothing or plays at random. */
  readonly floor?: number;
  readonly interval?: readonly [number, number];
  readonly cost: Cost;
  /** Version of the scorer's code, hash of rubric and judge: everything that must be equal for a re-run to be comparable. */
  readonly provenance?: Readonly<Record<string, string>>;
};

/** The input of a scorer: episodes, the seat, and, if known, personas and right answers. */
export interface ScoreInput {
  readonly episodes: readonly Episode[];
  readonly seat?: Seat;
  readonly persona?: Json;
  /** Persona documents of all seats that have one. They define what others could not know. */
  readonly personas?: Readonly<Record<Seat, Json>>;
  readonly reference?: Json;
  readonly rng: Rng;
}

/** Creates scores from one or more episodes. */
export interface Scorer {
  readonly name: string;
  readonly tier: 'rule' | 'small' | 'judge';
  /** Hash of everything besides the input that determines its scores (code, rubric, judge): without it, its scores are not cached. */
  readonly identity?: string;
  /** The scorer of an earlier tier whose undecided scores this one settles; if there are none, this one is not called. */
  readonly settles?: string;
  score(input: ScoreInput, signal: AbortSignal): Promise<readonly Score[]>;
}
