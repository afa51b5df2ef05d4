/** @file What the rules of the conformance kit are given, and what they find. */

import type { AnyEnvironment, EpisodeEvent, Json, Seed } from '../../core/index.ts';
import type { Sample } from './sample.ts';

/** A rule that a world breaks, and where it was seen. */
export interface Problem {
  readonly rule: string;
  readonly message: string;
  readonly task?: Json;
  readonly seed?: Seed;
}

export type Found = Omit<Problem, 'rule'>;

export interface Bench {
  readonly environment: AnyEnvironment;
  readonly samples: readonly Sample[];
  /** How many steps a rule may take beyond those of the samples. */
  readonly steps: number;
  readonly golden: string | undefined;
}

export interface Rule {
  readonly id: string;
  readonly says: string;
  find(bench: Bench): Iterable<Found> | AsyncIterable<Found>;
}

/** Where a log first differs from the one it should equal, in a sentence; null where it does not. */
export function difference(found: readonly EpisodeEvent[], wanted: readonly EpisodeEvent[]): string | null {
  const length = Math.max(found.length, wanted.length);
  for (let i = 0; i < length; i++) {
    const [was, is] = [wanted[i], found[i]].map((event) => JSON.stringify(event) ?? 'missing') as [string, string];
    if (was !== is) return `event ${i} was ${was.slice(0, 200)}, but is ${is.slice(0, 200)}`;
  }
  return null;
}

export function where({ task, seed }: Sample): Pick<Problem, 'task' | 'seed'> {
  return { task, seed };
}
