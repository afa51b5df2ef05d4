/**
 * @file What a run was played or scored with, noted by name with a fingerprint. Those who only read a run compare: its figures are about the
 * things as they were then. The fingerprints are those of `fingerprint.ts`, taken from sources alone: nothing is run.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { documentsOf } from '@ludus-agents/agents/internal/workspace/agent-names';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import { digestPath } from '@ludus-agents/agents/internal/workspace/programs';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { listWords } from '@ludus-agents/kernel/internal/core/format';
import { type AgentSpec, isFault, type Json, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isInside } from '@ludus-agents/store/internal/files/portable-path';
import { OwnMarks } from '@ludus-agents/store/internal/own-mark';
import { Fingerprints, type Source } from './fingerprint.ts';

type Use = 'played' | 'scored';

type SourceNote = {
  /** The name of the source, for which a file stood at first. */
  readonly file: string;
  /** Of a note that has none, the digest is that of a file in the folder. */
  readonly kind?: Source['kind'];
  readonly use: Use;
  readonly digest: string;
};

const journal = 'files';

/** What a run uses. */
interface UsedSources {
  readonly run: string;
  readonly use: Use;
  readonly sources: Iterable<Source>;
  readonly cwd: string;
  /** The origin of the names: the user's own may be outside of the folder. */
  readonly trust: Trust;
}

/** The documents that agents were read from, with those of their personas. */
export function documentSources(agents: Iterable<AgentSpec | string>, cwd: string): readonly Source[] {
  const names = [...agents].flatMap((agent) => documentsOf(typeof agent === 'string' ? agent : agent.name, cwd));
  return [...new Set(names)].map((name) => ({ kind: 'file', name }));
}

/** A suite, a questionnaire, a rubric or a population that is a file or a folder; none for one that is built in. */
export function fileSource(name: unknown): readonly Source[] {
  return typeof name === 'string' && (isFileName(name) || /\.\w{2,5}$/.test(name)) ? [{ kind: 'file', name: name.split('#', 1)[0] }] : [];
}

/** Notes the sources as they are now, and names those that were others the last time. */
export async function noteSources(store: Pick<Store, 'note' | 'notes'>, uses: UsedSources): Promise<readonly string[]> {
  const { run, use, cwd, trust } = uses;
  const reader = new SourceReader(cwd, run);
  const current = new Map<string, SourceNote>();
  for (const { kind, name } of uses.sources) {
    const digest = current.has(name) ? null : await reader.digest({ file: name, kind, use }, trust);
    if (digest !== null) current.set(name, { file: name, kind, use, digest });
  }
  if (current.size === 0) return [];
  for (let tries = 0; ; tries++) {
    const entries = (await store.notes(run, journal)) as readonly SourceNote[];
    const before = lastNotes(entries);
    const fresh = [...current.values()].filter((note) => !isSame(before.get(keyOf(note)), note));
    if (fresh.length === 0) return [];
    try {
      await store.note(run, journal, entries.length, fresh as readonly Json[]);
      const changed = await Promise.all(
        fresh.map(async (note) => {
          const earlier = before.get(keyOf(note));
          // One of an earlier edition was hashed in another way.
          return earlier !== undefined && (earlier.kind === note.kind || (await reader.digest(earlier, trust)) !== earlier.digest);
        }),
      );
      return fresh.filter((_, i) => changed[i]).map(displayName);
    } catch (thrown) {
      // Another process may note the same.
      if ((await store.notes(run, journal)).length === entries.length || tries > 20) throw thrown;
    }
  }
}

/** Says what of a run has changed since, and what to do; null where nothing has. */
export async function changedSinceText(store: Pick<Store, 'notes'>, { id }: Pick<RunRecord, 'id'>, cwd: string): Promise<string | null> {
  const changed = await changedNotes(store, id, cwd);
  const sentences = (['played', 'scored'] as const).flatMap((use) => {
    const names = [...new Set(changed.filter((note) => note.use === use).map(displayName))];
    if (names.length === 0) return [];
    const remedy = use === 'played' ? 'Play it again' : 'Score it again';
    return [`${listWords(names)} changed after ${id} was last ${use}. ${remedy} for current results.`];
  });
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Names of what a run was played with. */
export async function playedNames(store: Pick<Store, 'notes'>, run: string): Promise<readonly string[]> {
  return ((await store.notes(run, journal)) as readonly SourceNote[]).flatMap(({ use, file }) => (use === 'played' ? [file] : []));
}

/** What a run was played with and that is something else now. */
export async function changedNames(store: Pick<Store, 'notes'>, run: string, cwd: string): Promise<readonly string[]> {
  return (await changedNotes(store, run, cwd)).flatMap((note) => (note.use === 'played' ? [displayName(note)] : []));
}

async function changedNotes(store: Pick<Store, 'notes'>, run: string, cwd: string): Promise<readonly SourceNote[]> {
  const reader = new SourceReader(cwd, run);
  const changed: SourceNote[] = [];
  for (const note of lastNotes((await store.notes(run, journal)) as readonly SourceNote[]).values())
    if (((await reader.digest(note)) ?? note.digest) !== note.digest) changed.push(note);
  return changed;
}

/** Reads sources as they are now. Names in a store may be imported: they reach what is in the folder, and further only what the user named here. */
class SourceReader {
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

  /** Null where it is not there, or may not be read. With the trust of who names it now, it is marked as named here. */
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
function displayName({ file, kind }: SourceNote): string {
  return kind === 'command' ? (JSON.parse(file) as readonly string[]).join(' ') : file.replace(/#\w+$/, '');
}

function isSame(before: SourceNote | undefined, { digest, kind }: SourceNote): boolean {
  return before?.digest === digest && before.kind === kind;
}

function keyOf({ file, use }: SourceNote): string {
  return `${use} ${file}`;
}

function lastNotes(entries: readonly SourceNote[]): ReadonlyMap<string, SourceNote> {
  return new Map(entries.map((note) => [keyOf(note), note]));
}
