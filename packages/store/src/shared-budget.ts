/**
 * @file Budgets and rate limits shared by all workers. Each worker reports its sums, so that a repeated report counts nothing twice.
 *
 * Every change of spending or reservations locks the budget first, so no two workers see the same remaining amount. Reports are numbered: a
 * delayed one cannot replace a later one and erase a reservation. A worker's reservations for running calls are in a second row next to its
 * spending, and count as spent. If the worker dies, they stay, because it is unknown whether those calls were made.
 */

import type { Account, Budget, BudgetStatement, CallGrant, SharedBudget, WorkerSpending } from '@ludus-agents/kernel/internal/core/index';
import { type RawBuilder, sql } from 'kysely';
import { readBack } from './append-rules.ts';
import type { Database, TransactionScope } from './database.ts';
import { databaseNow } from './database.ts';
import { stopWord } from './job-queue.ts';
import type { Tables } from './schema.ts';

const none: WorkerSpending = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
const parts = ['calls', 'tokens', 'money'] as const;

/** Marks the row of a worker's reservations. */
const heldMark = ' held';
/** Milliseconds after which a silent worker is considered dead: its reservations will not be returned. */
const silence = 60_000;
/** The revision of a closed row: later than any statement. */
const closedRevision = Number.MAX_SAFE_INTEGER;

type Db = Database['db'];

export class SqlLedger implements SharedBudget {
  readonly #database: Database;
  readonly #now: RawBuilder<number>;

  constructor(database: Database) {
    this.#database = database;
    this.#now = databaseNow(database.kind);
  }

  async open(run: string, budget: Budget): Promise<void> {
    await this.#database.transact(async (scope) => {
      const { db } = scope;
      const unlimited = { run, budget: '{}', base: JSON.stringify(none), until: null, stopped: null };
      await db
        .insertInto('purses')
        .values(unlimited)
        .onConflict((on) => on.column('run').doNothing())
        .execute();
      await this.#lock(scope, run);
      const rows = await rowsOf(db, run);
      const settled = sumOf(rows.filter(({ worker }) => !worker.endsWith(heldMark)));
      const silent = await this.#silent(db, rows);
      await close(db, run, silent);
      const base = JSON.stringify(silent.reduce(addSpending, settled));
      const until = budget.seconds === undefined ? null : sql<number>`${this.#now} + ${Math.round(budget.seconds * 1000)}`;
      await db
        .updateTable('purses')
        .set({ budget: JSON.stringify(budget), base, until, stopped: null })
        .where('run', '=', run)
        .execute();
    });
    await this.#database.tell('jobs');
  }

  async spend(run: string, worker: string, statement: BudgetStatement): Promise<Account> {
    const { account, exhausted } = await this.#database.transact(async (scope) => {
      const purse = await this.#lock(scope, run);
      const before = await rowsOf(scope.db, run);
      const revision = revisionOf(before, worker);
      if (revision <= statement.revision) await state(scope.db, run, worker, statement);
      const current = accountOf(purse, await rowsOf(scope.db, run));
      if (current.exhausted !== null) await markStopped(scope.db, run, current.exhausted);
      return { ...current, account: withClosed(current.account, revision) };
    });
    if (exhausted !== null) await this.#tellStopped(run);
    return account;
  }

  async account(run: string): Promise<Account> {
    const { account, exhausted } = await this.#read(run);
    return exhausted === null ? account : this.#recheck(run);
  }

  async reserve(run: string, worker: string, statement: BudgetStatement, wanted: readonly WorkerSpending[]): Promise<CallGrant> {
    const { grant, refused } = await this.#database.transact(async (scope) => {
      const { db } = scope;
      const purse = await this.#lock(scope, run);
      const rows = await rowsOf(db, run);
      const revision = revisionOf(rows, worker);
      if (revision > statement.revision) {
        const { account } = accountOf(purse, rows);
        return { grant: { ...withClosed(account, revision), granted: 0, wait: true }, refused: null };
      }
      const others = rows.filter((row) => row.worker !== worker && row.worker !== worker + heldMark);
      const stated = [
        { ...statement.spent, worker, revision },
        { ...statement.held, worker: worker + heldMark, revision },
      ];
      const { account, exhausted } = accountOf(purse, [...others, ...stated]);
      const silent = new Set(await this.#silent(db, others));
      // Reservations of running workers may be released, except calls, because nearly all are sent.
      const loose = sumOf(others.filter((row) => row.worker.endsWith(heldMark) && !silent.has(row)));
      const firm = less(account.spent, { ...addSpending(loose, statement.held), calls: 0 });
      const room = { spent: account.spent, firm };
      const fit =
        account.stopped === null ? fitting(account.budget, purse?.base ?? none, room, wanted) : { granted: 0, refused: exhausted };
      const { granted, refused } = fit;
      const more = wanted.slice(0, granted).reduce(addSpending, none);
      await state(db, run, worker, { ...statement, held: addSpending(statement.held, more) });
      if (refused !== null) await markStopped(db, run, refused);
      const wait = account.stopped === null && granted < wanted.length && refused === null;
      const stopped = account.stopped ?? refused;
      return { grant: { ...account, stopped, spent: addSpending(account.spent, more), granted, wait }, refused };
    });
    if (refused !== null) await this.#tellStopped(run);
    return grant;
  }

  async pace(place: string, perMinute: number, amount: number): Promise<number> {
    const { db, kind } = this.#database;
    const each = 60_000 / perMinute;
    // A burst of one second's amount is allowed.
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

  async stop(run: string, part: keyof Budget, why: string): Promise<void> {
    await markStopped(this.#database.db, run, `${part} ${why}`);
    await this.#tellStopped(run);
  }

  /** The budget and all rows in one statement, so they are consistent without a lock. */
  async #read(run: string): Promise<ReturnType<typeof accountOf>> {
    const { rows } = await sql<PurseRow & { readonly [part in keyof StoredRow]: StoredRow[part] | null }>`
      select purses.budget, purses.base, purses.stopped, case when purses.until < ${this.#now} then 1 else 0 end as late,
        spendings.worker, spendings.calls, spendings.tokens, spendings.money, spendings.unpriced, spendings.revision
      from (select cast(${run} as text) as run) as wanted
        left join purses on purses.run = wanted.run left join spendings on spendings.run = wanted.run`.execute(this.#database.db);
    const [first] = rows;
    const purse = first === undefined || first.budget === null ? undefined : purseOf(first);
    return accountOf(purse, rows.filter((row): row is (typeof rows)[0] & StoredRow => row.worker !== null).map(rowOf));
  }

  /** A reader sees that the budget is spent: decided again under the lock, since another process may have just raised the budget. */
  async #recheck(run: string): Promise<Account> {
    const { account, exhausted } = await this.#database.transact(async (scope) => {
      const purse = await this.#lock(scope, run);
      const current = accountOf(purse, await rowsOf(scope.db, run));
      if (current.exhausted !== null) await markStopped(scope.db, run, current.exhausted);
      return current;
    });
    if (exhausted !== null) await this.#tellStopped(run);
    return account;
  }

  async #tellStopped(run: string): Promise<void> {
    await this.#database.tell(`${stopWord}${run}`);
  }

  /** Reads the budget, and keeps other writers from it until the transaction ends. A transaction on SQLite is the only writer anyway. */
  async #lock({ db, kind }: TransactionScope, run: string): Promise<Opened | undefined> {
    const row = await db
      .selectFrom('purses')
      .select(['budget', 'base', 'stopped', sql<number>`case when until < ${this.#now} then 1 else 0 end`.as('late')])
      .where('run', '=', run)
      .$if(kind === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    return row === undefined ? undefined : purseOf(row);
  }

  /** Rows of reservations that their workers are not expected to return. */
  async #silent(db: Db, rows: readonly Row[]): Promise<readonly Row[]> {
    const currentRows = rows.filter(({ worker }) => worker.endsWith(heldMark));
    if (currentRows.length === 0) return [];
    const alive = await db.selectFrom('workers').select('id').where('seen', '>', sql<number>`${this.#now} - ${silence}`).execute();
    const living = new Set(alive.map(({ id }) => id));
    return currentRows.filter(({ worker }) => !living.has(workerOf(worker)));
  }
}

interface Opened {
  readonly budget: Budget;
  readonly base: WorkerSpending;
  readonly stopped: string | null;
  readonly late: boolean;
}

type PurseRow = Pick<Tables['purses'], 'budget' | 'base' | 'stopped'> & { readonly late: number };
type StoredRow = Omit<Tables['spendings'], 'run'>;
type Row = WorkerSpending & { readonly worker: string; readonly revision: number };

/** The spending and reservations of all workers; and the part of the budget that is used up, if that is not recorded yet. */
function accountOf(
  purse: Opened | undefined,
  rows: readonly Row[],
): { readonly account: Account; readonly exhausted: keyof Budget | null } {
  const spent = sumOf(rows);
  if (purse === undefined) return { account: { spent, stopped: null, over: 0, bounded: false, budget: {} }, exhausted: null };
  const { budget, base, late } = purse;
  const [part = null, ...reason] = purse.stopped?.split(' ') ?? [];
  const over = Math.max(0, spent.calls - base.calls - (budget.calls ?? Infinity));
  // Reservations may be released, and their calls must not be canceled.
  const settled = sumOf(rows.filter(({ worker }) => !worker.endsWith(heldMark)));
  const empty = (['tokens', 'money'] as const).find((amount) => settled[amount] - base[amount] >= (budget[amount] ?? Infinity));
  const used = empty ?? (over > 0 ? 'calls' : late ? 'seconds' : null);
  const stopped = (part as keyof Budget | null) ?? used;
  const bounded = Object.keys(budget).length > 0;
  const why = reason.length === 0 ? {} : { why: reason.join(' ') };
  return { account: { spent, stopped, over, bounded, budget, ...why }, exhausted: part === null ? used : null };
}

function withClosed(account: Account, revision: number): Account {
  return revision === closedRevision ? { ...account, closed: true } : account;
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

async function state(db: Db, run: string, worker: string, { revision, spent, held }: BudgetStatement): Promise<void> {
  const row = (name: string, { calls, tokens, money, unpriced }: WorkerSpending) => ({
    ...{ run, worker: name, calls, tokens, money, unpriced, revision },
  });
  await db
    .insertInto('spendings')
    .values([row(worker, spent), row(worker + heldMark, held)])
    .onConflict((on) =>
      on.columns(['run', 'worker']).doUpdateSet((next) => ({
        calls: next.ref('excluded.calls'),
        tokens: next.ref('excluded.tokens'),
        money: next.ref('excluded.money'),
        unpriced: next.ref('excluded.unpriced'),
        revision: next.ref('excluded.revision'),
      })),
    )
    .execute();
}

/** Reservations of silent workers stay counted. If one of them returns, it can no longer reduce them. */
async function close(db: Db, run: string, rows: readonly Row[]): Promise<void> {
  const names = rows.flatMap(({ worker }) => [worker, worker.slice(0, -heldMark.length)]);
  if (names.length === 0) return;
  await db.updateTable('spendings').set({ revision: closedRevision }).where('run', '=', run).where('worker', 'in', names).execute();
}

async function markStopped(db: Db, run: string, why: string): Promise<void> {
  await db.updateTable('purses').set({ stopped: why }).where('run', '=', run).where('stopped', 'is', null).execute();
}

async function rowsOf(db: Db, run: string): Promise<readonly Row[]> {
  const rows = await db.selectFrom('spendings').selectAll().where('run', '=', run).execute();
  return rows.map(rowOf);
}

function rowOf({ worker, calls, tokens, money, unpriced, revision }: StoredRow): Row {
  const sums = { calls: Number(calls), tokens: Number(tokens), money: Number(money), unpriced: Number(unpriced) };
  return { worker, ...sums, revision: Number(revision) };
}

function purseOf({ budget, base, stopped, late }: PurseRow): Opened {
  return { budget: readBack(budget) as Budget, base: readBack(base) as WorkerSpending, stopped, late: Number(late) === 1 };
}

/** The number of the last statement of a worker. */
function revisionOf(rows: readonly Row[], worker: string): number {
  return rows.find((row) => row.worker === worker)?.revision ?? 0;
}

/** A worker may have several pairs of rows for a run: "ID", and "ID+1" after a stop. */
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
