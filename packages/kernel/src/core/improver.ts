/** @file The interface of an improver: it makes the next AgentSpecs from lessons, and the gate decides which of them are kept. */

import type { AgentSpec } from './agent.ts';
import type { Seat } from './environment.ts';
import type { Episode, Score } from './scorer.ts';

/** A seat's episode with its scores. */
export interface Lesson {
  readonly episode: Episode;
  readonly seat: Seat;
  readonly scores: readonly Score[];
}

/** Makes new specs of an agent from its lessons. */
export interface Improver {
  readonly name: string;
  improve(spec: AgentSpec, lessons: readonly Lesson[], signal: AbortSignal): Promise<readonly AgentSpec[]>;
}
