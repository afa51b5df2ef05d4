/** @file The report card of a probed character, stored in a journal of its run. */

import type { Store } from '@ludus-agents/kernel/internal/core/index';
import { appendNote } from '@ludus-agents/store/internal/marks';
import type { ReportCard } from './probe-character.ts';

const journal = 'report-card';

export async function keepCard(store: Store, run: string, card: ReportCard): Promise<void> {
  await appendNote(store, run, journal, card);
}

/** The card of the latest probe; null for a run that is not a probe, and for a stopped one. */
export async function readCard(store: Pick<Store, 'notes'>, run: string): Promise<ReportCard | null> {
  return ((await store.notes(run, journal)).at(-1) ?? null) as ReportCard | null;
}
