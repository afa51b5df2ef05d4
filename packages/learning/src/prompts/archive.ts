/**
 * @file The archive: every candidate ever made, with its parents and the gate's verdict. Nothing is removed.
 *
 * An entry contains the changes from the first parent, so a spec is restored by applying all changes in order, and its hash proves that it
 * is identical to the byte. When a run is repeated over its ledger, the same entries are created again: existing ones are compared, not
 * written.
 */

import { type AgentSpec, equal, Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { type Candidate, type CandidateOrigin, child, createFirstCandidate } from './candidate.ts';
import { addressOf, type Change, changeBetween, type SpecTexts } from './components.ts';
import type { GateVerdict } from './gate.ts';
import { Journal, type Journals } from './journal.ts';

export type ArchiveEntry =
  | { readonly kind: 'start'; readonly engine: string; readonly id: string; readonly spec: AgentSpec }
  | {
      readonly kind: 'candidate';
      readonly engine: string;
      readonly id: string;
      readonly parents: readonly string[];
      readonly origin: CandidateOrigin;
      readonly change: Change;
    }
  | ({ readonly kind: 'verdict'; readonly engine: string; readonly id: string; readonly against: string } & GateVerdict)
  /** The current candidate of the run: its best when it ended, or the one it was rolled back to. */
  | { readonly kind: 'head'; readonly id: string; readonly words: string };

/** An edit that was rejected at the gate. */
export interface RejectedEdit {
  readonly candidate: string;
  readonly parent: string;
  /** The parent's components, and their changes. */
  readonly before: SpecTexts;
  readonly change: Change;
  readonly verdict: GateVerdict;
}

/** The candidates of one engine, with parents and verdicts. */
export class Archive {
  readonly engine: string;
  readonly #nodes = new Map<string, Candidate>();
  readonly #children = new Map<string, string[]>();
  readonly #tried: RejectedEdit[] = [];
  readonly #tell: (entry: EngineEntry) => void;

  constructor(engine: string, tell: (entry: EngineEntry) => void = () => {}) {
    this.engine = engine;
    this.#tell = tell;
  }

  /** Adds a candidate whose parents are in the archive; an existing one is unchanged. Returns whether it is new. */
  add(candidate: Candidate): boolean {
    if (this.#nodes.has(candidate.id)) return false;
    const { id, parents, origin } = candidate;
    const missing = parents.find((parent) => !this.#nodes.has(parent));
    if (missing !== undefined)
      throw new Fault('input', `Candidate ${id} has the parent ${missing}, which is not in the archive. Add the parent first.`);
    this.#nodes.set(id, candidate);
    for (const parent of parents) {
      const list = this.#children.get(parent);
      if (list === undefined) this.#children.set(parent, [id]);
      else list.push(id);
    }
    const first = parents[0];
    if (first === undefined) this.#tell({ kind: 'start', engine: this.engine, id, spec: candidate.spec });
    else {
      const change = changeBetween(this.get(first).components, candidate.components);
      this.#tell({ kind: 'candidate', engine: this.engine, id, parents, origin, change });
    }
    return true;
  }

  judge(candidate: Candidate, against: Candidate, verdict: GateVerdict): void {
    this.add(candidate);
    const change = changeBetween(against.components, candidate.components);
    this.#tried.push({ candidate: candidate.id, parent: against.id, before: against.components, change, verdict });
    this.#tell({ kind: 'verdict', engine: this.engine, id: candidate.id, against: against.id, ...verdict });
  }

  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  get(id: string): Candidate {
    const candidate = this.#nodes.get(id);
    if (candidate === undefined) throw new Fault('input', `Candidate ${id} is not in the archive. Run "ludus improve lineage" to see all.`);
    return candidate;
  }

  get candidates(): readonly Candidate[] {
    return [...this.#nodes.values()];
  }

  /** Everything that the gate rejected, in order. */
  get tried(): readonly RejectedEdit[] {
    return this.#tried;
  }

  /** The edits that the gate rejected: the memory shown to proposers. */
  get rejected(): readonly RejectedEdit[] {
    return this.#tried.filter(({ verdict }) => !verdict.accept);
  }

  children(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  /** The ancestry from the start to the candidate, along first parents. */
  line(id: string): readonly Candidate[] {
    const line: Candidate[] = [];
    for (let at: string | undefined = id; at !== undefined; at = this.get(at).parents[0]) line.push(this.get(at));
    return line.reverse();
  }

  /** All ancestors, over every parent. */
  ancestors(id: string): ReadonlySet<string> {
    const matches = new Set<string>();
    const open = [...this.get(id).parents];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (matches.has(next)) continue;
      matches.add(next);
      open.push(...this.get(next).parents);
    }
    return matches;
  }

  /** The candidate and all its descendants, each once, as a new list. */
  clade(id: string): readonly string[] {
    const matches = new Set<string>([this.get(id).id]);
    for (const item of matches) for (const next of this.children(item)) matches.add(next);
    return [...matches];
  }

  /** Clade metaproductivity: the pooled scores of a candidate and its descendants, each counted once. */
  metaproductivity(id: string, scores: (candidate: string) => readonly number[]): { readonly count: number; readonly sum: number } {
    let count = 0;
    let sum = 0;
    for (const item of this.clade(id))
      for (const score of scores(item)) {
        count++;
        sum += score;
      }
    return { count, sum };
  }
}

/** The archives of a run, by engine, read from its journal. */
export interface Archives {
  readonly engines: ReadonlyMap<string, Archive>;
  readonly head: { readonly id: string; readonly words: string } | null;
}

/** Reads the archives of a stored run. */
export async function openArchives(store: Journals, run: string): Promise<Archives> {
  return readArchives((await store.notes(run, 'candidates')) as readonly ArchiveEntry[]);
}

export function readArchives(entries: readonly ArchiveEntry[]): Archives {
  const engines = new Map<string, Archive>();
  let head: Archives['head'] = null;
  for (const entry of entries) {
    if (entry.kind === 'head') {
      head = { id: entry.id, words: entry.words };
      continue;
    }
    let archive = engines.get(entry.engine);
    if (archive === undefined) {
      archive = new Archive(entry.engine);
      engines.set(entry.engine, archive);
    }
    if (entry.kind === 'start') archive.add(createFirstCandidate(entry.spec));
    else if (entry.kind === 'candidate') archive.add(child(archive.get(entry.parents[0]), entry.change, entry));
    else {
      const { accept, words, tasks, mean, error } = entry;
      archive.judge(archive.get(entry.id), archive.get(entry.against), { accept, words, tasks, mean, error });
    }
  }
  return { engines, head };
}

/** Restores the spec of a candidate, verified by its hash. */
export function restoreSpec(archive: Archive, id: string): AgentSpec {
  const { spec } = archive.get(id);
  if (addressOf(spec) !== id) throw new Fault('store', `Candidate ${id} cannot be restored exactly: its journal was modified.`);
  return spec;
}

/** An entry of an engine; the head is set at the end of a run or by a rollback. */
type EngineEntry = Exclude<ArchiveEntry, { readonly kind: 'head' }>;

/** Writes entries of archives to a run's journal, and compares repeated entries with the stored ones. */
export class ArchiveLog {
  readonly #journal: Journal;
  /** The entries that each engine had written before, in order. */
  readonly #kept: ReadonlyMap<string, EngineEntry[]>;

  static async open(store: Journals, run: string): Promise<ArchiveLog> {
    return new ArchiveLog(await Journal.open(store, run, 'candidates'));
  }

  constructor(journal: Journal) {
    this.#journal = journal;
    const entries = (journal.kept as readonly ArchiveEntry[]).filter((entry) => entry.kind !== 'head');
    this.#kept = Map.groupBy(entries.reverse(), ({ engine }) => engine);
  }

  /** An archive of one engine that writes to this log. */
  archive(engine: string): Archive {
    return new Archive(engine, (entry) => this.#write(entry));
  }

  /** Sets the current candidate of the run. */
  async head(id: string, reason: string): Promise<void> {
    await this.#journal.append({ kind: 'head', id, words: reason });
  }

  async settled(): Promise<void> {
    await this.#journal.settled();
  }

  #write(entry: EngineEntry): void {
    const before = this.#kept.get(entry.engine)?.pop();
    if (before === undefined) this.#journal.append(entry).catch(() => {});
    else if (!equal(before, JSON.parse(JSON.stringify(entry)) as Json))
      throw new Fault(
        'store',
        `This run cannot be resumed: when repeated, its ${entry.engine} makes ${entry.kind} ${entry.id} instead of ${before.kind} ${before.id}. Start a new run with another name.`,
        { code: 'E_UNSUPPORTED' },
      );
  }
}
