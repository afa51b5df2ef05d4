/** @file Relevance: whether each reply of a seat answers what it read. By sentence vectors, turn by turn. */

import type { Score, Scorer, Seat, StartEvent } from '@ludus-agents/kernel/internal/core/index';
import { exchangesOf } from './apc.ts';
import { type Embedder, labelOf, likeness, provenanceOf, relevanceOf } from './small.ts';

/** Scores how far what a seat says is about what it was asked. */
export function relevanceScorer(embedder: Embedder): Scorer {
  const provenance = provenanceOf({ code: 'relevance@1', embedder: labelOf(embedder) });
  const common = {
    name: 'relevance',
    cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 },
    scale: [0, 1] as const,
    provenance,
  };
  return {
    name: 'relevance',
    tier: 'small',
    identity: provenance.hash,
    async score({ episodes, seat }) {
      const scores: Score[] = [];
      for (const episode of episodes) {
        const start = episode.events.find((event): event is StartEvent => event.kind === 'start');
        const seats: readonly Seat[] = seat === undefined ? (start?.seats ?? []) : [seat];
        for (const otherSeat of seats) {
          const exchanges = exchangesOf(episode, otherSeat).filter(({ query }) => query.trim() !== '');
          if (exchanges.length === 0) {
            scores.push({ ...common, seat: otherSeat, value: null, status: 'not-applicable', evidence: [] });
            continue;
          }
          const vectors = await embedder.embed(exchanges.flatMap(({ query, reply }) => [query, reply]));
          const values = exchanges.map((_, i) => relevanceOf(embedder, likeness(vectors[2 * i], vectors[2 * i + 1])));
          const least = values.indexOf(Math.min(...values));
          const { event, reply } = exchanges[least];
          scores.push({
            ...common,
            seat: otherSeat,
            value: values.reduce((sum, value) => sum + value, 0) / values.length,
            status: 'ok',
            floor: 0,
            parts: { least: values[least] },
            evidence: [{ episode: episode.id, event, quote: reply, supports: false, note: 'the least relevant reply' }],
          });
        }
      }
      return scores;
    },
  };
}
