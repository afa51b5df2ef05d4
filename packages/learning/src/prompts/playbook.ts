/**
 * @file A playbook: numbered entries that are added, rewritten, merged and removed by small changes, each of which can be undone to the
 * byte.
 *
 * Entries are components of a spec (`playbook/00007`), so agents read them like every other text. Numbers are never reused. The effects of
 * entries are counted here and not in the spec, so that counting changes no agent.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { SpecTexts } from './components.ts';
import { applyEdits, editsBetween, type TextEdit } from './edits.ts';

export type PlaybookEntry = {
  readonly id: string;
  readonly text: string;
  /** How often it was found helpful and harmful. */
  readonly helpful: number;
  readonly harmful: number;
};

export type Playbook = readonly PlaybookEntry[];

export type Delta =
  | { readonly op: 'add'; readonly entry: PlaybookEntry; readonly at: number }
  | { readonly op: 'remove'; readonly id: string }
  | { readonly op: 'update'; readonly id: string; readonly text: string }
  | { readonly op: 'count'; readonly id: string; readonly helpful: number; readonly harmful: number };

/**
 * Applies changes in order; returns the playbook and the changes that undo them. Unknown numbers are refused, not treated as new entries.
 */
export function applyDeltas(book: Playbook, deltas: readonly Delta[]): { readonly book: Playbook; readonly undo: readonly Delta[] } {
  let now = book;
  const undo: Delta[] = [];
  for (const delta of deltas) {
    undo.unshift(inverse(now, delta));
    now = after(now, delta);
  }
  return { book: now, undo };
}

function after(book: Playbook, delta: Delta): Playbook {
  if (delta.op === 'add') return book.toSpliced(delta.at, 0, delta.entry);
  if (delta.op === 'remove') return book.filter(({ id }) => id !== delta.id);
  return book.map((entry) => {
    if (entry.id !== delta.id) return entry;
    if (delta.op === 'update') return { ...entry, text: delta.text };
    return { ...entry, helpful: entry.helpful + delta.helpful, harmful: entry.harmful + delta.harmful };
  });
}

function inverse(book: Playbook, delta: Delta): Delta {
  if (delta.op === 'add') {
    if (book.some(({ id }) => id === delta.entry.id)) throw new Fault('input', `The playbook already has an entry ${delta.entry.id}.`);
    return { op: 'remove', id: delta.entry.id };
  }
  const at = book.findIndex(({ id }) => id === delta.id);
  const entry = book[at];
  if (entry === undefined) throw new Fault('input', `The playbook has no entry ${delta.id}, so it cannot be changed.`);
  if (delta.op === 'remove') return { op: 'add', entry, at };
  if (delta.op === 'update') return { op: 'update', id: delta.id, text: entry.text };
  return { op: 'count', id: delta.id, helpful: -delta.helpful, harmful: -delta.harmful };
}

/** Removals that cut a playbook to `room` characters: lowest balance of helpful and harmful first; ties remove the oldest. */
export function planEviction(book: Playbook, room: number): readonly Delta[] {
  const order = book.toSorted((a, b) => a.helpful - a.harmful - (b.helpful - b.harmful) || (a.id < b.id ? -1 : 1));
  let size = book.reduce((sum, { text }) => sum + text.length, 0);
  const deltas: Delta[] = [];
  for (const { id, text } of order) {
    if (size <= room) break;
    size -= text.length;
    deltas.push({ op: 'remove', id });
  }
  return deltas;
}

/** Merges of entries with the same text, later ones into earlier ones. */
export function repeats(book: Playbook): readonly Delta[] {
  const statement = new Set<string>();
  return book.flatMap(({ id, text }): readonly Delta[] => {
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    if (statement.has(plain)) return [{ op: 'remove', id }];
    statement.add(plain);
    return [];
  });
}

/** Issues unique numbers, starting above the highest in the given components. */
export class Numbering {
  #last: number;

  constructor(components: SpecTexts = {}, kind = '') {
    const used = Object.keys(components).map((name) => (name.startsWith(`${kind}/`) ? Number(name.slice(kind.length + 1)) : 0));
    this.#last = Math.max(0, ...used.filter((number) => Number.isInteger(number)));
  }

  next(): string {
    return String(++this.#last).padStart(5, '0');
  }
}

/** The playbook in a set of components. */
export function bookIn(components: SpecTexts, kind: string): Playbook {
  return Object.entries(components).flatMap(([name, text]) =>
    name.startsWith(`${kind}/`) ? [{ id: name.slice(kind.length + 1), text, helpful: 0, harmful: 0 }] : [],
  );
}

/** Texts that a proposer may rewrite, rotated at every step, so that one that only rewrites the first reaches all of them. */
export function entriesOffered(components: SpecTexts, step: number): readonly string[] {
  const texts = Object.keys(components).filter((name) => name !== 'model' && name !== 'notes' && !name.startsWith('setting/'));
  const from = texts.length === 0 ? 0 : step % texts.length;
  return [...texts.slice(from), ...texts.slice(0, from)];
}

/** Tracks entries by text alone: the same entry under another number has the same effect. */
export class SeenEntries {
  readonly #known = new Set<string>();

  /** Whether these lines are seen for the first time. */
  fresh(components: SpecTexts): boolean {
    const lines = Object.values(components).flatMap((text) => text.split('\n'));
    const key = JSON.stringify(lines.filter((line) => line !== '').sort());
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    return true;
  }
}

/** Replaces the playbook entries of components by those of a playbook. */
export function withBook(components: SpecTexts, book: Playbook, kind: string): SpecTexts {
  const others = Object.entries(components).filter(([name]) => !name.startsWith(`${kind}/`));
  return Object.fromEntries([...others, ...book.map(({ id, text }) => [`${kind}/${id}`, text])]);
}

/** A proposal's changes to a playbook: lines added anywhere become entries, other edits stay in place. */
export interface PlaybookChange {
  readonly deltas: readonly Delta[];
  readonly edits: readonly TextEdit[];
}

export function readProposal(
  before: SpecTexts,
  proposed: SpecTexts,
  { book, kind, numbering }: { readonly book: Playbook; readonly kind: string; readonly numbering: Numbering },
): PlaybookChange {
  const isOfKind = (name: string) => name.startsWith(`${kind}/`);
  const changed: Delta[] = book.flatMap(({ id, text }): readonly Delta[] => {
    const now = proposed[`${kind}/${id}`]?.trim() ?? '';
    if (now === '') return [{ op: 'remove', id }];
    return now === text ? [] : [{ op: 'update', id, text: now }];
  });
  const plain = (components: SpecTexts) => Object.fromEntries(Object.entries(components).filter(([name]) => !isOfKind(name)));
  const edits = editsBetween(plain(before), plain(proposed));
  const added = edits.filter(({ take, put }) => take === undefined && put !== undefined && put.trim() !== '');
  const knownNames = new Set(book.map(({ id }) => `${kind}/${id}`));
  // A new component of the kind is also an entry, which allows entries of more than one line.
  const whole = Object.entries(proposed).filter(
    ([name, text]) => isOfKind(name) && !knownNames.has(name) && text !== before[name] && text.trim() !== '',
  );
  const texts = [...added.map(({ put }) => put as string), ...whole.map(([, text]) => text)];
  // New entries are appended in order, after the remaining old ones.
  const end = book.length - changed.filter(({ op }) => op === 'remove').length;
  const placed = texts.map((text, i): Delta => {
    const entry = { id: numbering.next(), text: text.trim(), helpful: 0, harmful: 0 };
    return { op: 'add', entry, at: end + i };
  });
  return { deltas: [...changed, ...placed], edits: edits.filter((edit) => !added.includes(edit)) };
}

/** Applies a proposal to components: edits in place, and the entries of the playbook. */
export function rewriteComponents(
  components: SpecTexts,
  { book, edits, kind }: { book: Playbook; edits: readonly TextEdit[]; kind: string },
): SpecTexts {
  return withBook(applyEdits(components, edits), book, kind);
}
