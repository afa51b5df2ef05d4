/**
 * @file GEPA's merge: takes each component from the branch that alone has changed it since their common ancestor; if both have, from the
 * better one.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import type { Archive } from '../archive.ts';
import type { Candidate } from '../candidate.ts';
import type { SpecTexts } from '../components.ts';

export interface Merge {
  readonly ancestor: Candidate;
  /** The better of the two comes first. */
  readonly first: Candidate;
  readonly second: Candidate;
}

export interface MergeChoice {
  readonly mean: (id: string) => number;
  readonly dice: Rng;
}

/**
 * Two candidates of the front, neither a descendant of the other, with a common ancestor no better than both, and each with a change that
 * the other lacks: otherwise the merge would equal one of them.
 */
export function mergeable(archive: Archive, front: readonly string[], { mean, dice }: MergeChoice): Merge | null {
  const merges: Merge[] = [];
  for (const [i, a] of front.entries())
    for (const b of front.slice(i + 1)) {
      const [left, right] = [archive.ancestors(a), archive.ancestors(b)];
      if (left.has(b) || right.has(a)) continue;
      const ancestor = [...left].find((id) => right.has(id) && mean(id) <= Math.min(mean(a), mean(b)));
      if (ancestor === undefined) continue;
      const [first, second] = mean(a) >= mean(b) ? [a, b] : [b, a];
      const merge = { ancestor: archive.get(ancestor), first: archive.get(first), second: archive.get(second) };
      if (
        names(merge).some((name) => changedParent(merge, name) === 'first') &&
        names(merge).some((name) => changedParent(merge, name) === 'second')
      )
        merges.push(merge);
    }
  return merges.length === 0 ? null : dice.pick(merges);
}

export function mergeTexts(merge: Merge): SpecTexts {
  const out: Record<string, string> = {};
  for (const name of names(merge)) {
    const from = changedParent(merge, name) === 'second' ? merge.second : merge.first;
    const text = from.components[name];
    if (text !== undefined) out[name] = text;
  }
  return out;
}

function names({ ancestor, first, second }: Merge): readonly string[] {
  return [...new Set([ancestor, first, second].flatMap(({ components }) => Object.keys(components)))];
}

/** The only branch that has changed a component since the ancestor. */
function changedParent({ ancestor, first, second }: Merge, name: string): 'first' | 'second' | null {
  const [before, a, b] = [ancestor.components[name], first.components[name], second.components[name]];
  if (a !== before && b === before) return 'first';
  return a === before && b !== before ? 'second' : null;
}
