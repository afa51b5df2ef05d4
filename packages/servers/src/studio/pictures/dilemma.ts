/** @file The matrix of a dilemma, with what was played round by round. */

import { payoffs } from '@ludus-agents/environments/internal/dilemma';
import type { Picture } from '../api.ts';
import type { Eyes } from './index.ts';

interface Dilemma {
  readonly task: { readonly game: string };
  readonly past: readonly Readonly<Record<string, string | number>>[];
}

const moves = ['C', 'D'] as const;

export function drawDilemma({ task: { game }, past }: Dilemma, { seats }: Eyes): Picture | null {
  const table = Object.hasOwn(payoffs, game) ? payoffs[game as keyof typeof payoffs] : undefined;
  const [first, second] = seats;
  if (table === undefined || first === undefined || second === undefined) return null;
  // What was said between rounds stands in the same list.
  const played = past
    .map((round) => [String(round[first]), String(round[second])] as const)
    .filter((round) => round.every((move) => moves.includes(move as 'C')));
  return { kind: 'matrix', moves, cells: [table.slice(0, 2), table.slice(2, 4)], seats: [first, second], played };
}
