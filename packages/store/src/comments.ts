/** @file Comments on a run, an episode, or a comparison, in order. They are entries of a journal, so every store supports them. */

import { Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { Marked } from './marks.ts';
import { appendNote } from './marks.ts';

/** The id of a comparison is `comparisonId`. */
export type Commented = Marked | 'comparison';

export function comparisonId({ a, b, run }: { readonly a: string; readonly b: string; readonly run: string }): string {
  return JSON.stringify([a, b, run]);
}

/** One remark. */
export interface Comment {
  /** Its place in the journal, by which it is removed. */
  readonly number: number;
  readonly text: string;
  readonly by: string;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

type Entry = Omit<Comment, 'number'> & {
  readonly of: Commented;
  readonly id: string;
};

type Removal = {
  readonly removed: number;
};

const [run, journal] = ['studio', 'comments'];

/** Keeps a remark about a run or an episode that is in the store, or about two sides of a comparison. */
export async function addComment(store: Store, of: Commented, id: string, comment: Omit<Comment, 'number'>): Promise<void> {
  const isSubject =
    of === 'comparison'
      ? /^\[".+",".+",".*"\]$/.test(id) && id.length < 1000
      : (await (of === 'run' ? store.run(id) : store.episode(id))) !== null;
  if (!isSubject) throw new Fault('input', `No ${of} "${id.slice(0, 80)}" in this store to comment on.`, { code: 'E_NOT_FOUND' });
  await appendNote(store, run, journal, { of, id, ...comment });
}

/** Removes a remark from view; the journal keeps it. */
export async function removeComment(store: Store, number: number): Promise<void> {
  const entries = (await store.notes(run, journal)) as readonly (Entry | Removal)[];
  const entry = entries[number];
  if (entry === undefined || 'removed' in entry)
    throw new Fault('input', `Comment ${number} not found in this store.`, { code: 'E_NOT_FOUND' });
  await appendNote(store, run, journal, { removed: number });
}

export async function readComments(store: Store, of: Commented, id: string): Promise<readonly Comment[]> {
  const entries = (await store.notes(run, journal)) as readonly (Entry | Removal)[];
  const removed = new Set(entries.flatMap((entry) => ('removed' in entry ? [entry.removed] : [])));
  return entries.flatMap((entry, number): readonly Comment[] => {
    if ('removed' in entry || entry.of !== of || entry.id !== id || removed.has(number)) return [];
    const { text, by, at } = entry;
    return [{ number, text, by, at }];
  });
}
