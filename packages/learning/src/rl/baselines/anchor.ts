/** @file GiGPO's step groups (2505.10978): visits to the same state within one prompt's episodes are compared with each other. */

import { groupAdvantages } from './group.ts';

export interface Visit {
  /** The prompt and the state, as one key; a state seen only once gets 0. */
  readonly key: string;
  /** The discounted return from here on. */
  readonly returned: number;
}

export function anchorAdvantages(visits: readonly Visit[], scale: 'none' | 'std' = 'none'): Float64Array {
  const numbers = new Map<string, number>();
  const groups = visits.map(({ key }) => {
    const knownSize = numbers.get(key) ?? numbers.size;
    numbers.set(key, knownSize);
    return knownSize;
  });
  return groupAdvantages(
    visits.map(({ returned }) => returned),
    groups,
    { center: 'mean', scale, single: 'zero' },
  );
}
