/** @file The journals of a run that say what it was played with: its versions, and the specs that its plan does not have. */

import {
  type CurrentVersions,
  foldEntries,
  type PlayedSpec,
  readPlayedSpecs,
  specJournal,
  type VersionEntry,
  versionJournal,
} from '@ludus-agents/agents/internal/workspace/versions';
import { type AgentSpec, canonical, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import { withoutKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import type { Fingerprints } from './fingerprint.ts';
import type { PlannedTasks } from './plan-changes.ts';

interface JournalPlace {
  readonly store: Pick<Store, 'note' | 'notes' | 'run'>;
  readonly run: string;
}

/** What a run was said to be about when it was last played, whatever the files of the folder are now. */
export async function journalOf(store: Pick<Store, 'notes'>, run: string): Promise<CurrentVersions> {
  return foldEntries((await store.notes(run, versionJournal)) as readonly VersionEntry[]);
}

/** Adds to the journal what differs from it. Another process may note something at the same time: then the journal is read again. */
export async function noteEntry({ store, run }: JournalPlace, entryAfter: (before: CurrentVersions) => VersionEntry | null): Promise<void> {
  for (let tries = 0; ; tries++) {
    const entries = (await store.notes(run, versionJournal)) as readonly VersionEntry[];
    const entry = entryAfter(foldEntries(entries));
    if (entry === null) return;
    try {
      return await store.note(run, versionJournal, entries.length, [entry]);
    } catch (thrown) {
      const { length } = await store.notes(run, versionJournal);
      if (length === entries.length || tries > 20) throw thrown;
    }
  }
}

/** Notes the specs that the stored plan of the run does not have, so that their episodes can be scored, explained and resumed. */
export async function keepSpecs(planned: readonly PlannedTasks[], prints: Fingerprints, { store, run }: JournalPlace): Promise<void> {
  const stored = await store.run(run);
  if (stored === null) return;
  const textOf = (spec: Json) =>
    canonical(withoutKeys({ environments: [], seeds: [], casts: [{ seat: spec as never }] }).casts[0]['seat'] as Json);
  const existing = new Set(stored.plan.casts.flatMap((cast) => Object.values(cast).map((spec) => textOf(spec as Json))));
  const noted = await readPlayedSpecs(store, run);
  const hashes = new Set(noted.map((entry) => entry.hash));
  const fresh: PlayedSpec[] = [];
  for (const { sheet } of planned)
    for (const { casts } of sheet.scenes)
      for (const spec of casts.flatMap((cast) => Object.values(cast))) {
        const text = typeof spec === 'string' ? null : textOf(spec);
        if (text === null || existing.has(text)) continue;
        existing.add(text);
        const { hash: of } = await prints.agent(spec);
        if (!hashes.has(of)) fresh.push({ hash: of, spec: JSON.parse(text) as AgentSpec });
        hashes.add(of);
      }
  // Another process that plays the same has noted the same.
  if (fresh.length > 0) await store.note(run, specJournal, noted.length, fresh).catch(() => {});
}
