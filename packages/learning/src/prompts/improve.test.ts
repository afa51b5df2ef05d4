import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonical, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore, sqliteStore } from '@ludus-agents/store/internal/open-store';
import { afterAll, describe, expect, it } from 'vitest';
import { openArchives } from './archive.ts';
import { builtInEngine } from './engines/index.ts';
import { defaults, type ImproveEvent, improve, shareOf } from './improve.ts';
import type { Journals } from './journal.ts';
import type { ImproveReport } from './report.ts';
import { idleProposer, ruleEnvironment, ruleProposer, toyGround, toySpec } from './toy.cases.ts';
import type { LedgerEntry } from './trial-ledger.ts';

const mine = ['gepa', 'skillopt', 'inspo', 'random', 'resample'];

/** A store that holds the beginning of what another one holds. */
async function storeWith(journals: Readonly<Record<string, readonly Json[]>> = {}) {
  const store = memoryStore();
  await store.putRun({ id: 'run', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });
  for (const [name, entries] of Object.entries(journals)) if (entries.length > 0) await store.note('run', name, 0, entries);
  return store;
}

async function finished(
  store: Journals,
  engine: string,
  { seed = 3, calls = 150, noise = true, signal = new AbortController().signal } = {},
) {
  const { ground, tasks, truth } = ruleEnvironment(seed, noise);
  const improveEvents: ImproveEvent[] = [];
  const improvement = { ...defaults, engine, settings: {}, proposer: 'rules', seed, budget: { calls }, tasks, start: toySpec('') };
  const services = {
    store,
    run: 'run',
    engine: builtInEngine(engine),
    ground,
    proposer: ruleProposer(0.6),
    blind: ruleProposer(0),
    signal,
  };
  const course = improve(improvement, services);
  for (let next = await course.next(); ; next = await course.next()) {
    if (next.done === true) return { report: next.value, ground, told: improveEvents, truth };
    improveEvents.push(next.value);
  }
}

const bySort = (entries: readonly Json[]) => entries.map(canonical).sort();

describe('improvement run', () => {
  it('compares start, best, and both baselines on the same fresh tasks at equal cost', async () => {
    for (const engine of mine) {
      const store = await storeWith();
      const { report, ground, told } = await finished(store, engine);
      const fresh = ground.made.filter(({ split }) => split === 'report');
      const candidates = new Set(
        [report.start, report.best, report.baselines.random, report.baselines.resample].map(({ candidate }) => candidate),
      );
      expect(fresh).toHaveLength(24 * candidates.size);
      expect(report.calls).toBeLessThanOrEqual(150);
      for (const shadow of ['random', 'resample']) {
        expect(report.spent[shadow]?.calls).toBeLessThanOrEqual(report.calls);
        expect(report.spent[shadow]?.calls).toBeGreaterThan(report.calls - 24);
      }
      expect(report.baselines.resample.candidate).toBe(report.start.candidate);
      expect(report.baselines.resample.bestOf).toBeGreaterThanOrEqual(report.baselines.resample.report - 0.2);
      expect(report.words.join(' ')).toContain(engine === 'random' ? 'is the random edit itself' : 'random edits behind the same gate');
      // Nothing was shown to an engine before it had paid for it.
      expect(told.every(({ spent }) => spent.calls <= 150)).toBe(true);
      expect((await openArchives(store, 'run')).head?.id).toBe(report.best.candidate);
    }
  });

  it('gives the same report at any concurrency and when replayed from its journals', async () => {
    const store = await storeWith();
    const { report } = await finished(store, 'gepa');
    const again = await finished(store, 'gepa');
    expect(again.report).toEqual(report);
    expect([again.ground.made, again.told]).toEqual([[], []]);
    expect((await finished(await storeWith(), 'gepa')).report).toEqual(report);
  });

  it('resumes from any interruption with the same result and no repeated play', async () => {
    for (const engine of mine) {
      const whole = await storeWith();
      const { report } = await finished(whole, engine, { calls: 70 });
      const [ledger, candidates] = [await whole.notes('run', 'ledger'), await whole.notes('run', 'candidates')];
      for (let cut = 0; cut <= ledger.length; cut += engine === 'gepa' ? 7 : 31) {
        // What the archive had noted by then is never more than what had been paid for.
        const observedCandidates = candidates.slice(0, Math.floor((candidates.length * cut) / ledger.length / 2));
        const store = await storeWith({ ledger: ledger.slice(0, cut), candidates: observedCandidates });
        const resumed = await finished(store, engine, { calls: 70 });
        expect(resumed.report).toEqual(report);
        const retainedLength = (ledger as unknown as LedgerEntry[]).slice(0, cut).filter(({ kind }) => kind === 'play').length;
        const plays = (ledger as unknown as LedgerEntry[]).filter(({ kind }) => kind === 'play').length;
        expect(resumed.ground.made).toHaveLength(plays - retainedLength);
        expect(bySort(await store.notes('run', 'ledger'))).toEqual(bySort(ledger));
        expect(await store.notes('run', 'candidates')).toEqual(candidates);
      }
    }
  });

  it('stops on its signal and can be resumed', async () => {
    const store = await storeWith();
    const controller = new AbortController();
    const stopping: Journals = {
      notes: (...inputs) => store.notes(...inputs),
      note: async (run, journal, index, entries) => {
        await store.note(run, journal, index, entries);
        if (journal === 'ledger' && index > 40) controller.abort();
      },
    };
    await expect(finished(stopping, 'skillopt', { signal: controller.signal })).rejects.toThrow();
    const retainedLength = (await store.notes('run', 'ledger')).length;
    expect(retainedLength).toBeGreaterThan(40);
    const whole = await finished(await storeWith(), 'skillopt');
    const resumed = await finished(store, 'skillopt');
    expect(resumed.report).toEqual(whole.report);
    expect(resumed.ground.made.length).toBeLessThan(whole.ground.made.length);
  });

  it('pays for baselines and fresh tasks from the same budget', async () => {
    expect(shareOf({ budget: { calls: 100, money: 6 }, tasks: { propose: 1, select: 1, report: 50 } })).toEqual({ calls: 100, money: 1 });
    const cost = { calls: 1, promptTokens: 90, completionTokens: 10, money: 0.01 };
    const ground = toyGround((_, { seed }) => (rng(seed, 'coin').next() < 0.5 ? 1 : 0), { cost });
    const store = await storeWith();
    const parts = { engine: 'random', settings: {}, proposer: 'rules', seed: 1, budget: { calls: 1000, money: 3 } };
    const services = {
      store,
      run: 'run',
      engine: builtInEngine('random'),
      ground,
      proposer: ruleProposer(0),
      blind: ruleProposer(0),
      concurrency: 4,
    };
    const course = improve({ ...defaults, ...parts, tasks: { propose: 4, select: 10, report: 60 }, start: toySpec('') }, services);
    let next = await course.next();
    while (next.done !== true) next = await course.next();
    const payment = (await store.notes('run', 'ledger')).reduce<number>(
      (sum, entry) => sum + ((entry as { cost?: { money: number } }).cost?.money ?? 0),
      0,
    );
    expect(payment).toBeLessThanOrEqual(3 + 1e-9);
    expect(payment).toBeGreaterThan(1.5);
    expect(next.value.tasks).toBeGreaterThanOrEqual(50);
  });

  it('rejects resuming in another environment', async () => {
    const store = await storeWith({ ledger: [{ kind: 'ground', key: 'ground', identity: 'elsewhere' }] });
    await expect(finished(store, 'gepa')).rejects.toThrow('The environment, tasks, cast, or scorer changed since this');
  });

  it('reports a budget too small for the start', async () => {
    await expect(finished(await storeWith(), 'gepa', { calls: 5 })).rejects.toThrow(
      'gate tasks within its budget. The budget of 5 plays has 5 plays left',
    );
  });

  it('shows the selection bias and reports an unbiased score', async () => {
    // Every candidate is a coin: whatever looks better is luck.
    const ground = toyGround((_, { seed }) => (rng(seed, 'coin').next() < 0.5 ? 1 : 0));
    const runs = 60;
    let [selected, reported, covered] = [0, 0, 0];
    for (let seed = 0; seed < runs; seed++) {
      const parts = {
        engine: 'resample',
        settings: {},
        proposer: 'idle',
        seed,
        budget: { calls: 120 },
        tasks: { propose: 1, select: 12, report: 100 },
      };
      const services = {
        store: await storeWith(),
        run: 'run',
        engine: builtInEngine('resample'),
        ground,
        proposer: idleProposer,
        blind: idleProposer,
      };
      const course = improve({ ...defaults, ...parts, start: toySpec('') }, services);
      let next = await course.next();
      while (next.done !== true) next = await course.next();
      const { best } = next.value;
      selected += (best.select ?? 0) / runs;
      reported += best.report / runs;
      if ((best.low ?? 1) <= 0.5 && (best.high ?? 0) >= 0.5) covered++;
    }
    // The best of ten draws of twelve coins stands .22 too high.
    expect(Math.abs(selected - 0.72)).toBeLessThan(0.03);
    expect(Math.abs(reported - 0.5)).toBeLessThan(0.02);
    expect(covered / runs).toBeGreaterThanOrEqual(0.9);
  });
});

describe('killed improvement process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-killed-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(import.meta.dirname, 'killed.cases.ts');
  const child = (name: string, engine: string, killAt: number) =>
    spawnSync(process.execPath, [script, join(folder, `${name}.sqlite`), join(folder, `${name}.calls`), engine, `${killAt}`], {
      encoding: 'utf8',
    });
  const ledgerOf = async (name: string) => {
    const store = await sqliteStore(join(folder, `${name}.sqlite`));
    const ledger = await store.notes('run', 'ledger');
    await store.close();
    return ledger;
  };

  it('resumes with the same ledger and pays for no call twice', async () => {
    const whole = child('whole', 'gepa', 0);
    expect(whole.status).toBe(0);
    for (const killAt of [1, 57]) expect(child('killed', 'gepa', killAt).signal).toBe('SIGKILL');
    const resumed = child('killed', 'gepa', 0);
    expect(JSON.parse(resumed.stdout) as ImproveReport).toEqual(JSON.parse(whole.stdout));
    const calls = (name: string) =>
      readFileSync(join(folder, `${name}.calls`), 'utf8')
        .trim()
        .split('\n');
    expect(new Set(calls('killed')).size).toBe(calls('killed').length);
    expect([...calls('killed')].sort()).toEqual([...calls('whole')].sort());
    expect(bySort(await ledgerOf('killed'))).toEqual(bySort(await ledgerOf('whole')));
  });
});
