/** @file A candidate is a spec with its ancestry: its parents and its origin. All of it can be reconstructed from its log. */

import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import type { Change, SpecTexts } from './components.ts';
import { addressOf, applyChange, changeBetween, componentsOf, isEmpty, refusal, withComponents } from './components.ts';

/** The engine, proposer and step that created a candidate, and its intention. */
export type CandidateOrigin = { readonly engine: string; readonly proposer: string; readonly step: number; readonly words?: string };

/** A spec that an engine proposes, with its origin. */
export interface Candidate {
  /** The hash of its content: equal specs are one candidate. */
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

/** The result of an edit: a child, or the reason for its refusal. */
export type Bred = { readonly child: Candidate } | { readonly refused: string };

export interface Breeding {
  readonly parents: readonly Candidate[];
  readonly origin: CandidateOrigin;
  /** Components that no edit may touch. */
  readonly locked?: readonly string[];
}

/** Creates a child whose components differ from those of its first parent. */
export function createChild(components: SpecTexts, { parents, origin, locked = [] }: Breeding): Bred {
  const parent = parents[0];
  const change = changeBetween(parent.components, components);
  if (isEmpty(change)) return { refused: 'nothing was changed' };
  const why = refusal(parent.components, change, locked);
  if (why !== null) return { refused: why };
  return { child: child(parent, change, { parents: parents.map(({ id }) => id), origin }) };
}

/** Creates a child from a spec, as improvers return it: only its components matter. */
export function breed(spec: AgentSpec, breeding: Breeding): Bred {
  return createChild(componentsOf(spec), breeding);
}

/** Applies a change to a parent, to restore a log. A known id is not verified, because opening an archive should not hash all of it. */
export function child(
  parent: Candidate,
  change: Change,
  { parents, origin, id }: Pick<Candidate, 'parents' | 'origin'> & { readonly id?: string },
): Candidate {
  const components = applyChange(parent.components, change);
  const spec = withComponents(parent.spec, components);
  return { id: id ?? addressOf(spec), spec, components, parents, origin };
}
