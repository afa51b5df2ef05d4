/**
 * @file The ledger: all paid work of a run, once. An entry is never played or requested again.
 *
 * A run is resumed by repeating it from its start: earlier requests are read from here, so it makes the same decisions and continues where
 * it was interrupted.
 */

import { type Cost, Fault, hash, type Json } from '@ludus-agents/kernel/internal/core/index';
import type { Change } from './components.ts';
import { Journal, type Journals } from './journal.ts';

/** propose: the lessons of proposers. select: used by gates and to choose parents. report: fresh tasks, played once at the end. */
export type Split = 'propose' | 'select' | 'report';

export const splits = ['propose', 'select', 'report'] as const;

/** One place where candidates are compared: a task of a split, repeated with other seeds. */
export type TrialKey = { readonly split: Split; readonly task: number; readonly repeat: number };

/**
 * How an improvement has used a task before the report. `proposer`: proposers have read its episodes. `gate`: candidates were selected by
 * it. `held-out`: neither. `seeds`: proposers have read its episodes under other seeds, because there are too few tasks to divide.
 */
export type TaskUse = 'proposer' | 'gate' | 'held-out' | 'seeds';

/** The task at a place. Several places may repeat one task. */
export type TaskIdentity = {
  readonly scene: string;
  readonly task: string;
  /** The unit of intervals: the task itself; or the episode, if each seed draws a new task. */
  readonly unit: string;
  readonly use: TaskUse;
};

/**
 * One task played once by one candidate. A trial without a score (its environment, model or judge failed) has a reason and is never counted
 * as 0.
 */
export type TrialRecord = TrialKey & {
  readonly kind: 'play';
  /** The task that was played; by default, every place of a split is its own task. */
  readonly at?: TaskIdentity;
  readonly key: string;
  readonly candidate: string;
  readonly score: number | null;
  readonly status: string;
  readonly cost: Cost;
  /** The models' time in seconds, if they report it. */
  readonly seconds?: number;
  /** Code skills that the candidate called. */
  readonly called?: readonly string[];
  /** A failure outside of the candidate, as a sentence. */
  readonly fault?: string;
  /** Why the scorer gave no score, if it gave none. */
  readonly unscored?: string;
  /** It is played and scored again when the run is resumed. */
  readonly again?: true;
  /** Its actual cost: unlike `cost`, excludes answers from a cache and includes failed requests. */
  readonly paid?: Spending;
  /** The episode's id in the store, if one was played. */
  readonly episode?: string;
};

/** A proposer's answer: changes of the parent, and refused ones. */
export type Proposal = {
  readonly kind: 'proposal';
  readonly key: string;
  readonly proposer: string;
  readonly parent: string;
  readonly changes: readonly Change[];
  /** Why some answers could not be used. */
  readonly refused?: readonly string[];
  readonly cost: Cost;
  readonly paid?: Spending;
};

/** Model costs according to the budget counter: every request counts, but not an answer from a cache. */
export type Spending = { readonly calls: number; readonly tokens: number; readonly money: number; readonly unpriced: number };

export const nothingSpent: Spending = { calls: 0, tokens: 0, money: 0, unpriced: 0 };

export function addSpending(a: Spending, b: Spending): Spending {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, money: a.money + b.money, unpriced: a.unpriced + b.unpriced };
}

/** The first spending minus the second. */
export function lessSpending(a: Spending, b: Spending): Spending {
  const left = (part: keyof Spending) => Math.max(0, a[part] - b[part]);
  return { calls: left('calls'), tokens: left('tokens'), money: Number(left('money').toFixed(9)), unpriced: left('unpriced') };
}

/** The identity of the trials: a run resumed with another one would compare incomparable scores. */
export type TrialGround = { readonly kind: 'ground'; readonly key: 'ground'; readonly identity: string };

/** The cost of plays and proposals that were interrupted when the run was stopped. They are repeated. */
export type CutOff = {
  readonly kind: 'cut';
  readonly key: string;
  readonly paid: Spending;
  /** Calls of that process without a token count. */
  readonly uncounted: number;
};

export type LedgerEntry = TrialRecord | Proposal | TrialGround | CutOff;

export const free: Cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

/** The sum of two costs; an unknown price makes the sum unknown. */
export function addCosts(a: Cost, b: Cost): Cost {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    money: a.money === null || b.money === null ? null : a.money + b.money,
  };
}

/** A cost minus a part of it. */
export function subtractCosts(whole: Cost, part: Cost): Cost {
  return {
    calls: whole.calls - part.calls,
    promptTokens: whole.promptTokens - part.promptTokens,
    completionTokens: whole.completionTokens - part.completionTokens,
    money: whole.money === null || part.money === null ? null : whole.money - part.money,
  };
}

/** A cost as spending: an unknown price counts as one call without a price. */
export function spendingOf({ calls, promptTokens, completionTokens, money }: Cost): Spending {
  return { calls, tokens: promptTokens + completionTokens, money: money ?? 0, unpriced: money === null ? 1 : 0 };
}

export function playKey(candidate: string, { split, task, repeat }: TrialKey): string {
  return `${candidate}/${split}/${task}/${repeat}`;
}

export function proposalKey(question: Json): string {
  return `proposal/${hash(question).slice(0, 20)}`;
}

export class TrialLedger {
  readonly #journal: Journal;
  readonly #entries = new Map<string, LedgerEntry>();

  static async open(store: Journals, run: string): Promise<TrialLedger> {
    return new TrialLedger(await Journal.open(store, run, 'ledger'));
  }

  constructor(journal: Journal = new Journal()) {
    this.#journal = journal;
    for (const entry of journal.kept as readonly LedgerEntry[]) this.#entries.set(entry.key, entry);
  }

  get<E extends LedgerEntry>(kind: E['kind'], key: string): E | undefined {
    const entry = this.#entries.get(key);
    return entry?.kind === kind ? (entry as E) : undefined;
  }

  /** Binds the run to an identity: scores of another one are not comparable with the stored ones. */
  async bind(identity: string): Promise<void> {
    const bound = this.get<TrialGround>('ground', 'ground');
    if (bound === undefined) await this.put({ kind: 'ground', key: 'ground', identity });
    else if (bound.identity !== identity)
      throw new Fault(
        'input',
        'The environment, tasks, cast, or scorer changed since this run started. Start a new run with another name.',
      );
  }

  /** Resolves once the entry is durable. */
  async put(entry: LedgerEntry): Promise<void> {
    this.#entries.set(entry.key, entry);
    await this.#journal.append(entry);
  }

  /** The actual cost of all entries, each once. */
  paid(): Spending {
    let sum = nothingSpent;
    for (const entry of this.#entries.values()) if (entry.kind !== 'ground') sum = addSpending(sum, entry.paid ?? nothingSpent);
    return sum;
  }

  /** Whether a stopped process recorded the cost of interrupted plays. */
  get hasCutOff(): boolean {
    return this.entries().some(({ kind }) => kind === 'cut');
  }

  /** Calls of stopped processes without a token count. */
  uncounted(): number {
    return this.entries().reduce((sum, entry) => sum + (entry.kind === 'cut' ? entry.uncounted : 0), 0);
  }

  entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()];
  }
}
