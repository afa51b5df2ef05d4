/**
 * @file Budgets and paces that all workers share. Each worker reports its own sums, so that a repeated report counts nothing twice.
 *
 * What a worker has reserved for running calls is in a row of its own next to what it has spent, and counts as spent: if the worker dies,
 * it stays there.
 */

import { type RawBuilder, sql } from 'kysely';
import type { Account, Budget, BudgetStatement, CallGrant, SharedBudget, WorkerSpending } from '../core/index.ts';
import { readBack } from './append-rules.ts';
import type { Database } from './database.ts';
import { databaseNow } from './database.ts';
import { stopWord } from './job-queue.ts';

const none: WorkerSpending = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
const parts = ['calls', 'tokens', 'money'] as const;

/** Marks the row of what a worker has reserved. */
const heldMark = ' held';
/** Milliseconds after which a silent worker is taken to be dead: what it has reserved will not be returned. */
const silence = 60_000;

type Db = Database['db'];

export class SqlLedger implements SharedBudget {
  readonly #database: Database;
  readonly #now: RawBuilder<number>;

  constructor(database: Database) {
    this.#database = database;
    this.#now = databaseNow(database.kind);
  }

  async open(run: string, budget: Budget): Promise<void> {
    const { spent } = await this.account(run);
    const until = budget.seconds === undefined ? null : sql<number>`${this.#now} + ${Math.round(budget.seconds * 1000)}`;
    const purse = { budget: JSON.stringify(budget), base: JSON.stringify(spent), until, stopped: null };
    await this.#database.db
      .insertInto('purses')
      .values({ run, ...purse })
      .onConflict((on) => on.column('run').doUpdateSet(purse))
      .execute();
    await this.#database.tell('jobs');
  }

  async spend(run: string, worker: string, total: WorkerSpending, held: WorkerSpending = none): Promise<Account> {
    await state(this.#database.db, run, worker, { spent: total, held });
    return this.account(run);
  }

  async account(run: string): Promise<Account> {
    const { account, found } = accountOf(await this.#purse(this.#database.db, run), sumOf(await rowsOf(this.#database.db, run)));
    if (found !== null) await this.#stop(run, found);
    return account;
  }

  async reserve(run: string, worker: string, stated: BudgetStatement, wanted: readonly WorkerSpending[]): Promise<CallGrant> {
    const { grant, refused } = await this.#database.transact(async ({ db, kind }) => {
      // A reservation locks the budget until it is written: no two workers see the same room.
      const purse = await this.#purse(db, run, kind === 'postgres');
      const others = (await rowsOf(db, run)).filter((row) => row.worker !== worker && row.worker !== worker + heldMark);
      const living = new Set(await this.#living(db));
      // What running workers have reserved may yet be returned.
      const loose = others.filter((row) => row.worker.endsWith(heldMark) && living.has(workerOf(row.worker)));
      const spent = addSpending(sumOf(others), addSpending(stated.spent, stated.held));
      const firm = less(spent, addSpending(sumOf(loose), stated.held));
      const { account } = accountOf(purse, spent);
      const { granted, refused } = account.stopped === null ? fitting(account.budget, purse?.base ?? none, { spent, firm }, wanted) : shut;
      const more = wanted.slice(0, granted).reduce(addSpending, none);
      const held = addSpending(stated.held, { ...more, calls: 0 });
      await state(db, run, worker, { spent: { ...stated.spent, calls: stated.spent.calls + more.calls }, held });
      const wait = account.stopped === null && granted < wanted.length && refused === null;
      return { grant: { ...account, spent: addSpending(spent, more), granted, wait }, refused };
    });
    if (refused === null) return grant;
    await this.#stop(run, refused);
    return { ...grant, stopped: refused };
  }

  async pace(place: string, perMinute: number, amount: number): Promise<number> {
    const { db, kind } = this.#database;
    const each = 60_000 / perMinute;
    // A burst of a second's worth may go at once.
    const burst = Math.max(1, perMinute / 60) * each;
    const latest = kind === 'postgres' ? sql.raw('greatest') : sql.raw('max');
    const row = await db
      .insertInto('paces')
      .values({ place, free: sql<number>`${this.#now} + ${amount * each}` })
      .onConflict((on) => on.column('place').doUpdateSet({ free: sql<number>`${latest}(paces.free, ${this.#now}) + ${amount * each}` }))
      .returning(sql<number>`free - ${amount * each} - ${this.#now}`.as('wait'))
      .executeTakeFirstOrThrow();
    return Math.max(0, Math.ceil(Number(row.wait) - burst + each));
  }

  stop(run: string, part: keyof Budget, why: string): Promise<void> {
    return this.#stop(run, `${part} ${why}`);
  }

  async #stop(run: string, why: string): Promise<void> {
    await this.#database.db.updateTable('purses').set({ stopped: why }).where('run', '=', run).where('stopped', 'is', null).execute();
    await this.#database.tell(`${stopWord}${run}`);
  }

  async #purse(db: Db, run: string, locked = false): Promise<Opened | undefined> {
    const row = await db
      .selectFrom('purses')
      .select(['budget', 'base', 'stopped', sql<number>`case when until < ${this.#now} then 1 else 0 end`.as('late')])
      .where('run', '=', run)
      .$if(locked, (query) => query.forUpdate())
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { budget, base, stopped, late } = row;
    return { budget: readBack(budget) as Budget, base: readBack(base) as unknown as WorkerSpending, stopped, late: Number(late) === 1 };
  }

  async #living(db: Db): Promise<readonly string[]> {
    const rows = await db.selectFrom('workers').select('id').where('seen', '>', sql<number>`${this.#now} - ${silence}`).execute();
    return rows.map(({ id }) => id);
  }
}

interface Opened {
  readonly budget: Budget;
  readonly base: WorkerSpending;
  readonly stopped: string | null;
  readonly late: boolean;
}

type Row = WorkerSpending & { readonly worker: string };

const shut = { granted: 0, refused: null } as const;

function accountOf(purse: Opened | undefined, spent: WorkerSpending): { readonly account: Account; readonly found: keyof Budget | null } {
  if (purse === undefined) return { account: { spent, stopped: null, over: 0, bounded: false, budget: {} }, found: null };
  const { budget, base, late } = purse;
  const [part = null, ...words] = purse.stopped?.split(' ') ?? [];
  const over = Math.max(0, spent.calls - base.calls - (budget.calls ?? Infinity));
  const empty = (['tokens', 'money'] as const).find((what) => spent[what] - base[what] >= (budget[what] ?? Infinity));
  const found = empty ?? (over > 0 ? 'calls' : late ? 'seconds' : null);
  const stopped = (part as keyof Budget | null) ?? found;
  const bounded = Object.keys(budget).length > 0;
  const why = words.length === 0 ? {} : { why: words.join(' ') };
  return { account: { spent, stopped, over, bounded, budget, ...why }, found: part === null ? found : null };
}

/** How many calls fit, from the first; and the part of the budget that refuses the next one for good, if one does. */
function fitting(
  budget: Budget,
  base: WorkerSpending,
  { spent, firm }: { readonly spent: WorkerSpending; readonly firm: WorkerSpending },
  wanted: readonly WorkerSpending[],
): { readonly granted: number; readonly refused: keyof Budget | null } {
  let [sum, sure] = [less(spent, base), less(firm, base)];
  for (const [granted, want] of wanted.entries()) {
    const beyond = (used: WorkerSpending) =>
      parts.find((part) => used[part] + want[part] > (budget[part] ?? Infinity) * (part === 'money' ? 1 + 1e-9 : 1)) ?? null;
    if (budget.money !== undefined && want.unpriced > 0) return { granted, refused: 'money' };
    if (beyond(sum) !== null) return { granted, refused: beyond(sure) };
    sum = addSpending(sum, want);
    sure = { ...sure, calls: sure.calls + want.calls };
  }
  return { granted: wanted.length, refused: null };
}

async function state(db: Db, run: string, worker: string, { spent, held }: BudgetStatement): Promise<void> {
  const row = (name: string, { calls, tokens, money, unpriced }: WorkerSpending) => ({ run, worker: name, calls, tokens, money, unpriced });
  await db
    .insertInto('spendings')
    .values([row(worker, spent), row(worker + heldMark, held)])
    .onConflict((on) =>
      on.columns(['run', 'worker']).doUpdateSet((given) => ({
        calls: given.ref('excluded.calls'),
        tokens: given.ref('excluded.tokens'),
        money: given.ref('excluded.money'),
        unpriced: given.ref('excluded.unpriced'),
      })),
    )
    .execute();
}

async function rowsOf(db: Db, run: string): Promise<readonly Row[]> {
  const rows = await db.selectFrom('spendings').selectAll().where('run', '=', run).execute();
  return rows.map(({ worker, calls, tokens, money, unpriced }) => ({
    ...{ worker, calls: Number(calls), tokens: Number(tokens), money: Number(money), unpriced: Number(unpriced) },
  }));
}

/** A worker may have several rows for a run, one after each stop: "ID" and "ID+xy". */
function workerOf(row: string): string {
  return row.slice(0, -heldMark.length).split('+', 1)[0]!;
}

function sumOf(rows: readonly WorkerSpending[]): WorkerSpending {
  return rows.reduce(addSpending, none);
}

function addSpending(a: WorkerSpending, b: WorkerSpending): WorkerSpending {
  return { calls: a.calls + b.calls, tokens: a.tokens + b.tokens, money: a.money + b.money, unpriced: a.unpriced + b.unpriced };
}

function less(a: WorkerSpending, b: WorkerSpending): WorkerSpending {
  return { calls: a.calls - b.calls, tokens: a.tokens - b.tokens, money: a.money - b.money, unpriced: a.unpriced - b.unpriced };
}
