/**
 * @file Jobs in SQL tables: leased with SKIP LOCKED where several connections write, in one immediate transaction where one file is
 * written.
 *
 * A lease is a token with a time. When the time is over, the next worker that looks for jobs puts the job back; a job that was put back too
 * often is dead and has a reason.
 */

import {
  type Claim,
  type DeadJob,
  Fault,
  type JobQueue,
  type JobResult,
  type Lease,
  type Lot,
  type NewJob,
  type QueueStatus,
  type RunOverview,
  type WorkerNote,
  type WorkerRecord,
} from '@ludus-agents/kernel/internal/core/index';
import { type RawBuilder, sql } from 'kysely';
import { checkName, readBack } from './append-rules.ts';
import type { Database, TransactionScope } from './database.ts';
import { databaseNow } from './database.ts';
import { fairLimit } from './fair-limit.ts';
import { GroupCommit } from './group-commit.ts';
import type { JobsTable } from './schema.ts';

/** A job claimed this often without being finished is not tried again. */
const mostAttempts = 20;
/** The most other jobs of a group that are claimed together with one of them. */
const mostMates = 64;
const slice = 1000;
/** Milliseconds during which a worker leaves a job that it failed at to others. */
const usualHeadStart = 1000;

interface Finish {
  readonly lease: Lease;
  readonly outcome: JobResult;
  won: boolean;
}

export class SqlJobs implements JobQueue {
  readonly #database: Database;
  readonly #now: RawBuilder<number>;
  readonly #finishes: GroupCommit<Finish>;
  #claims = 0;
  #reaped = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#now = databaseNow(database.kind);
    this.#finishes = new GroupCommit((finishes) => this.#finishAll(finishes), { delay: 3 });
  }

  async offer(lot: Lot, jobs: readonly NewJob[]): Promise<number> {
    checkName('A lot', lot.id);
    checkName('A run', lot.run);
    for (const { id } of jobs) checkName('A job', id);
    const { id, run, version } = lot;
    const { db } = this.#database;
    await db
      .insertInto('lots')
      .values({ id, run, version, body: JSON.stringify(lot) })
      .onConflict((on) => on.column('id').doNothing())
      .execute();
    let offered = 0;
    for (let at = 0; at < jobs.length; at += slice) {
      const rows = jobs.slice(at, at + slice).map((job) => rowOf(lot, job));
      const added = await db
        .insertInto('jobs')
        .values(rows)
        .onConflict((on) =>
          on
            .column('id')
            .doUpdateSet({ state: 'waiting', attempts: 0, ready: 0, reason: 'it was offered again', lot: id })
            .where('jobs.state', 'in', ['dead', 'off']),
        )
        .returning('id')
        .execute();
      offered += added.length;
    }
    if (offered > 0) await this.#database.tell('jobs');
    return offered;
  }

  async lots(run?: string): Promise<readonly Lot[]> {
    const rows = await this.#database.db
      .selectFrom('lots')
      .select('body')
      .$if(run !== undefined, (query) => query.where('run', '=', run as string))
      .execute();
    return rows.map(({ body }) => readBack(body) as Lot);
  }

  async claim({ worker, limit: places, spare = 0, lease, ...of }: Claim): Promise<readonly Lease[]> {
    if (places + spare <= 0 || of.lots?.length === 0) return [];
    await this.#reap();
    // Idle workers poll. Only a worker that finds jobs waits for other writers.
    const limit = await fairLimit(this.#database.db, { worker, limit: places, spare });
    if (limit <= 0) return [];
    const token = `${worker}/${++this.#claims}`;
    const rows = await this.#database.transact(async (scope) => {
      const ids = await this.#waiting(scope, { worker, limit, lease, ...of });
      if (ids.length === 0) return [];
      return scope.db
        .updateTable('jobs')
        .set((row) => ({ state: 'leased', token, worker, attempts: row('attempts', '+', 1), until: sql`${this.#now} + ${lease}` }))
        .where('id', 'in', ids)
        .returning(['id', 'lot', 'run', 'kind', 'payload', 'attempts', 'position', 'reason'])
        .execute();
    });
    return rows
      .sort((a, b) => Number(a.position) - Number(b.position))
      .map(({ id, lot, run, kind, payload, attempts, reason }) => {
        const attempt = Number(attempts);
        return { id, lot, run, kind, payload: readBack(payload), attempt, fresh: attempt === 1 && reason === null, token };
      });
  }

  async beat(...[worker, leases, lease]: Parameters<JobQueue['beat']>): ReturnType<JobQueue['beat']> {
    const { db } = this.#database;
    await db
      .insertInto('workers')
      .values({ id: worker.id, body: JSON.stringify(worker), started: this.#now, seen: this.#now })
      .onConflict((on) => on.column('id').doUpdateSet((row) => ({ body: row.ref('excluded.body'), seen: row.ref('excluded.seen') })))
      .execute();
    const current = new Set<string>();
    for (let at = 0; at < leases.length; at += slice) {
      const ids = leases.slice(at, at + slice).map(({ id }) => id);
      const rows = await db
        .updateTable('jobs')
        .set({ until: sql`${this.#now} + ${lease}` })
        .where('id', 'in', ids)
        .where('worker', '=', worker.id)
        .where('state', '=', 'leased')
        .returning(['id', 'token'])
        .execute();
      for (const { id, token } of rows) current.add(`${id} ${token}`);
    }
    const lost = leases.filter(({ id, token }) => !current.has(`${id} ${token}`)).map(({ id }) => id);
    const runs = [...new Set(leases.map(({ run }) => run))];
    return { lost, stopped: runs.length === 0 ? [] : await this.#stopped(runs) };
  }

  async finish(lease: Lease, outcome: JobResult): Promise<boolean> {
    const finish: Finish = { lease, outcome, won: false };
    await this.#finishes.add(finish, 1);
    return finish.won;
  }

  async giveBack(leases: readonly Lease[]): Promise<void> {
    for (const [token, partialLeases] of Map.groupBy(leases, (lease) => lease.token)) {
      const ids = partialLeases.map(({ id }) => id);
      await this.#database.db
        .updateTable('jobs')
        .set((row) => ({ state: 'waiting', token: null, worker: null, reason: 'it was handed back', attempts: row('attempts', '-', 1) }))
        .where('token', '=', token)
        .where('state', '=', 'leased')
        .where('id', 'in', ids)
        .execute();
    }
    if (leases.length > 0) await this.#database.tell('jobs');
  }

  async fail({ id, token, attempt }: Lease, reason: string, wait: number | null): ReturnType<JobQueue['fail']> {
    const dead = wait === null || attempt >= mostAttempts;
    const rows = await this.#database.db
      .updateTable('jobs')
      .set({ state: dead ? 'dead' : 'waiting', token: null, reason, ready: sql`${this.#now} + ${wait ?? 0}` })
      .where('id', '=', id)
      .where('token', '=', token)
      .where('state', '=', 'leased')
      .returning('state')
      .execute();
    return (rows[0]?.state as 'waiting' | 'dead' | undefined) ?? 'lost';
  }

  async callOff(run: string): Promise<number> {
    const rows = await this.#database.db
      .updateTable('jobs')
      .set({ state: 'off' })
      .where('run', '=', run)
      .where('state', '=', 'waiting')
      .returning('id')
      .execute();
    return rows.length;
  }

  async standing(run: string): Promise<QueueStatus> {
    const rows = await this.#database.db
      .selectFrom('jobs')
      .select((row) => ['state', 'outcome', row.fn.countAll().as('jobs'), row.fn.sum('turns').as('turns')] as const)
      .where('run', '=', run)
      .groupBy(['state', 'outcome'])
      .execute();
    const counts = { waiting: 0, leased: 0, done: 0, dead: 0, off: 0, turns: 0 };
    const outcomes: Record<string, number> = {};
    for (const { state, outcome, jobs, turns } of rows) {
      counts[state] += Number(jobs);
      if (state !== 'done') continue;
      counts.turns += Number(turns);
      outcomes[outcome ?? ''] = (outcomes[outcome ?? ''] ?? 0) + Number(jobs);
    }
    const { off: _, ...activeCounts } = counts;
    return { ...activeCounts, outcomes };
  }

  async dead(run?: string): Promise<readonly DeadJob[]> {
    const rows = await this.#database.db
      .selectFrom('jobs')
      .select(['id', 'run', 'attempts', 'reason'])
      .where('state', '=', 'dead')
      .$if(run !== undefined, (query) => query.where('run', '=', run as string))
      .orderBy('position')
      .limit(slice)
      .execute();
    return rows.map(({ id, run: of, attempts, reason }) => ({ id, run: of, attempts: Number(attempts), reason: reason ?? '' }));
  }

  async workers(): Promise<readonly WorkerRecord[]> {
    const rows = await this.#database.db
      .selectFrom('workers')
      .select(['body', 'started', 'seen', sql<number>`${this.#now} - seen`.as('silent')])
      .orderBy('started')
      .execute();
    return rows.map(({ body, started, seen, silent }) => {
      const note = readBack(body) as WorkerNote;
      return { ...note, started: Number(started), seen: Number(seen), silent: Math.max(0, Number(silent)) };
    });
  }

  async overview(): Promise<readonly RunOverview[]> {
    const { db } = this.#database;
    const recent = sql<number>`sum(case when ended > ${this.#now} - 60000 then 1 else 0 end)`;
    const rows = await db
      .selectFrom('jobs')
      .select(
        (row) => ['run', 'state', 'outcome', row.fn.countAll().as('jobs'), row.fn.sum('turns').as('turns'), recent.as('recent')] as const,
      )
      .groupBy(['run', 'state', 'outcome'])
      .orderBy('run')
      .execute();
    const lots = await db.selectFrom('lots').select(['run', 'version']).distinct().execute();
    return [...Map.groupBy(rows, ({ run }) => run)].map(([run, parts]) => {
      const sum = (fits: (row: (typeof parts)[number]) => boolean, of: 'jobs' | 'turns' | 'recent' = 'jobs') =>
        parts.filter(fits).reduce((total, row) => total + Number(row[of]), 0);
      const inState = (state: JobsTable['state']) => sum((row) => row.state === state);
      return {
        run,
        ...{ waiting: inState('waiting'), leased: inState('leased'), done: inState('done'), dead: inState('dead') },
        failed: sum(({ outcome }) => outcome === 'error'),
        turns: sum(({ state }) => state === 'done', 'turns'),
        lastMinute: sum(({ state }) => state === 'done', 'recent'),
        versions: lots.filter((lot) => lot.run === run).map(({ version }) => version),
      };
    });
  }

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        forget();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      const forget = this.#database.listen(finish);
      signal.addEventListener('abort', finish, { once: true });
      if (signal.aborted) finish();
    });
  }

  onStop(hear: (run: string) => void): () => void {
    return this.#database.listen((word) => {
      if (word.startsWith(stopWord)) hear(word.slice(stopWord.length));
    });
  }

  /** Waits for completions under way. */
  settle(): Promise<void> {
    return this.#finishes.settle();
  }

  /** The first waiting jobs, with the other jobs of their groups. Skips jobs of runs whose budget is spent. */
  async #waiting(
    { db, kind }: TransactionScope,
    { worker, limit, version, lots, headStart = usualHeadStart }: Claim,
  ): Promise<readonly string[]> {
    const shut = db
      .selectFrom('purses')
      .select('run')
      .where((row) => row.or([row('stopped', 'is not', null), row('until', '<', this.#now)]));
    const free = db
      .selectFrom('jobs')
      .select(['id', 'team'])
      .where('state', '=', 'waiting')
      .where('run', 'not in', shut)
      .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked());
    const first = await free
      .where('ready', '<=', this.#now)
      // A worker that failed at a job lets others try it first: the job may not be the cause.
      .where((row) =>
        row.or([row('worker', 'is', null), row('worker', '!=', worker), row('ready', '<=', sql<number>`${this.#now} - ${headStart}`)]),
      )
      .$if(lots !== undefined, (query) => query.where('lot', 'in', lots as string[]))
      .$if(version !== undefined, (query) =>
        query.where(
          'lot',
          'in',
          db
            .selectFrom('lots')
            .select('lots.id')
            .where('lots.version', '=', version as string),
        ),
      )
      .orderBy('priority', 'desc')
      .orderBy('position')
      .limit(limit)
      .execute();
    const ids = new Set(first.map(({ id }) => id));
    const teams = [...new Set(first.flatMap(({ team }) => (team === null ? [] : [team])))];
    if (teams.length > 0)
      for (const { id } of await free
        .where('team', 'in', teams)
        .limit(limit + mostMates)
        .execute())
        ids.add(id);
    return [...ids];
  }

  /** Requeues jobs whose lease has expired; called only occasionally. */
  async #reap(): Promise<void> {
    if (performance.now() - this.#reaped < 250) return;
    this.#reaped = performance.now();
    const { db, kind } = this.#database;
    const over = db
      .selectFrom('jobs')
      .select('id')
      .where('state', '=', 'leased')
      .where('until', '<', this.#now)
      .limit(slice)
      .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked());
    await db
      .updateTable('jobs')
      .set({
        state: sql`case when attempts >= ${sql.lit(mostAttempts)} then 'dead' else 'waiting' end`,
        reason: sql`'its lease expired at worker ' || coalesce(worker, 'unknown')`,
        token: null,
        worker: null,
      })
      .where('id', 'in', over)
      .execute();
  }

  async #stopped(runs: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#database.db
      .selectFrom('purses')
      .select('run')
      .where('run', 'in', runs)
      .where((row) => row.or([row('stopped', 'is not', null), row('until', '<', this.#now)]))
      .execute();
    return rows.map(({ run }) => run);
  }

  /** Many completions in one statement. A completion with the same token counts once, however often it is reported. */
  async #finishAll(finishes: readonly Finish[]): Promise<readonly (Fault | null)[]> {
    for (let at = 0; at < finishes.length; at += slice) {
      const partialFinishes = finishes.slice(at, at + slice);
      const values = partialFinishes.map(
        ({ lease, outcome }) => sql`(${lease.id}, ${lease.token}, ${outcome.outcome}, ${String(outcome.turns)})`,
      );
      const { rows } = await sql<{ id: string }>`
        update jobs set state = 'done', outcome = said.column3, turns = cast(said.column4 as integer), ended = coalesce(ended, ${this.#now}), reason = null
        from (values ${sql.join(values)}) as said
        where jobs.id = said.column1 and jobs.token = said.column2 and jobs.state in ('leased', 'done')
        returning jobs.id`.execute(this.#database.db);
      const won = new Set(rows.map(({ id }) => id));
      for (const finish of partialFinishes) finish.won = won.has(finish.lease.id);
    }
    return finishes.map(() => null);
  }
}

/** The stop reason of a run whose budget is spent. */
export const stopWord = 'stop:';

function rowOf({ id: lot, run }: Lot, { id, kind, payload, group, priority = 0 }: NewJob) {
  if (!Number.isInteger(priority)) throw new Fault('store', `The priority of a job must be an integer, but got ${priority}.`);
  return { id, lot, run, kind, team: group ?? null, priority, payload: JSON.stringify(payload), state: 'waiting' as const };
}
