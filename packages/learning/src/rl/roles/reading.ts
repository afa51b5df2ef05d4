/** @file The input of a policy that keeps a note: the latest observations and the note. */

import type { Turn } from '@ludus-agents/kernel/internal/core/index';

/** The turn with a note at its end and the last `reads` observations; all of them if unset. */
export function withNote(turn: Turn, note: string, reads: number | undefined): Turn {
  const { seen, ...view } = turn.view;
  const retained = reads === undefined ? seen : reads === 0 ? [] : seen.filter(({ kind }) => kind === 'message').slice(-reads);
  // Omitted messages may affect the number of moves, so the note states it.
  const moves = reads === undefined || turn.ask.choices === undefined ? '' : ` ${turn.ask.choices.length} moves.`;
  return { ...turn, view: { ...view, seen: [...retained, { kind: 'message', to: [turn.ask.seat], text: `${note}${moves}` }] } };
}
