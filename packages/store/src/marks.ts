/** @file What people keep next to episodes and runs: a star, tags, another name, a note, out of the way. Entries of a journal; of one thing the last of each counts. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import type { Json, Store } from '@ludus-agents/kernel/internal/core/index';

/** Appends; where someone else was quicker, appends after them. */
export async function appendNote(store: Store, run: string, journal: string, ...entries: readonly Json[]): Promise<void> {
  for (let length = -1; ; ) {
    const { [journal]: count = 0 } = await store.journals(run);
    try {
      return await store.note(run, journal, count, entries);
    } catch (thrown) {
      // Refused for another reason than a journal that has grown meanwhile.
      if (count === length) throw thrown;
      length = count;
    }
  }
}

export type Marks = {
  readonly star?: boolean;
  readonly tags?: readonly string[];
  readonly name?: string;
  readonly note?: string;
  readonly archived?: boolean;
};

/** The objects that can be marked. */
export type Marked = 'episode' | 'run';

const [run, journal] = ['studio', 'marks'];

type Entry = Marks & {
  readonly of: Marked;
  readonly id: string;
};

/** Changes the given marks, and leaves the others. */
export async function putMarks(store: Store, of: Marked, id: string, marks: Marks): Promise<void> {
  const there = of === 'run' ? await store.run(id) : await store.episode(id);
  if (there === null) throw new Fault('input', `No ${of} "${id.slice(0, 80)}" in this store to mark.`, { code: 'E_NOT_FOUND' });
  await appendNote(store, run, journal, { of, id, ...marks });
}

/** Archives runs, or restores them, in one write. */
export async function archiveRuns(store: Store, ids: readonly string[], archived: boolean): Promise<void> {
  const stored = new Set((await store.runs()).map(({ id }) => id));
  const missing = ids.find((id) => !stored.has(id));
  if (missing !== undefined)
    throw new Fault('input', `No run "${missing.slice(0, 80)}" in this store to archive.`, { code: 'E_NOT_FOUND' });
  await appendNote(store, run, journal, ...ids.map((id) => ({ of: 'run', id, archived })));
}

/** All marks of one kind of thing, by its id. */
export async function readMarks(store: Store, of: Marked): Promise<ReadonlyMap<string, Marks>> {
  const matches = new Map<string, Marks>();
  for (const entry of (await store.notes(run, journal)) as readonly Entry[]) {
    const { of: kind, id, ...marks } = entry;
    if (kind === of) matches.set(id, { ...matches.get(id), ...marks });
  }
  return matches;
}
