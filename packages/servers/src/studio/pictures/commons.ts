/** @file The stock of a commons, round by round, and what each has taken of it. */

import type { Picture } from '../api.ts';
import type { Eyes } from './index.ts';

type Harvest = {
  readonly round: number;
  readonly stock: number;
  readonly takes: Readonly<Record<string, number>>;
};

interface Commons {
  readonly task: { readonly capacity: number };
  readonly stock: number;
  readonly past: readonly (Harvest | { readonly said: string })[];
}

export function drawCommons({ task: { capacity }, stock, past }: Commons, { seat, seats, knows }: Eyes): Picture | null {
  // Who has not come in yet knows nothing; who came later, only what happened since.
  if (seat !== null && knows === null) return null;
  const knownPast = seat === null ? past : (knows as Pick<Commons, 'past'>).past;
  const harvests = knownPast.filter((entry): entry is Harvest => 'takes' in entry);
  return {
    kind: 'stock',
    stock: [...harvests.map((harvest) => harvest.stock), stock],
    capacity,
    takes: Object.fromEntries(seats.map((seat) => [seat, harvests.map(({ takes }) => takes[seat] ?? 0)])),
  };
}
