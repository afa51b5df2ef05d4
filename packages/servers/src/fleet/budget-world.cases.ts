/** @file Workers that spend one budget, as a world whose every order of events can be explored, and what must hold in it at every moment. */

import { setImmediate as turn } from 'node:timers/promises';
import type { WorkerNote } from '@ludus-agents/kernel/internal/core/index';
import type { Database } from '@ludus-agents/store/internal/database';
import { SqlJobs } from '@ludus-agents/store/internal/job-queue';
import { SqlLedger } from '@ludus-agents/store/internal/shared-budget';
import type { Choice, World } from '../../../../test/fixtures/interleavings.ts';
import { Actor, type Scene } from './budget-actor.cases.ts';

function noteOf(id: string): WorkerNote {
  const counts = { concurrency: 1, running: 0, finished: 0, failed: 0 };
  return { id, host: 'h', version: '1', environments: null, models: null, state: 'working', ...counts };
}

export interface WorldOptions {
  /** One for each worker, in the order of their names in the scene, and one to look with. */
  readonly databases: readonly Database[];
  /** Waits until every statement under way is done or waits for a lock. */
  readonly settled?: (performing: number) => Promise<boolean>;
}

/** Empties the ledger, opens the budget, and lets every worker learn it. */
export async function createWorld(scene: Scene, { databases, settled }: WorldOptions): Promise<World> {
  const observer = databases.at(-1)!;
  await observer.db.deleteFrom('spendings').execute();
  await observer.db.deleteFrom('purses').execute();
  await observer.db.deleteFrom('workers').execute();
  const jobs = new SqlJobs(observer);
  for (const [id, { silent = false }] of Object.entries(scene.workers)) if (!silent) await jobs.beat(noteOf(id), [], 1000);
  const ledger = new SqlLedger(observer);
  await ledger.open('r', scene.budget);
  const actors = Object.keys(scene.workers).map((name, i) => new Actor(name, scene, databases[i]!, settled !== undefined));
  const performing = () => actors.flatMap(({ operations }) => operations).filter(({ state }) => state === 'performing').length;
  const isMoving = () => actors.some(({ moving }) => moving > 0);
  const quiet = async () => {
    await turn();
    while (isMoving() || (performing() > 0 && (settled === undefined || !(await settled(performing()))))) await turn();
    await turn();
  };
  let reopened = scene.reopen === undefined ? null : false;
  let limits = scene.budget;
  const reopen = async () => {
    reopened = true;
    await ledger.open('r', scene.reopen!);
    const row = await observer.db.selectFrom('purses').select('base').executeTakeFirstOrThrow();
    const base = JSON.parse(row.base) as { readonly calls: number; readonly tokens: number };
    const silent = actors.filter(({ script }) => script.silent).flatMap(({ calls }) => calls);
    const over = actors.flatMap(({ calls }) => calls).filter(({ state }) => state === 'over');
    const most = over.reduce((sum, { charged }) => sum + charged, 0) + silent.length * scene.bound;
    if (base.tokens > most) throw new Error(`${base.tokens} tokens do not count toward the new budget, but only ${most} were spent.`);
    const { calls, tokens } = scene.reopen!;
    limits = { ...(calls !== undefined && { calls: base.calls + calls }), ...(tokens !== undefined && { tokens: base.tokens + tokens }) };
  };
  /** What was charged is within the budget, and the ledger contains all of it. */
  const check = async () => {
    const sentCount = actors.reduce((sum, actor) => sum + actor.sent, 0);
    const charged = actors.reduce((sum, actor) => sum + actor.charged, 0);
    const { calls = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = limits;
    if (sentCount > calls) throw new Error(`${sentCount} calls were made with a budget of ${calls}.`);
    if (charged > tokens) throw new Error(`${charged} tokens were charged with a budget of ${tokens}.`);
    const { spent } = await ledger.account('r');
    if (spent.calls < sentCount || spent.tokens < charged)
      throw new Error(`The ledger has ${spent.calls} calls and ${spent.tokens} tokens, but ${sentCount} and ${charged} were charged.`);
  };
  for (const actor of actors) {
    const learning = actor.meter.isBounded();
    actor.isFree = true;
    actor.free();
    await learning;
    actor.isFree = false;
  }
  return {
    choices() {
      if (actors.every(({ isIdle }) => isIdle) && reopened !== false) return [];
      const opening: readonly Choice[] = reopened === false ? [{ actor: 'owner', name: 'open', effect: 'write' }] : [];
      return [...opening, ...actors.flatMap((actor) => actor.choices())];
    },
    async take({ actor: name, name: action, effect }) {
      if (name === 'owner') await reopen();
      else actors.find((actor) => actor.name === name)!.act(action);
      await quiet();
      if (effect === 'write' || /^(?:answer|settle)/.test(action)) await check();
    },
    async finish() {
      const living = actors.filter(({ isDead }) => !isDead);
      for (const actor of living) actor.free();
      await quiet();
      const report = async () => {
        for (const { meter } of living) {
          const reporting = meter.report();
          await quiet();
          await reporting;
        }
      };
      // Calls that wait for room are admitted or refused once workers report what has ended.
      const isOver = () => living.every(({ calls }) => calls.every(({ state }) => state === 'over'));
      for (let round = 0; round < 10 && !isOver(); round++) {
        await report();
        for (const actor of living) actor.passTime();
        await quiet();
        for (const actor of living)
          for (const [i, call] of actor.calls.entries()) if (call.state === 'running') actor.settle(call, actor.script.calls[i]!);
        await quiet();
        await check();
      }
      if (!isOver()) throw new Error('A call waits forever.');
      await report();
      // Statements that were delayed until now change nothing any more.
      for (const actor of living) for (const operation of actor.operations) if (operation.state === 'sent') actor.perform(operation);
      await quiet();
      await check();
      const { spent } = await ledger.account('r');
      const isLeft = ({ isDead, script }: Actor) => isDead || (script.silent === true && reopened === true);
      const left = actors.filter(isLeft).flatMap(({ calls }) => calls).length;
      const [sentCount, charged] = [
        actors.reduce((sum, actor) => sum + actor.sent, 0),
        actors.reduce((sum, actor) => sum + actor.charged, 0),
      ];
      // What a dead worker has reserved stays counted, and so does what a silent one had when the budget was opened again; nothing else does.
      const [mostCalls, mostTokens] = [sentCount + left, charged + left * scene.bound];
      if (left === 0 ? spent.calls !== sentCount || spent.tokens !== charged : spent.calls > mostCalls || spent.tokens > mostTokens)
        throw new Error(
          `In the end the ledger has ${spent.calls} calls and ${spent.tokens} tokens, but ${sentCount} and ${charged} were charged.`,
        );
    },
  };
}
