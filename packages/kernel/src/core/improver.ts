/** @file The interface of an improver: it creates new AgentSpecs from lessons, and the gate decides which are kept. */

import type { AgentSpec } from './agent.ts';
import type { Seat } from './environment.ts';
import type { Episode, Score } from './scorer.ts';

/** A seat's episode with its scores. */
export interface Lesson {
  readonly episode: Episode;
  readonly seat: Seat;
  readonly scores: readonly Score[];
}

/** Creates new specs of an agent from its lessons. */
export interface Improver {
  readonly name: string;
  improve(spec: AgentSpec, lessons: readonly Lesson[], signal: AbortSignal): Promise<readonly AgentSpec[]>;
}
