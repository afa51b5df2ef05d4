/** @file What a policy reads that is told something of its own: the latest of what was seen, and a note. */

import type { Turn } from '@ludus-agents/kernel/internal/core/index';

/** The turn with a note at its end, and of what was seen the last this many messages; all of it where no number is given. */
export function withNote(turn: Turn, note: string, reads: number | undefined): Turn {
  const { seen, ...view } = turn.view;
  const retained = reads === undefined ? seen : reads === 0 ? [] : seen.filter(({ kind }) => kind === 'message').slice(-reads);
  // What is not read may change how many moves there are, and the note is then all that tells it.
  const moves = reads === undefined || turn.ask.choices === undefined ? '' : ` ${turn.ask.choices.length} moves.`;
  return { ...turn, view: { ...view, seen: [...retained, { kind: 'message', to: [turn.ask.seat], text: `${note}${moves}` }] } };
}
