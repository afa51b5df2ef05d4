/** @file Journals of a run that record what it was played with: its versions, and the specs that its plan lacks. */

import type { CurrentVersions, PlayedSpec, VersionEntry } from '@ludus-agents/agents/internal/workspace/versions';
import { foldEntries, readPlayedSpecs, specJournal, versionJournal } from '@ludus-agents/agents/internal/workspace/versions';
import { type AgentSpec, canonical, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import { withoutKeys } from '@ludus-agents/kernel/internal/core/spec-keys';
import type { Fingerprints } from './fingerprint.ts';
import type { PlannedTasks } from './plan-changes.ts';

interface JournalPlace {
  readonly store: Pick<Store, 'note' | 'notes' | 'run'>;
  readonly run: string;
}

/** The recorded versions of a run when it was last played, regardless of the current files of the folder. */
export async function journalOf(store: Pick<Store, 'notes'>, run: string): Promise<CurrentVersions> {
  return foldEntries((await store.notes(run, versionJournal)) as readonly VersionEntry[]);
}

/** Appends the entries that differ from the journal. If another process writes at the same time, the journal is read again. */
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

/** Records the specs that the run's stored plan lacks, because scoring, explaining, and resuming its episodes need them. */
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
  // Another process that plays the same run has recorded the same spec.
  if (fresh.length > 0) await store.note(run, specJournal, noted.length, fresh).catch(() => {});
}
