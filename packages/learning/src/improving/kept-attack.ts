/** @file What an attack came to, kept in a journal of its run: which attacks got through, in which words, how often of how many. */

import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import type { AttackReport } from './attack.ts';
import type { AttackExample } from './attack-range.ts';

const journal = 'attack';

/** Without what is kept for the next attack, and without the agents themselves. */
export type KeptAttack = Omit<AttackReport, 'arsenal' | 'parts' | 'defended'>;

export async function keepAttack(store: Store, { arsenal: _, parts: __, defended: ___, ...report }: AttackReport): Promise<void> {
  await store.note(report.run, journal, 0, [report]);
}

/** Null for a run that is not an attack, or one that was stopped. */
export async function readAttack(store: Pick<Store, 'notes'>, run: string): Promise<KeptAttack | null> {
  const [report] = await store.notes(run, journal);
  return (report ?? null) as KeptAttack | null;
}

/** Where in its episode the words of an example stand: the answer that gave it away, and its turn. */
export function placeOf(example: AttackExample, events: readonly EpisodeEvent[]): Pick<AttackExample, 'event' | 'turn'> {
  const answer = example.answer.trim();
  const event = events.findLastIndex((event) => event.kind === 'action' && answer !== '' && event.action.text.includes(answer));
  if (event < 0) return {};
  return { event, turn: events.slice(0, event).filter(({ kind }) => kind === 'turn').length };
}
