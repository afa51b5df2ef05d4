/**
 * @file Search by many threads that share what they found (the search of “Searching for Privacy Risks in LLM Agents via Simulation”, arXiv
 * 2508.10880).
 *
 * Every thread keeps its best candidate; at each step it proposes a variant and tries it on fresh seeds; with propagation the best of all
 * threads becomes the parent of all. The score of a winner among many is biased upwards, so it is evaluated again on seeds that were not
 * used for selection.
 */

import { type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';

/** The score of a candidate, and observations as text for the next proposal. */
export interface Look {
  readonly score: number;
  readonly evidence?: readonly string[];
}

export interface SearchHit<C> extends Look {
  readonly candidate: C;
}

export interface SearchParts<C> {
  readonly start: C;
  readonly seed: Seed;
  readonly threads: number;
  readonly steps: number;
  /** Whether to pass the best candidate to all threads after every step. */
  readonly propagate?: boolean;
  /** A variant of a parent; `searchHits` are all tried candidates, best first. */
  readonly propose: (parent: C, dice: Rng, searchHits: readonly SearchHit<C>[]) => C | Promise<C>;
  /** The score of a candidate on a seed: higher is better. The search and the final evaluation use different seeds. */
  readonly evaluate: (candidate: C, seed: Seed) => Promise<Look>;
}

export interface SearchResult<C> {
  readonly best: C;
  /** The score at selection, and on fresh seeds: their difference is the winner's curse. */
  readonly selected: number;
  readonly fresh: number;
  /** The best score after each step. */
  readonly course: readonly number[];
  readonly tried: readonly SearchHit<C>[];
  readonly evaluations: number;
}

/** Searches with many threads that share the best; evaluates the winner again on fresh seeds. */
export async function threadedSearch<C>(parts: SearchParts<C>): Promise<SearchResult<C>> {
  const { start, seed, threads, steps, propagate = true, propose, evaluate } = parts;
  const dice = rng(seed, 'search');
  const seeds = () => 2 * dice.int(2 ** 31);
  const first: SearchHit<C> = { candidate: start, ...(await evaluate(start, seeds())) };
  const tried: SearchHit<C>[] = [first];
  const searchHits: SearchHit<C>[] = Array.from({ length: threads }, () => first);
  const course: number[] = [];
  for (let step = 0; step < steps; step++) {
    for (let thread = 0; thread < threads; thread++) {
      const parent = searchHits[thread];
      const candidate = await propose(parent.candidate, rng(seed, 'propose', step, thread), rankHits(tried));
      const searchHit: SearchHit<C> = { candidate, ...(await evaluate(candidate, seeds())) };
      tried.push(searchHit);
      if (searchHit.score > parent.score) searchHits[thread] = searchHit;
    }
    const best = rankHits(searchHits)[0];
    if (propagate) searchHits.fill(best);
    course.push(best.score);
  }
  const best = rankHits(searchHits)[0];
  // Odd seeds are never used for selection.
  const { score: fresh } = await evaluate(best.candidate, 2 * rng(seed, 'fresh').int(2 ** 31) + 1);
  return { best: best.candidate, selected: best.score, fresh, course, tried, evaluations: tried.length + 1 };
}

function rankHits<C>(searchHits: readonly SearchHit<C>[]): readonly SearchHit<C>[] {
  return searchHits.toSorted((a, b) => b.score - a.score);
}
