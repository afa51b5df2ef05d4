/**
 * @file One worker that spends a shared budget, as an actor of a model checker: the real meter over the real ledger. The checker decides when
 * a statement reaches the database, when its answer arrives, and whether either is lost.
 */

import { type Budget, BudgetFault, type ModelCall, type Reservation } from '@ludus-agents/kernel/internal/core/index';
import type { Database } from '@ludus-agents/store/internal/database';
import { SqlLedger } from '@ludus-agents/store/internal/shared-budget';
import { type CompiledQuery, type DatabaseConnection, Kysely, PostgresQueryCompiler, SqliteAdapter, SqliteQueryCompiler } from 'kysely';
import type { Choice } from '../../../../test/fixtures/interleavings.ts';
import { Meter } from './metered-models.ts';

/** What one worker does. Each part happens at any moment, or, where it is a fault, never. */
export interface Script {
  /** Tokens that each call really uses. All calls have the same bound. */
  readonly calls: readonly number[];
  readonly reports?: number;
  /** The worker may die. */
  readonly crash?: boolean;
  /** It sends no heartbeats, so that others take it to be dead. */
  readonly silent?: boolean;
  /** The lease of the first call's job may be lost. */
  readonly leaseLoss?: boolean;
  /** How many statements may fail: unsent, sent but not answered, or delayed beyond the failure. */
  readonly lost?: number;
}

export interface Scene {
  readonly budget: Budget;
  /** Tokens that a call may use at most. */
  readonly bound: number;
  readonly workers: Readonly<Record<string, Script>>;
  /** The limits with which someone opens the budget again, at any moment. */
  readonly reopen?: Budget;
}

interface Operation {
  readonly name: string;
  readonly effect: 'read' | 'write';
  /** It belongs to a transaction, which ends with it if it is lost. */
  readonly isInner: boolean;
  readonly perform: () => Promise<unknown>;
  readonly answer: PromiseWithResolvers<unknown>;
  state: 'sent' | 'performing' | 'performed';
  /** Its answer is no longer needed, but it may still reach the database. */
  isAbandoned: boolean;
  outcome?: { readonly value: unknown } | { readonly thrown: unknown };
}

interface Call {
  readonly stop: AbortController;
  state: 'new' | 'waiting' | 'running' | 'over';
  reservation?: Reservation;
  /** Tokens that the provider charges for: all it may use while it runs. */
  charged: number;
}

/** Retries of one worker while it waits for room: without a limit an execution would never end. */
const mostPauses = 2;

export class Actor {
  readonly name: string;
  readonly script: Script;
  readonly bound: number;
  readonly calls: readonly Call[];
  readonly meter: Meter;
  operations: Operation[] = [];
  pauses: (() => void)[] = [];
  isDead = false;
  /** The world no longer decides: statements run at once. */
  isFree = false;
  /** Transactions that begin or end, which takes the database a moment. */
  moving = 0;
  #made = 0;
  #paused = 0;
  #reports: number;
  #isReporting = false;
  #losses: number;
  #canLoseLease: boolean;

  constructor(name: string, { bound, workers }: Scene, database: Database, isSplit: boolean) {
    this.name = name;
    this.script = workers[name]!;
    this.bound = bound;
    this.calls = this.script.calls.map(() => ({ stop: new AbortController(), state: 'new', charged: 0 }));
    this.#reports = this.script.reports ?? 0;
    this.#losses = this.script.lost ?? 0;
    this.#canLoseLease = this.script.leaseLoss ?? false;
    const ledger = new SqlLedger(this.#gated(database, isSplit));
    this.meter = new Meter({ ledger, run: 'r', worker: name, pace: {}, stop: () => {}, pause: (_, signal) => this.#pause(signal) });
  }

  get sent(): number {
    return this.calls.filter(({ charged }) => charged > 0).length;
  }

  get charged(): number {
    return this.calls.reduce((sum, call) => sum + call.charged, 0);
  }

  choices(): readonly Choice[] {
    const choices: Choice[] = [];
    const add = (name: string, effect: Choice['effect'] = 'local') => choices.push({ actor: this.name, name, effect });
    if (!this.isDead) {
      const next = this.calls.findIndex(({ state }) => state === 'new');
      if (next >= 0) add(`start ${next}`);
      for (const [i, { state }] of this.calls.entries()) if (state === 'running') add(`settle ${i}`);
      if (this.#reports > 0 && !this.#isReporting) add('report');
      if (this.pauses.length > 0 && this.#paused < mostPauses) add('time passes');
      const [first] = this.calls;
      if (this.#canLoseLease && (first?.state === 'waiting' || first?.state === 'running')) add('lose lease');
      if (this.script.crash === true && this.meter.total.calls + this.operations.length > 0) add('crash');
    }
    for (const { name, effect, state, isAbandoned } of this.operations) {
      if (state === 'sent') add(`perform ${name}`, effect);
      if (isAbandoned) continue;
      if (state === 'performed') add(`answer ${name}`);
      if (state !== 'performing' && this.#losses > 0) add(`lose ${name}`);
    }
    return choices;
  }

  /** Whether only delayed statements are left whose results are not needed. */
  get isIdle(): boolean {
    return this.choices().every(({ name }) => name.startsWith('perform ')) && this.operations.every(({ isAbandoned }) => isAbandoned);
  }

  act(name: string): void {
    const [verb, object = ''] = name.split(/ (.*)/s) as [string, string?];
    const operation = this.operations.find((other) => other.name === object);
    if (verb === 'start') this.#start(Number(object));
    else if (verb === 'settle') this.settle(this.calls[Number(object)]!, this.script.calls[Number(object)]!);
    else if (verb === 'report') this.#report();
    else if (verb === 'time') {
      this.#paused++;
      this.passTime();
    } else if (name === 'lose lease') this.#loseLease();
    else if (verb === 'crash') this.#crash();
    else if (verb === 'perform') this.perform(operation!);
    else if (verb === 'answer') this.#answer(operation!);
    else this.#lose(operation!);
  }

  passTime(): void {
    for (const end of this.pauses.splice(0)) end();
  }

  perform(operation: Operation): void {
    operation.state = 'performing';
    const settle = (outcome: NonNullable<Operation['outcome']>) => {
      operation.state = 'performed';
      operation.outcome = outcome;
      if (operation.isAbandoned) this.operations = this.operations.filter((other) => other !== operation);
      else if (this.isFree) this.#answer(operation);
    };
    operation.perform().then(
      (value) => settle({ value }),
      (thrown) => settle({ thrown }),
    );
  }

  settle(call: Call, tokens: number): void {
    call.state = 'over';
    call.charged = tokens;
    call.reservation!.settle({ usage: { promptTokens: tokens, completionTokens: 0 }, cost: 0 } as ModelCall);
  }

  /** Everything that was sent and not abandoned reaches the database and is answered. */
  free(): void {
    this.isFree = true;
    for (const operation of this.operations)
      if (operation.isAbandoned) continue;
      else if (operation.state === 'sent') this.perform(operation);
      else if (operation.state === 'performed') this.#answer(operation);
  }

  #start(place: number): void {
    const call = this.calls[place]!;
    call.state = 'waiting';
    this.meter.reserve({ model: 'm', tokens: this.bound, money: 0 }, call.stop.signal).then(
      (reservation) => {
        if (this.isDead) return;
        call.state = 'running';
        call.charged = this.bound;
        call.reservation = reservation;
      },
      (thrown) => {
        call.state = 'over';
        if (!(thrown instanceof BudgetFault) && !call.stop.signal.aborted) throw thrown;
      },
    );
  }

  #report(): void {
    this.#reports--;
    this.#isReporting = true;
    this.meter
      .report()
      .catch(() => {})
      .finally(() => {
        this.#isReporting = false;
      });
  }

  /** Another worker takes the job: the call is canceled, and it is unknown what it has cost. */
  #loseLease(): void {
    this.#canLoseLease = false;
    const call = this.calls[0]!;
    call.stop.abort(new Error('The lease is lost.'));
    if (call.state !== 'running') return;
    call.state = 'over';
    call.reservation!.fail(call.stop.signal.reason, true);
  }

  #crash(): void {
    this.isDead = true;
    this.pauses = [];
    for (const operation of this.operations) this.#abandon(operation);
  }

  #abandon(operation: Operation): void {
    operation.isAbandoned = true;
    if (operation.state === 'performed' || operation.isInner) this.operations = this.operations.filter((other) => other !== operation);
    if (!operation.isInner) return;
    this.moving++;
    operation.answer.reject(new Error('The connection is lost.'));
  }

  #answer(operation: Operation): void {
    this.operations = this.operations.filter((other) => other !== operation);
    if (operation.isInner) this.moving++;
    const outcome = operation.outcome!;
    if ('value' in outcome) operation.answer.resolve(outcome.value);
    else operation.answer.reject(outcome.thrown);
  }

  #lose(operation: Operation): void {
    this.#losses--;
    this.#abandon(operation);
    operation.answer.reject(new Error('The connection is lost.'));
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.pauses.push(resolve);
      signal.addEventListener('abort', () => {
        this.pauses = this.pauses.filter((end) => end !== resolve);
        reject(signal.reason);
      });
    });
  }

  #gate<T>(effect: Operation['effect'], perform: () => Promise<T>, isInner = false): Promise<T> {
    if (this.isDead) return isInner ? Promise.reject(new Error('The connection is lost.')) : new Promise(() => {});
    if (isInner) this.moving--;
    const answer = Promise.withResolvers<unknown>();
    const operation: Operation = { name: String(this.#made++), effect, isInner, perform, answer, state: 'sent', isAbandoned: false };
    this.operations.push(operation);
    if (this.isFree) this.perform(operation);
    return answer.promise as Promise<T>;
  }

  /**
   * A transaction on SQLite is one event: it is the only writer, and readers see what was there before or after it. On PostgreSQL each of its
   * statements is an event, and so is its end.
   */
  #gated(database: Database, isSplit: boolean): Database {
    const { kind, db } = database;
    const gated = (inner: Database['db'], isInner: boolean) =>
      kyselyOn(kind, (query) => {
        const effect = /^\s*select(?!.*for update)/s.test(query.sql) ? 'read' : 'write';
        return this.#gate(effect, () => inner.executeQuery(query), isInner);
      });
    const split: Database['transact'] = async (work) => {
      if (this.isDead) return new Promise(() => {});
      this.moving++;
      try {
        return await database.transact(async (scope) => {
          const value = await work({ ...scope, db: gated(scope.db, true) });
          await this.#gate('write', async () => {}, true);
          return value;
        });
      } finally {
        this.moving--;
      }
    };
    const transact: Database['transact'] = isSplit ? split : (work) => this.#gate('write', () => database.transact(work));
    return { ...database, db: gated(db, false), transact, tell: async () => {} };
  }
}

function kyselyOn(kind: Database['kind'], execute: (query: CompiledQuery) => Promise<unknown>): Database['db'] {
  const connection = { executeQuery: execute, async *streamQuery() {} } as unknown as DatabaseConnection;
  const nothing = async () => {};
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => (kind === 'postgres' ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
      createIntrospector: () => ({}) as never,
      createDriver: () => ({
        ...{ init: nothing, destroy: nothing, releaseConnection: nothing, acquireConnection: async () => connection },
        ...{ beginTransaction: nothing, commitTransaction: nothing, rollbackTransaction: nothing },
      }),
    },
  });
}
