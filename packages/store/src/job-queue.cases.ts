/** @file What every queue and ledger must do, as cases to run over each of them. The numbers are those of SPEC.md. */

import { type Lease, type Lot, type NewJob, rng, type WorkerNote } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './logs.cases.ts';
import type { SharedStore } from './open-store.ts';

export function lot(changes: Partial<Lot> = {}): Lot {
  return {
    id: 'lot',
    run: 'r',
    environmentName: 'duel',
    environment: 'duel@1',
    task: {},
    casts: [],
    models: [],
    version: '1.0.0',
    ...changes,
  };
}

export function jobs(count: number, changes: Partial<NewJob> = {}, from = 0): NewJob[] {
  return Array.from({ length: count }, (_, i) => ({ id: `j${from + i}`, kind: 'episode', payload: { seed: from + i }, ...changes }));
}

function note(id: string): WorkerNote {
  return {
    id,
    host: 'h',
    version: '1.0.0',
    concurrency: 4,
    environments: null,
    models: null,
    state: 'working',
    running: 0,
    finished: 0,
    failed: 0,
  };
}

const ids = (leases: readonly Lease[]) => leases.map(({ id }) => id);
const lease = 3_600_000;
/** A lease, or a time, that is over before it begins: by the clock of the database, which no test can move. */
const past = -1000;
const never = new AbortController().signal;

/** Moves the clock of this process on, so that a queue looks again for leases that are over. */
function later(): void {
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 1000);
}
const over = { outcome: 'over', turns: 3 };
const spending = (calls: number, money = 0) => ({ calls, tokens: calls * 10, money, unpriced: 0 });
const statement = (calls: number, money = 0, revision = 1) => ({ revision, spent: spending(calls, money), held: spending(0) });

/** `open` opens the same shared store each time within one case: two of them are two processes. */
export function jobsCases(name: string, place: () => () => Promise<SharedStore>): void {
  describe(`${name} jobs`, () => {
    let opened: SharedStore[];
    let open: () => Promise<SharedStore>;
    const another = async () => {
      const sharedStore = await open();
      opened.push(sharedStore);
      return sharedStore;
    };
    beforeEach(() => {
      opened = [];
      open = place();
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await Promise.all(opened.map((sharedStore) => sharedStore.close()));
    });
    taking(another);
    losing(another);
    spendings(another, name);
  });
}

type Another = () => Promise<SharedStore>;

function taking(another: Another): void {
  it('[J1] gives every job to one worker, by priority and then by arrival', async () => {
    const { jobs: queue } = await another();
    expect(await queue.offer(lot(), jobs(3))).toBe(3);
    expect(await queue.offer(lot(), jobs(2, { priority: 5 }, 3))).toBe(2);
    expect(await queue.offer(lot(), jobs(5))).toBe(0);
    const first = await queue.claim({ worker: 'w1', limit: 3, lease });
    expect(ids(first).sort()).toEqual(['j0', 'j3', 'j4']);
    expect(first[0]).toMatchObject({ lot: 'lot', run: 'r', kind: 'episode', payload: { seed: 0 }, attempt: 1, fresh: true });
    expect(ids(await queue.claim({ worker: 'w2', limit: 9, lease })).sort()).toEqual(['j1', 'j2']);
    expect(await queue.claim({ worker: 'w2', limit: 9, lease })).toEqual([]);
    expect(await queue.standing('r')).toMatchObject({ waiting: 0, leased: 5, done: 0, dead: 0 });
  });

  it('[J1] never gives a job to two concurrent workers', async () => {
    const sharedStore = await Promise.all([another(), another(), another()]);
    await sharedStore[0]?.jobs.offer(lot(), jobs(300));
    const used = await Promise.all(
      sharedStore.flatMap(({ jobs: queue }, i) =>
        [0, 1, 2].map(async (k) => {
          const mine: string[] = [];
          for (;;) {
            const leases = await queue.claim({ worker: `w${i}-${k}`, limit: 7, lease });
            if (leases.length === 0) return mine;
            mine.push(...ids(leases));
          }
        }),
      ),
    );
    expect(used.flat()).toHaveLength(300);
    expect(new Set(used.flat()).size).toBe(300);
  });

  it('[J1] balances the last jobs between the workers that have capacity for them', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), jobs(40));
    const used: number[] = [];
    const claims = [
      { worker: 'a', limit: 8, spare: 4 },
      { worker: 'b', limit: 1, spare: 4 },
      { worker: 'a', limit: 1, spare: 40 },
      { worker: 'a', limit: 0, spare: 40 },
      { worker: 'b', limit: 0 },
      { worker: 'b', limit: 0, spare: 40 },
    ];
    for (const claim of claims) used.push((await queue.claim({ ...claim, lease })).length);
    expect(used).toEqual([8, 5, 12, 0, 0, 15]);
  });

  it('[J2] claims the jobs of a group together, and only from the named lots', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), [...jobs(3, { group: 'a' }), ...jobs(2, { group: 'b' }, 3)]);
    await queue.offer(lot({ id: 'other', run: 's' }), jobs(1, {}, 9));
    expect(ids(await queue.claim({ worker: 'w', limit: 1, lease }))).toEqual(['j0', 'j1', 'j2']);
    expect(ids(await queue.claim({ worker: 'w', limit: 5, lease, lots: ['other'] }))).toEqual(['j9']);
    expect(await queue.claim({ worker: 'w', limit: 5, lease, lots: [] })).toEqual([]);
    expect((await queue.lots()).map(({ id }) => id).sort()).toEqual(['lot', 'other']);
    expect(await queue.lots('s')).toEqual([lot({ id: 'other', run: 's' })]);
  });

  it('[J3] finishes a job once, and only for the worker that holds it', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), jobs(2));
    const [otherLease, two] = (await queue.claim({ worker: 'w', limit: 2, lease })) as [Lease, Lease];
    expect(await queue.finish({ ...otherLease, token: 'stolen' }, over)).toBe(false);
    expect(await Promise.all([queue.finish(otherLease, over), queue.finish(two, { outcome: 'error', turns: 1 })])).toEqual([true, true]);
    expect(await queue.finish(otherLease, over)).toBe(true);
    expect(await queue.standing('r')).toEqual({
      ...{ waiting: 0, leased: 0, done: 2, dead: 0, turns: 4 },
      outcomes: { over: 1, error: 1 },
    });
    expect(await queue.offer(lot(), jobs(2))).toBe(0);
  });

  it('[J4] wakes waiting workers when there is work', async () => {
    const [sharedStore, other] = [await another(), await another()];
    // A new listener is called once, to look for itself.
    await sharedStore.jobs.wait(lease, never);
    const woken = sharedStore.jobs.wait(lease, never);
    await other.jobs.offer(lot(), jobs(1));
    await woken;
    const stop = new AbortController();
    const waiting = sharedStore.jobs.wait(lease, stop.signal);
    stop.abort();
    await waiting;
  });

  it('[J5] stores names and payloads of any kind literally', async () => {
    const { jobs: queue, store } = await another();
    const hostile = "'); drop table jobs; --";
    const payload = { [hostile]: `\0\ud800"\\${hostile}` };
    await queue.offer(lot({ id: hostile, run: hostile, environmentName: hostile }), [
      { id: hostile, kind: hostile, payload, group: hostile },
    ]);
    const [usedLease] = await queue.claim({ worker: hostile, limit: 1, lease, lots: [hostile] });
    expect(usedLease).toMatchObject({ id: hostile, run: hostile, kind: hostile, payload });
    expect(await queue.fail(usedLease as Lease, hostile, null)).toBe('dead');
    expect(await queue.dead(hostile)).toEqual([{ id: hostile, run: hostile, attempts: 1, reason: hostile }]);
    await queue.beat({ ...note(hostile), host: hostile }, [], lease);
    expect((await queue.workers())[0]).toMatchObject({ id: hostile, host: hostile });
    expect(await store.episodes({ agent: hostile, environment: hostile, run: hostile })).toEqual([]);
    expect(await rejectionOf(queue.offer(lot({ id: 'a\0b' }), []))).toContain('lot needs a name that is a valid Unicode');
  });
}

function losing(another: Another): void {
  it('[J6] requeues a job when its lease expires, and rejects the late worker', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), jobs(1));
    const [late] = (await queue.claim({ worker: 'late', limit: 1, lease })) as [Lease];
    later();
    expect(await queue.claim({ worker: 'next', limit: 1, lease })).toEqual([]);
    expect((await queue.beat(note('late'), [late], past)).lost).toEqual([]);
    later();
    const [next] = (await queue.claim({ worker: 'next', limit: 1, lease })) as [Lease];
    expect(next).toMatchObject({ id: 'j0', attempt: 2 });
    expect(await queue.finish(late, over)).toBe(false);
    expect((await queue.beat(note('late'), [late], lease)).lost).toEqual(['j0']);
    expect(await queue.fail(late, 'too late', null)).toBe('lost');
    await queue.giveBack([late]);
    expect(await queue.finish(next, over)).toBe(true);
  });

  it('[J6] keeps a lease that is renewed', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), jobs(1));
    const [mine] = (await queue.claim({ worker: 'w', limit: 1, lease: past })) as [Lease];
    for (let i = 0; i < 4; i++) {
      expect(await queue.beat(note('w'), [mine], past)).toEqual({ lost: [], stopped: [] });
      expect(await queue.beat(note('w'), [mine], lease)).toEqual({ lost: [], stopped: [] });
      later();
      expect(await queue.claim({ worker: 'x', limit: 1, lease })).toEqual([]);
    }
    expect(await queue.finish(mine, over)).toBe(true);
  });

  it('[J7] retries a failed job after a delay, declares it dead with a reason, and revives it when offered', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), jobs(1));
    for (let attempt = 1; attempt <= 20; attempt++) {
      const worker = `w${attempt % 2}`;
      const [usedLease] = (await queue.claim({ worker, limit: 1, lease })) as [Lease];
      expect(usedLease.attempt).toBe(attempt);
      expect(await queue.fail(usedLease, `reason ${attempt}`, 0)).toBe(attempt === 20 ? 'dead' : 'waiting');
      // Others may try it first.
      expect(await queue.claim({ worker, limit: 1, lease, headStart: lease })).toEqual([]);
    }
    expect(await queue.claim({ worker: 'w', limit: 1, lease })).toEqual([]);
    expect(await queue.dead()).toEqual([{ id: 'j0', run: 'r', attempts: 20, reason: 'reason 20' }]);
    expect(await queue.offer(lot(), jobs(1))).toBe(1);
    const [taken] = (await queue.claim({ worker: 'w', limit: 1, lease })) as [Lease];
    expect(taken.attempt).toBe(1);
    expect(await queue.fail(taken, 'not now', lease)).toBe('waiting');
    expect(await queue.claim({ worker: 'w', limit: 1, lease })).toEqual([]);
  });

  it('[J8] accepts returned jobs without counting an attempt, and cancels waiting ones', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), jobs(3));
    const leases = await queue.claim({ worker: 'w', limit: 2, lease });
    await queue.giveBack(leases);
    await queue.giveBack(leases);
    const again = await queue.claim({ worker: 'w', limit: 1, lease });
    expect(again[0]).toMatchObject({ attempt: 1, fresh: false });
    expect(await queue.callOff('r')).toBe(2);
    expect(await queue.standing('r')).toMatchObject({ waiting: 0, leased: 1 });
    expect(await queue.offer(lot(), jobs(3))).toBe(2);
  });

  it('[J9] shows the state of workers and runs', async () => {
    const { jobs: queue } = await another();
    await queue.offer(lot(), jobs(4));
    const [otherLease] = (await queue.claim({ worker: 'w', limit: 2, lease })) as [Lease];
    await queue.finish(otherLease, over);
    await queue.beat({ ...note('w'), running: 1, finished: 1 }, [], lease);
    expect(await queue.overview()).toEqual([
      { run: 'r', waiting: 2, leased: 1, done: 1, dead: 0, failed: 0, turns: 3, lastMinute: 1, versions: ['1.0.0'] },
    ]);
    const [worker] = await queue.workers();
    expect(worker).toMatchObject({ id: 'w', running: 1, finished: 1 });
    expect(worker?.silent).toBeGreaterThanOrEqual(0);
  });
}

function spendings(another: Another, name: string): void {
  it('[J10] sums the spending of all workers without double counting, and stops all at the limit', async () => {
    const [sharedStore, other] = [await another(), await another()];
    await sharedStore.ledger.open('r', { calls: 10, money: 1 });
    await sharedStore.jobs.offer(lot(), jobs(2));
    const [usedLease] = (await sharedStore.jobs.claim({ worker: 'a', limit: 1, lease })) as [Lease];
    const stopped = new Promise<string>((resolve) => other.jobs.onStop(resolve));
    await other.jobs.wait(lease, never);
    expect(await sharedStore.ledger.spend('r', 'a', statement(4, 0.2))).toEqual({
      ...{ spent: spending(4, 0.2), stopped: null, over: 0, bounded: true },
      budget: { calls: 10, money: 1 },
    });
    await sharedStore.ledger.spend('r', 'a', statement(4, 0.2));
    expect((await other.ledger.spend('r', 'b', statement(5, 0.25))).spent).toEqual(spending(9, 0.45));
    expect((await other.ledger.spend('r', 'b', statement(6, 0.3))).stopped).toBeNull();
    expect(await other.ledger.spend('r', 'b', statement(8, 0.3))).toMatchObject({ stopped: 'calls', over: 2 });
    expect(await sharedStore.ledger.account('r')).toMatchObject({ spent: spending(12, 0.5), stopped: 'calls' });
    expect(await sharedStore.jobs.claim({ worker: 'a', limit: 1, lease })).toEqual([]);
    expect((await sharedStore.jobs.beat(note('a'), [usedLease], lease)).stopped).toEqual(['r']);
    // A file store sends no notifications, so the heartbeat brings it.
    if (name === 'postgres') expect(await stopped).toBe('r');
    await sharedStore.ledger.open('r', { calls: 10 });
    expect(await sharedStore.ledger.account('r')).toMatchObject({ spent: spending(12, 0.5), stopped: null });
    expect(await sharedStore.jobs.claim({ worker: 'a', limit: 1, lease })).toHaveLength(1);
    expect((await sharedStore.ledger.spend('r', 'a', statement(15))).stopped).toBe('calls');
    await sharedStore.ledger.open('r', { money: 0.1 });
    expect((await sharedStore.ledger.spend('r', 'a', statement(15, 0.3))).stopped).toBe('money');
  });

  it('[J10] stops a run when its time is up on the database clock', async () => {
    const { ledger, jobs: queue } = await another();
    await ledger.open('r', { seconds: lease });
    await queue.offer(lot(), jobs(1));
    expect((await ledger.account('r')).stopped).toBeNull();
    await ledger.open('r', { seconds: past });
    expect(await queue.claim({ worker: 'a', limit: 1, lease })).toEqual([]);
    expect((await ledger.account('r')).stopped).toBe('seconds');
  });

  it('[J11] limits the rate across all workers per minute and per second', async () => {
    const [sharedStore, other] = [await another(), await another()];
    const dice = rng(11, 'pace');
    const waits = async (place: string, perMinute: number) => {
      const all: number[] = [];
      for (let i = 0; i < 60; i++) all.push(await (dice.int(2) === 0 ? sharedStore : other).ledger.pace(place, perMinute, 1));
      return all;
    };
    // Ten in the first second, then one every tenth of a second: the sixtieth waits five seconds, less what the asking took.
    const fast = await waits('fast', 600);
    expect(fast.slice(0, 9)).toEqual(Array(9).fill(0));
    expect(fast.at(-1)).toBeLessThan(5100);
    // One in ten minutes: compared with the ten hours that the sixtieth waits, the time of the calls is nothing.
    const slow = await waits('slow', 0.1);
    expect(slow.slice(0, 1)).toEqual([0]);
    for (const [i, wait] of slow.entries()) expect(Math.abs(wait - i * 600_000)).toBeLessThan(300_000);
    expect(await sharedStore.ledger.pace('elsewhere', 600, 1)).toBe(0);
  });
}
