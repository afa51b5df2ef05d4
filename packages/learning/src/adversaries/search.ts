/**
 * @file Search by many threads that share what they found (the search of “Searching for Privacy Risks in LLM Agents via Simulation”, arXiv
 * 2508.10880).
 *
 * Every thread keeps the best it has; at each step it proposes a variant and tries it on fresh seeds; with propagation the best of all
 * threads becomes the parent of all. What is chosen among many looks better than it is, so the winner is tried again on seeds that
 * chose no candidate.
 */

import { type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';

/** How good a candidate was found to be, and what was seen of it: words for the next proposal. */
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
  /** Hand the best on to all threads after every step. */
  readonly propagate?: boolean;
  /** A variant of a parent; `found` is everything tried so far, best first. */
  readonly propose: (parent: C, dice: Rng, searchHits: readonly SearchHit<C>[]) => C | Promise<C>;
  /** How good a candidate is on some dice: more is better. Dice of the search and of the last look never meet. */
  readonly evaluate: (candidate: C, seed: Seed) => Promise<Look>;
}

export interface SearchResult<C> {
  readonly best: C;
  /** Where it was chosen, and on fresh seeds: their difference is the winner's curse. */
  readonly selected: number;
  readonly fresh: number;
  /** The best after each step. */
  readonly course: readonly number[];
  readonly tried: readonly SearchHit<C>[];
  readonly evaluations: number;
}

/** Searches by many threads that share the best; the winner is tried again on fresh seeds. */
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
  // Odd seeds were never used to choose.
  const { score: fresh } = await evaluate(best.candidate, 2 * rng(seed, 'fresh').int(2 ** 31) + 1);
  return { best: best.candidate, selected: best.score, fresh, course, tried, evaluations: tried.length + 1 };
}

function rankHits<C>(searchHits: readonly SearchHit<C>[]): readonly SearchHit<C>[] {
  return searchHits.toSorted((a, b) => b.score - a.score);
}
