/** @file The report of an attack, stored in a journal of its run: successful attacks with their texts and rates. */

import type { EpisodeEvent, Store } from '@ludus-agents/kernel/internal/core/index';
import type { AttackReport } from './attack.ts';
import type { AttackExample } from './attack-range.ts';

const journal = 'attack';

/** Without the data for the next attack, and without the agents themselves. */
export type KeptAttack = Omit<AttackReport, 'arsenal' | 'parts' | 'defended'>;

export async function keepAttack(store: Store, { arsenal: _, parts: __, defended: ___, ...report }: AttackReport): Promise<void> {
  await store.note(report.run, journal, 0, [report]);
}

/** Null for a run that is not an attack, or one that was stopped. */
export async function readAttack(store: Pick<Store, 'notes'>, run: string): Promise<KeptAttack | null> {
  const [report] = await store.notes(run, journal);
  return (report ?? null) as KeptAttack | null;
}

/** The position of an example in its episode: the revealing answer, and its turn. */
export function placeOf(example: AttackExample, events: readonly EpisodeEvent[]): Pick<AttackExample, 'event' | 'turn'> {
  const answer = example.answer.trim();
  const event = events.findLastIndex((event) => event.kind === 'action' && answer !== '' && event.action.text.includes(answer));
  if (event < 0) return {};
  return { event, turn: events.slice(0, event).filter(({ kind }) => kind === 'turn').length };
}
