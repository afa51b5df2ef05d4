/**
 * @file Files that a run was played or scored with, noted with a hash of their content and imports. Those who only read a run compare: its figures
 * are about the files as they were then. Nothing in the files is run.
 */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { documentsOf } from '@ludus-agents/agents/internal/workspace/agent-names';
import { filesOf } from '@ludus-agents/agents/internal/workspace/cast-run';
import { digestSources } from '@ludus-agents/agents/internal/workspace/programs';
import { listWords } from '@ludus-agents/kernel/internal/core/format';
import type { AgentSpec, Json, RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { isInside } from '@ludus-agents/store/internal/files/portable-path';

type Use = 'played' | 'scored';

type FileNote = {
  readonly file: string;
  readonly use: Use;
  readonly digest: string;
};

const journal = 'files';

/** What a run uses. */
interface UsedFiles {
  readonly run: string;
  readonly use: Use;
  /** As the user names them; those that are no files are left out. */
  readonly names: Iterable<string>;
  readonly cwd: string;
}

/** Programs and documents that environments and agents are made of, as they are named. */
export function playedFiles(environments: Iterable<string>, agents: Iterable<AgentSpec | string>, cwd: string): readonly string[] {
  const files = [...agents].flatMap((agent) => [...filesOf(agent), ...documentsOf(typeof agent === 'string' ? agent : agent.name, cwd)]);
  return [...new Set([...environments, ...files])];
}

/** Notes the files as they are now, and names those that were others the last time. */
export async function noteFiles(store: Pick<Store, 'note' | 'notes'>, { run, use, names, cwd }: UsedFiles): Promise<readonly string[]> {
  const current = [...new Set(names)].flatMap((file): FileNote[] => {
    const digest = digestOf(file, cwd);
    return digest === null ? [] : [{ file, use, digest }];
  });
  if (current.length === 0) return [];
  for (let tries = 0; ; tries++) {
    const entries = (await store.notes(run, journal)) as readonly FileNote[];
    const before = lastNotes(entries);
    const fresh = current.filter((note) => before.get(keyOf(note))?.digest !== note.digest);
    if (fresh.length === 0) return [];
    try {
      await store.note(run, journal, entries.length, fresh as readonly Json[]);
      return fresh.filter((note) => before.has(keyOf(note))).map(({ file }) => file);
    } catch (thrown) {
      // Another process may note the same.
      if ((await store.notes(run, journal)).length === entries.length || tries > 20) throw thrown;
    }
  }
}

/** Says which files of a run have changed since, and what to do; null where none has. */
export async function changedSinceText(store: Pick<Store, 'notes'>, { id }: Pick<RunRecord, 'id'>, cwd: string): Promise<string | null> {
  const changed = await changedNotes(store, id, cwd);
  const sentences = (['played', 'scored'] as const).flatMap((use) => {
    const files = changed.filter((note) => note.use === use).map(({ file }) => file);
    if (files.length === 0) return [];
    const remedy = use === 'played' ? 'Play it again' : 'Score it again';
    return [`${listWords(files)} changed after ${id} was last ${use}. ${remedy} for current results.`];
  });
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Files that a run was played with, as they were named. */
export async function playedFileNames(store: Pick<Store, 'notes'>, run: string): Promise<readonly string[]> {
  return ((await store.notes(run, journal)) as readonly FileNote[]).flatMap(({ use, file }) => (use === 'played' ? [file] : []));
}

/** Files that a run was played with and that are others now. */
export async function changedFiles(store: Pick<Store, 'notes'>, run: string, cwd: string): Promise<readonly string[]> {
  return (await changedNotes(store, run, cwd)).flatMap(({ use, file }) => (use === 'played' ? [file] : []));
}

async function changedNotes(store: Pick<Store, 'notes'>, run: string, cwd: string): Promise<readonly FileNote[]> {
  const notes = [...lastNotes((await store.notes(run, journal)) as readonly FileNote[]).values()];
  return notes.filter(({ file, digest }) => (digestOf(file, cwd) ?? digest) !== digest);
}

function keyOf({ file, use }: FileNote): string {
  return `${use} ${file}`;
}

function lastNotes(entries: readonly FileNote[]): ReadonlyMap<string, FileNote> {
  return new Map(entries.map((note) => [keyOf(note), note]));
}

/** Null if the name is not a file in the folder. */
function digestOf(name: string, cwd: string): string | null {
  const file = resolve(cwd, name);
  if (!isInside(file, cwd) || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return digestSources(file);
}
