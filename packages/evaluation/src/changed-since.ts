/** @file Reports the parts of a run that have changed since it was played or scored. */

import type { NamedVersions } from '@ludus-agents/agents/internal/workspace/versions';
import { listWords } from '@ludus-agents/kernel/internal/core/format';
import type { RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { type JournalStore, readVersions } from './current-versions.ts';
import { displayName, keyOf, lastNotes, readSourceNotes, recordedMarks, type SourceNote, SourceReader } from './source-notes.ts';

/** Changes of a run since then, and what to do; null if there are none. */
export async function changedSinceText(store: JournalStore, { id }: Pick<RunRecord, 'id'>, cwd: string): Promise<string | null> {
  const changed = await changedNotes(store, id, cwd);
  const sentences = (['played', 'scored'] as const).flatMap((use) => {
    const names = [...new Set(changed.filter((note) => note.use === use).map(displayName))];
    if (names.length === 0) return [];
    const remedy = use === 'played' ? 'Play it again' : 'Score it again';
    return [`${listWords(names)} changed after ${id} was last ${use}. ${remedy} for current results.`];
  });
  const { environments, agents, mixed } = await readVersions(store, id);
  const isMixed = ([, { versions }]: readonly [string, NamedVersions]) => versions.some((mark) => mixed.has(mark));
  const names = [...environments, ...agents].filter(isMixed).map(([name]) => name);
  if (names.length > 0)
    sentences.push(`${listWords(names)} changed while ${id} was played, so figures may mix two versions. Play it again.`);
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Names of everything that a run was played with. */
export async function playedNames(store: Pick<Store, 'notes'>, run: string): Promise<readonly string[]> {
  return (await readSourceNotes(store, run)).flatMap(({ use, file }) => (use === 'played' ? [file] : []));
}

/** The changed parts that a run was played with. */
export async function changedNames(store: JournalStore, run: string, cwd: string): Promise<readonly string[]> {
  return (await changedNotes(store, run, cwd)).flatMap((note) => (note.use === 'played' ? [displayName(note)] : []));
}

/** The sources that differ from the versions behind the figures, or from when they were last recorded. */
async function changedNotes(store: JournalStore, run: string, cwd: string): Promise<readonly SourceNote[]> {
  const reader = new SourceReader(cwd, run);
  const entries = await readSourceNotes(store, run);
  const recorded = recordedMarks(entries);
  const { environments, agents, plan } = await readVersions(store, run);
  const current = [...[...environments.values(), ...agents.values()].flatMap(({ versions }) => versions), ...(plan === null ? [] : [plan])];
  const isMarked = new Set(entries.flatMap((note) => (note.marks === undefined ? [] : [keyOf(note)])));
  const changed: SourceNote[] = [];
  for (const [key, note] of lastNotes(entries)) {
    const digest = (await reader.digest(note)) ?? note.digest;
    const inVersions = current.flatMap((mark) => recorded.get(mark)?.get(key) ?? []);
    const isSame = isMarked.has(key) ? inVersions.every((digests) => digests.has(digest)) : digest === note.digest;
    if (!isSame) changed.push(note);
  }
  return changed;
}
