/**
 * @file Records the sources that a run was played or scored with, by name and digest, and the fingerprints that they are part of.
 * Readers of a run compare them. The digests are computed from sources only; nothing is executed.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { documentsOf } from '@ludus-agents/agents/internal/workspace/agent-names';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import { digestPath } from '@ludus-agents/agents/internal/workspace/programs';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AgentSpec, isFault, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isInside } from '@ludus-agents/store/internal/files/portable-path';
import { OwnMarks } from '@ludus-agents/store/internal/own-mark';
import { Fingerprints, type Source } from './fingerprint.ts';

export type Use = 'played' | 'scored';

export type SourceNote = {
  /** The name of the source; originally only a file. */
  readonly file: string;
  /** A note without this has the digest of a file in the folder. */
  readonly kind?: Source['kind'];
  readonly use: Use;
  readonly digest: string;
  /** Fingerprints that the source is part of with this digest. */
  readonly marks?: readonly string[];
};

const journal = 'files';

/** A source, and the fingerprints that it is part of. */
export type MarkedSource = Source & { readonly marks?: readonly string[] };

/** The inputs of a run. */
interface UsedSources {
  readonly run: string;
  readonly use: Use;
  readonly sources: Iterable<MarkedSource>;
  readonly cwd: string;
  /** The origin of the names: the user's own files may be outside the folder. */
  readonly trust: Trust;
}

/** The documents of agents and of their personas. */
export function documentSources(agents: Iterable<AgentSpec | string>, cwd: string): readonly Source[] {
  const names = [...agents].flatMap((agent) => documentsOf(typeof agent === 'string' ? agent : agent.name, cwd));
  return [...new Set(names)].map((name) => ({ kind: 'file', name }));
}

/** A suite, a questionnaire, a rubric or a population from a file or a folder; empty for built-in ones. */
export function fileSource(name: unknown): readonly Source[] {
  return typeof name === 'string' && (isFileName(name) || /\.\w{2,5}$/.test(name)) ? [{ kind: 'file', name: name.split('#', 1)[0] }] : [];
}

/** Records the current sources, and names those that have changed since the last time. */
export async function noteSources(store: Pick<Store, 'note' | 'notes'>, uses: UsedSources): Promise<readonly string[]> {
  const { run, use, cwd, trust } = uses;
  const reader = new SourceReader(cwd, run);
  const current = new Map<string, SourceNote>();
  for (const { kind, name, marks = [] } of uses.sources) {
    const noted = current.get(name);
    const digest = noted?.digest ?? (await reader.digest({ file: name, kind, use }, trust));
    const allMarks = [...new Set([...(noted?.marks ?? []), ...marks])];
    if (digest !== null) current.set(name, { file: name, kind: noted?.kind ?? kind, use, digest, marks: allMarks });
  }
  if (current.size === 0) return [];
  for (let tries = 0; ; tries++) {
    const entries = await readSourceNotes(store, run);
    const before = lastNotes(entries);
    const recorded = recordedMarks(entries);
    const fresh = [...current.values()].flatMap((note) => {
      const marks = note.marks?.filter((mark) => recorded.get(mark)?.get(keyOf(note))?.has(note.digest) !== true) ?? [];
      const { marks: _, ...plain } = note;
      return isSame(before.get(keyOf(note)), note) && marks.length === 0 ? [] : [marks.length === 0 ? plain : { ...plain, marks }];
    });
    if (fresh.length === 0) return [];
    try {
      await store.note(run, journal, entries.length, fresh as readonly Json[]);
      const changed = await Promise.all(
        fresh.map(async (note) => {
          const earlier = before.get(keyOf(note));
          if (earlier === undefined) return false;
          // An earlier edition used a different hash.
          return (earlier.kind === note.kind ? note.digest : await reader.digest(earlier, trust)) !== earlier.digest;
        }),
      );
      return fresh.filter((_, i) => changed[i]).map(displayName);
    } catch (thrown) {
      // Another process may record the same.
      if ((await store.notes(run, journal)).length === entries.length || tries > 20) throw thrown;
    }
  }
}

/** All notes of a run, in order. */
export async function readSourceNotes(store: Pick<Store, 'notes'>, run: string): Promise<readonly SourceNote[]> {
  return (await store.notes(run, journal)) as readonly SourceNote[];
}

/** The digests that each source had as a part of each fingerprint. */
export type RecordedMarks = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export function recordedMarks(entries: readonly SourceNote[]): RecordedMarks {
  const recorded = new Map<string, Map<string, Set<string>>>();
  for (const note of entries)
    for (const mark of note.marks ?? []) {
      const bySource = recorded.get(mark) ?? new Map<string, Set<string>>();
      const key = keyOf(note);
      recorded.set(mark, bySource.set(key, (bySource.get(key) ?? new Set<string>()).add(note.digest)));
    }
  return recorded;
}

/** Reads current sources. Names in a store may be imported: they reach only files in the folder, and others that the user named here. */
export class SourceReader {
  readonly #cwd: string;
  readonly #run: string;
  readonly #marks: OwnMarks;
  readonly #inside: Fingerprints;
  readonly #own: Fingerprints;

  constructor(cwd: string, run: string) {
    this.#cwd = cwd;
    this.#run = run;
    this.#marks = new OwnMarks({ cwd, env: process.env });
    this.#inside = new Fingerprints({ cwd, trust: Trust.runFolder, isIdle: true });
    this.#own = new Fingerprints({ cwd, trust: Trust.commandLine, isIdle: true });
  }

  /** Null if it is missing, or may not be read. A file named by a trusted caller is marked as named here. */
  async digest({ file: name, kind, use }: Omit<SourceNote, 'digest'>, trust?: Trust): Promise<string | null> {
    if (kind === undefined)
      return isInside(resolve(this.#cwd, name), this.#cwd) && existsSync(resolve(this.#cwd, name))
        ? digestPath(resolve(this.#cwd, name))
        : null;
    const inside = await digestBy(this.#inside, { kind, name });
    if (inside !== null) return inside;
    const mark = ['source', this.#run, use, kind, name];
    const isOwn = this.#marks.has(mark);
    if (!isOwn && trust?.isUser !== true) return null;
    const digest = await digestBy(this.#own, { kind, name });
    if (digest !== null && !isOwn) this.#marks.add(mark);
    return digest;
  }
}

async function digestBy(prints: Fingerprints, source: Source): Promise<string | null> {
  try {
    return await prints.source(source);
  } catch (thrown) {
    if (isFault(thrown)) return null;
    throw thrown;
  }
}

/** A command is shown as it is typed, and a file without the name of its export. */
export function displayName({ file, kind }: SourceNote): string {
  return kind === 'command' ? (JSON.parse(file) as readonly string[]).join(' ') : file.replace(/#\w+$/, '');
}

function isSame(before: SourceNote | undefined, { digest, kind }: SourceNote): boolean {
  return before?.digest === digest && before.kind === kind;
}

export function keyOf({ file, use }: Pick<SourceNote, 'file' | 'use'>): string {
  return `${use} ${file}`;
}

export function lastNotes(entries: readonly SourceNote[]): ReadonlyMap<string, SourceNote> {
  return new Map(entries.map((note) => [keyOf(note), note]));
}
