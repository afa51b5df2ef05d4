/** @file Budgets and paces that all workers share. Each worker says its own sums, so that saying them twice counts nothing twice. */

import { type RawBuilder, sql } from 'kysely';
import type { Account, Budget, Ledger, Spending } from '../core/index.ts';
import type { Database } from './database.ts';
import { stopWord } from './jobs.ts';
import { readBack } from './log.ts';
import { nowIn } from './now.ts';

const metered = ['calls', 'tokens', 'money'] as const;

export class SqlLedger implements Ledger {
  readonly #database: Database;
  readonly #now: RawBuilder<number>;

  constructor(database: Database) {
    this.#database = database;
    this.#now = nowIn(database.kind);
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

  async spend(run: string, worker: string, total: Spending): Promise<Account> {
    const { calls, tokens, money, unpriced } = total;
    await this.#database.db
      .insertInto('spendings')
      .values({ run, worker, calls, tokens, money, unpriced })
      .onConflict((on) =>
        on.columns(['run', 'worker']).doUpdateSet((row) => ({
          calls: row.ref('excluded.calls'),
          tokens: row.ref('excluded.tokens'),
          money: row.ref('excluded.money'),
          unpriced: row.ref('excluded.unpriced'),
        })),
      )
      .execute();
    return this.account(run);
  }

  async account(run: string): Promise<Account> {
    const { db } = this.#database;
    const purse = await db
      .selectFrom('purses')
      .select(['budget', 'base', 'stopped', sql<number>`case when until < ${this.#now} then 1 else 0 end`.as('late')])
      .where('run', '=', run)
      .executeTakeFirst();
    const sums = await db
      .selectFrom('spendings')
      .select((row) => [...metered, 'unpriced' as const].map((what) => row.fn.sum(what).as(what)))
      .where('run', '=', run)
      .executeTakeFirst();
    const spent: Spending = {
      ...{ calls: Number(sums?.calls ?? 0), tokens: Number(sums?.tokens ?? 0), money: Number(sums?.money ?? 0) },
      unpriced: Number(sums?.unpriced ?? 0),
    };
    if (purse === undefined) return { spent, stopped: null, over: 0, bounded: false };
    const budget = readBack(purse.budget) as Budget;
    const base = readBack(purse.base) as unknown as Spending;
    const over = Math.max(0, spent.calls - base.calls - (budget.calls ?? Number.POSITIVE_INFINITY));
    const empty = (['tokens', 'money'] as const).find((what) => spent[what] - base[what] >= (budget[what] ?? Number.POSITIVE_INFINITY));
    const found = empty ?? (over > 0 ? 'calls' : Number(purse.late) === 1 ? 'seconds' : null);
    const stopped = (purse.stopped as keyof Budget | null) ?? found;
    if (stopped !== null && purse.stopped === null) await this.#stop(run, stopped);
    return { spent, stopped, over, bounded: Object.keys(budget).length > 0 };
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

  async #stop(run: string, why: keyof Budget): Promise<void> {
    await this.#database.db.updateTable('purses').set({ stopped: why }).where('run', '=', run).where('stopped', 'is', null).execute();
    await this.#database.tell(`${stopWord}${run}`);
  }
}
