/** @file The same for the page of one run, and for what got through where it is an attack. */

import type { ReportCard } from '@ludus-agents/evaluation/internal/probes/probe-character';
import type { KeptAttack } from '@ludus-agents/learning/internal/improving/kept-attack';
import type { Marks } from '@ludus-agents/store/internal/marks';
import type { RunDetail, RunLine } from './api-pages.ts';

/** A run, and whether this server plays it. */
export interface RunNow extends RunDetail {
  readonly going: boolean;
  readonly marks: Marks;
  /** When it was stored, in milliseconds since 1970; null where that is unknown. */
  readonly created: number | null;
  /** What got through, where the run is an attack. */
  readonly attack: AttackShown | null;
  /** How well a character plays its card, where the run is a probe. */
  readonly card: ReportCard | null;
}

/** What the list of runs says of each besides its counts. */
export interface RunSummary extends RunLine {
  readonly marks: Marks;
  /** When it was stored, and when its last episode was, in milliseconds since 1970; null where that is unknown. */
  readonly created: number | null;
  readonly last: number | null;
  readonly figures: RunFigures;
}

export interface RunFigures {
  /** The best agent under test by the score that decides, and how many agents have the same; null where there is none. */
  readonly score: {
    readonly agent: string;
    readonly value: number;
    readonly points: boolean;
    readonly name: string;
    readonly tied: number;
  } | null;
  /** Dollars; null where a price is unknown. */
  readonly cost: number | null;
  /** False where the run is too large to add up its cost here, and until it was read for the first time. */
  readonly isCostRead: boolean;
  /** False until they were read for the first time. */
  readonly isRead: boolean;
}

/** Which agent passed which task, failures first. */
export interface MatrixShown {
  readonly agents: readonly string[];
  /** Those of them that a suite plays to compare with, and that do not try. */
  readonly baselines: readonly string[];
  readonly tasks: readonly MatrixTask[];
  /** What failures have in common, the most frequent first. */
  readonly clusters: readonly FailureCluster[];
  /** Tasks that are left out. */
  readonly more: number;
}

export interface MatrixTask {
  readonly name: string;
  readonly scene: string;
  /** Environment and task as data. */
  readonly task: string;
  /** One for each agent; null where it has not played the task. */
  readonly cells: readonly (MatrixCell | null)[];
  /** Two agents with the same seed of which one passed and one failed: episodes to read side by side; null where there are none. */
  readonly sides: readonly [failed: string, passed: string] | null;
}

/** Failures that have the same in common. */
export interface FailureCluster {
  /** Scores that failed, such as "fault-loop"; or how the episode ended. */
  readonly cause: string;
  readonly failures: number;
  readonly tasks: number;
  readonly agents: readonly string[];
  /** One of them, and the turn at which it went wrong. */
  readonly episode: string;
  readonly event: number | null;
}

export interface MatrixCell {
  readonly state: 'pass' | 'fail' | 'mixed' | 'missing';
  readonly passed: number;
  readonly of: number;
  /** The first that failed, else the first, and the turn at which it went wrong. */
  readonly episode: string;
  readonly event: number | null;
}

/** This many of so many got through, with the 95% interval of the share. */
export interface ThroughShown {
  readonly through: number;
  readonly of: number;
  readonly interval: readonly [number, number];
}

export interface AttackShown
  extends ThroughShown,
    Pick<KeptAttack, 'with' | 'target' | 'overRefusal' | 'plain' | 'examples' | 'untested' | 'rounds'> {
  readonly notes: readonly string[];
  readonly ways: readonly (ThroughShown & { readonly way: string })[];
}
