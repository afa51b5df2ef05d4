/** @file The input and output of the rules of the conformance kit. */

import type { AnyEnvironment, EpisodeEvent, Json, Seed } from '../../core/index.ts';
import type { SampleEpisode } from './sample.ts';

/** A rule that an environment breaks, and where. */
export interface Problem {
  readonly rule: string;
  readonly message: string;
  readonly task?: Json;
  readonly seed?: Seed;
  /** The number of occurrences; the task and seed are those of the first. */
  readonly times: number;
}

export interface RuleBreach extends Omit<Problem, 'rule' | 'times'> {
  /** Distinguishes it from other violations of the rule; by default its message without numbers. */
  readonly cause?: string;
}

export interface CheckContext {
  readonly environment: AnyEnvironment;
  readonly samples: readonly SampleEpisode[];
  /** The most steps that a rule may take beyond those of the samples. */
  readonly steps: number;
  readonly golden: string | undefined;
}

export interface ConformanceRule {
  readonly id: string;
  readonly says: string;
  find(bench: CheckContext): Iterable<RuleBreach> | AsyncIterable<RuleBreach>;
}

/** The first difference between two logs, in a sentence; null if they are equal. */
export function difference(episodeEvents: readonly EpisodeEvent[], wanted: readonly EpisodeEvent[]): string | null {
  const length = Math.max(episodeEvents.length, wanted.length);
  for (let i = 0; i < length; i++) {
    const [was, is] = [wanted[i], episodeEvents[i]].map((event) => JSON.stringify(event) ?? 'missing') as [string, string];
    if (was !== is) return `event ${i} was ${was.slice(0, 200)}, but is ${is.slice(0, 200)}`;
  }
  return null;
}

export function where({ task, seed }: SampleEpisode): Pick<Problem, 'task' | 'seed'> {
  return { task, seed };
}
