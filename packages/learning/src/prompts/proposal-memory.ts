/**
 * @file Remembers proposals that did not reach the gate: the reasons for refusals, which the next request includes, and the number of
 * consecutive ones without anything new, so that a model that repeats itself ends its run early instead of being paid for it.
 */

import { breed, type Candidate, type CandidateOrigin, child } from './candidate.ts';
import type { Proposal } from './trial-ledger.ts';

/** The maximum number of consecutive model proposals without anything new. */
const mostRepeats = 8;

/** The number of reasons shown to the next proposal. */
const mostReasons = 4;

export class ProposalMemory {
  readonly #reasons = new Map<string, string[]>();
  readonly #known = new Set<string>();
  #repeats = 0;

  /** Why the last proposals for a parent were refused. */
  reasons(parent: string): readonly string[] {
    return (this.#reasons.get(parent) ?? []).slice(-mostReasons);
  }

  /** Records the result of a proposal. Only those written by models count as repetition, because random ones may coincide. */
  record(
    parent: string,
    { made, refused, asked }: { readonly made: readonly string[]; readonly refused: readonly string[]; readonly asked: boolean },
  ): void {
    const fresh = made.filter((id) => !this.#known.has(id));
    const again = made.length > 0 && fresh.length === 0 ? ['this was proposed before'] : [];
    for (const id of made) this.#known.add(id);
    const reasons = [...refused, ...again];
    if (reasons.length > 0) this.#reasons.set(parent, [...(this.#reasons.get(parent) ?? []), ...reasons]);
    if (fresh.length > 0) this.#repeats = 0;
    else if (asked) this.#repeats++;
  }

  get isStuck(): boolean {
    return this.#repeats >= mostRepeats;
  }
}

/** The children of a proposal, and the reasons for refused ones. */
export function breedChanges(
  parent: Candidate,
  { changes, refused = [] }: Pick<Proposal, 'changes' | 'refused'>,
  { origin, locked }: { readonly origin: CandidateOrigin; readonly locked: readonly string[] },
): { readonly made: readonly Candidate[]; readonly refused: readonly string[] } {
  const bred = changes.map((change) => breed(child(parent, change, { parents: [], origin }).spec, { parents: [parent], origin, locked }));
  return {
    made: bred.flatMap((item) => ('child' in item ? [item.child] : [])),
    refused: [...refused, ...bred.flatMap((item) => ('refused' in item ? [item.refused] : []))],
  };
}
