/** @file Messages of the page of one run, and the results of an attack. */

import type { KeptGate } from '@ludus-agents/desk/internal/play-gate';
import type { ReportCard } from '@ludus-agents/evaluation/internal/probes/probe-character';
import type { KeptAttack } from '@ludus-agents/learning/internal/improving/kept-attack';
import type { Marks } from '@ludus-agents/store/internal/marks';
import type { RunDetail, RunLine } from './api-pages.ts';

/** A run, and whether this server is playing it. */
export interface RunNow extends RunDetail {
  readonly going: boolean;
  readonly marks: Marks;
  /** When it was stored, in milliseconds since 1970; null if unknown. */
  readonly created: number | null;
  /** The results, if the run is an attack. */
  readonly attack: AttackShown | null;
  /** The character's fidelity to its card, if the run is a probe. */
  readonly card: ReportCard | null;
  /** The verdict on each agent, if the run is a release test. */
  readonly gate: readonly KeptGate[] | null;
  /** Why this server stopped playing it before the end; null if it did not. */
  readonly failure: string | null;
}

/** Details of each run in the list, besides its counts. */
export interface RunSummary extends RunLine {
  readonly marks: Marks;
  /** When it was stored, and when its last episode was, in milliseconds since 1970; null if unknown. */
  readonly created: number | null;
  readonly last: number | null;
  readonly figures: RunFigures;
}

export interface RunFigures {
  /** The best agent under test by the deciding score, and the number of agents that tie with it; null if there is none. */
  readonly score: {
    readonly agent: string;
    readonly value: number;
    readonly points: boolean;
    readonly name: string;
    readonly tied: number;
  } | null;
  /** Dollars; null if a price is unknown. */
  readonly cost: number | null;
  /** False if the run is too large to compute its cost here, and until it was first read. */
  readonly isCostRead: boolean;
  /** False until they were first read. */
  readonly isRead: boolean;
}

/** Which agent passed which task, failures first. */
export interface MatrixShown {
  readonly agents: readonly string[];
  /** The suite's null agents among them. */
  readonly baselines: readonly string[];
  readonly tasks: readonly MatrixTask[];
  /** Common causes of failures, most frequent first. */
  readonly clusters: readonly FailureCluster[];
  /** The encoder that grouped the failures of one cause by topic, or "shared words"; null without topics. */
  readonly topicsBy: string | null;
  /** The number of omitted tasks. */
  readonly more: number;
}

export interface MatrixTask {
  readonly name: string;
  readonly scene: string;
  /** Environment and task as data. */
  readonly task: string;
  /** One per agent; null if it has not played the task. */
  readonly cells: readonly (MatrixCell | null)[];
  /** Two agents with the same seed, one passed and one failed: episodes to compare; null if there are none. */
  readonly sides: readonly [failed: string, passed: string] | null;
}

/** Failures with a common cause. */
export interface FailureCluster {
  /** The failed scores, such as "fault-loop"; or the end of the episode. */
  readonly cause: string;
  /** What the episodes are about, in their most distinctive words, if failures of one cause have several topics. */
  readonly topic?: string;
  readonly failures: number;
  readonly tasks: number;
  readonly agents: readonly string[];
  /** One of them, and the turn of its failure. */
  readonly episode: string;
  readonly event: number | null;
}

export interface MatrixCell {
  readonly state: 'pass' | 'fail' | 'mixed' | 'missing';
  readonly passed: number;
  readonly of: number;
  /** The first failed episode, or else the first, and the turn of its failure. */
  readonly episode: string;
  readonly event: number | null;
}

/** The number of successes and tries, with the 95% interval of the share. */
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
