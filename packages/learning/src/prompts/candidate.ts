/** @file A candidate is a spec with its ancestry: what it was made from, by whom, and nothing that could not be made again from its log. */

import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import {
  addressOf,
  applyChange,
  type Change,
  changeBetween,
  componentsOf,
  isEmpty,
  refusal,
  type SpecTexts,
  withComponents,
} from './components.ts';

/** Who made a candidate, in which step of which engine, and what was hoped for. */
export type CandidateOrigin = { readonly engine: string; readonly proposer: string; readonly step: number; readonly words?: string };

/** A spec that an engine proposes, with where it came from. */
export interface Candidate {
  /** The address of its content: equal specs are one candidate. */
  readonly id: string;
  readonly spec: AgentSpec;
  readonly components: SpecTexts;
  /** None for a start, one for an edit, two for a merge. */
  readonly parents: readonly string[];
  readonly origin: CandidateOrigin;
}

/** The first candidate of a run. */
export function createFirstCandidate(spec: AgentSpec): Candidate {
  const { parent: _, ...content } = spec;
  return {
    id: addressOf(spec),
    spec: content,
    components: componentsOf(content),
    parents: [],
    origin: { engine: 'start', proposer: 'start', step: 0 },
  };
}

/** The result of an edit: a child, or why there is none. */
export type Bred = { readonly child: Candidate } | { readonly refused: string };

export interface Breeding {
  readonly parents: readonly Candidate[];
  readonly origin: CandidateOrigin;
  /** Components that no edit may touch. */
  readonly locked?: readonly string[];
}

/** A child of its parents with other components than the first of them has. */
export function createChild(components: SpecTexts, { parents, origin, locked = [] }: Breeding): Bred {
  const parent = parents[0];
  const change = changeBetween(parent.components, components);
  if (isEmpty(change)) return { refused: 'nothing was changed' };
  const why = refusal(parent.components, change, locked);
  if (why !== null) return { refused: why };
  return { child: child(parent, change, { parents: parents.map(({ id }) => id), origin }) };
}

/** The same from a spec, as improvers give it: only its components count. */
export function breed(spec: AgentSpec, breeding: Breeding): Bred {
  return createChild(componentsOf(spec), breeding);
}

/** A parent with a change: how a log is read back. An id that is known is taken on trust, since a whole archive is not hashed to be opened. */
export function child(
  parent: Candidate,
  change: Change,
  { parents, origin, id }: Pick<Candidate, 'parents' | 'origin'> & { readonly id?: string },
): Candidate {
  const components = applyChange(parent.components, change);
  const spec = withComponents(parent.spec, components);
  return { id: id ?? addressOf(spec), spec, components, parents, origin };
}
