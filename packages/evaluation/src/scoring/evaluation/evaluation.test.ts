import { type EpisodeRecord, rng, type Score } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { suite } from '../suites/index.ts';
import { contest, differencesOf, resultsOf, rowsOf, type ScoreRow, sceneOf, sharedRows, standingsOf, summaryOf } from './index.ts';

function row(part: Partial<ScoreRow>): ScoreRow {
  const base = { episode: 'e', scene: 'one', task: 't', seed: 0, seat: 'first', agent: 'a', company: '{}', end: 'over' } as const;
  return { ...base, value: 1, status: 'ok', passed: null, ...part };
}

const free = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
function score(part: Partial<Score>): Score {
  return { name: 'return', value: 1, status: 'ok', evidence: [], cost: free, ...part };
}

const record: EpisodeRecord = {
  ...{ id: 'e1', run: 'r', environment: 'duel@1', task: { n: 1 }, seed: 3, status: 'over', events: 9, turns: 4, order: 1 },
  cast: { first: 'ada', second: 'house:random' },
  returns: { first: 2, second: -2 },
};

describe('rowsOf', () => {
  it('returns a row for each seat under test and none for the agents of the suite', () => {
    const rows = rowsOf({ record, scores: [], score: 'return' });
    expect(rows).toMatchObject([{ agent: 'ada', seat: 'first', value: 2, status: 'ok', task: 'duel@1 {"n":1}', seed: 3, passed: null }]);
  });

  it('takes the newest score of the seat, and never treats a missing one as 0', () => {
    const old = score({ name: 'form', value: 0.2, seat: 'first' });
    const other = score({ name: 'form', value: 0.9, seat: 'second' });
    const now = score({ name: 'form', value: null, status: 'unparsed', seat: 'first' });
    expect(rowsOf({ record, scores: [old, now, other], score: 'form' })).toMatchObject([{ value: null, status: 'unparsed' }]);
    expect(rowsOf({ record, scores: [now, old], score: 'form' })).toMatchObject([{ value: 0.2 }]);
    expect(rowsOf({ record: { ...record, status: 'error' }, scores: [], score: 'return' })).toMatchObject([
      { value: null, status: 'error' },
    ]);
    expect(rowsOf({ record, scores: [], score: 'nothing' })).toMatchObject([{ value: null, status: 'not-applicable' }]);
  });
});

describe('resultsOf', () => {
  const ownSuite = suite({
    ...{ name: 's', about: '', nulls: ['random'] },
    scenes: [{ environment: 'duel', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2], pass: 1 }],
  });
  const [scene] = ownSuite.scenes as [(typeof ownSuite.scenes)[number]];

  it('puts the value on the scale with a pass flag', () => {
    const inputScores = [score({ seat: 'first', value: 1, floor: -1 })];
    const [result] = resultsOf(ownSuite, scene, { record, scores: inputScores });
    expect(result).toMatchObject({ name: 'result', seat: 'first', value: 0.75, floor: 0.25, parts: { raw: 1, passed: 1 } });
    expect(result?.provenance).toMatchObject({ suite: 's@1', scene: 'duel' });
    const [lost] = resultsOf(ownSuite, scene, { record, scores: [score({ seat: 'first', value: 0.5 })] });
    expect(lost?.parts).toEqual({ raw: 0.5, passed: 0 });
  });

  it('keeps missing values missing, with their reason', () => {
    const [result] = resultsOf(ownSuite, scene, { record, scores: [score({ seat: 'first', value: null, status: 'judge-failed' })] });
    expect(result).toMatchObject({ value: null, status: 'judge-failed', parts: { raw: null, passed: null } });
  });

  it('finds the scene of an episode by environment, task, seat, and the agents of the suite', () => {
    const scenes = [{ scene, environment: 'duel@1', tasks: [{ n: 1 }] }];
    expect(sceneOf(scenes, record)).toBe(scene);
    expect(sceneOf(scenes, { ...record, task: { n: 2 } })).toBeNull();
    expect(sceneOf(scenes, { ...record, cast: { first: 'house:random', second: 'ada' } })).toBeNull();
    expect(sceneOf(scenes, { ...record, cast: { first: 'ada', second: 'house:other' } })).toBeNull();
  });
});

describe('summaryOf', () => {
  it('returns null without values, and omits missing values', () => {
    expect(summaryOf([])).toBeNull();
    expect(summaryOf([row({ value: null })])).toBeNull();
    expect(summaryOf([row({ value: 0.5 }), row({ value: null, seed: 1 }), row({ value: 0.7, seed: 2 })])).toMatchObject({
      values: 2,
      value: 0.6,
    });
  });

  it('gives twenty wins in twenty an interval with a lower bound below 1', () => {
    const [low, high] = summaryOf(Array.from({ length: 20 }, (_, seed) => row({ seed })))?.interval ?? [0, 0];
    // 0.975 one-sided: the rate of losing that 20 wins still allow is 1 − 0.025^(1/20).
    expect(low).toBeCloseTo(0.025 ** (1 / 20), 10);
    expect(high).toBe(1);
  });

  it('has no interval for a single episode of an unbounded score', () => {
    expect(summaryOf([row({ value: 7 })])).toEqual({ value: 7, interval: null, over: 'seeds', tasks: 1, episodes: 1, values: 1 });
  });

  it('treats seats that share a seed as one cluster', () => {
    const dice = rng(1, 'seats');
    const seeds = Array.from({ length: 60 }, (_, seed) => ({ seed, value: dice.next() }));
    const once = summaryOf(seeds.map((item) => row(item)));
    const twice = summaryOf(seeds.flatMap((item) => [row(item), row({ ...item, seat: 'second' })]));
    const width = (of: typeof once) => (of?.interval?.[1] ?? 0) - (of?.interval?.[0] ?? 0);
    expect(width(twice)).toBeCloseTo(width(once), 10);
  });

  it('covers the truth 95 times in 100', () => {
    let covered = 0;
    for (let i = 0; i < 1000; i++) {
      const dice = rng(i, 'coverage');
      const rows = Array.from({ length: 40 }, (_, seed) => row({ seed, value: dice.next() < 0.3 ? 1 : 0 }));
      const [low, high] = summaryOf(rows)?.interval ?? [0, 0];
      if (low <= 0.3 && 0.3 <= high) covered++;
    }
    expect(covered / 1000).toBeGreaterThan(0.93);
    expect(covered / 1000).toBeLessThan(0.975);
  });
});

describe('contest', () => {
  const seeds = Array.from({ length: 30 }, (_, seed) => seed);
  const noise = (seed: number, who: string) => rng(seed, who).next();

  it('finds no difference between an agent and itself', () => {
    const rows = seeds.map((seed) => row({ seed, value: noise(seed, 'x') }));
    const comparison = contest({ name: 'a', rows }, { name: 'b', rows: rows.map((row) => ({ ...row, agent: 'b' })) });
    expect(comparison).toMatchObject({ better: null, difference: 0, n: 30, unpaired: 0 });
    expect(comparison.words).toMatch(/^No significant difference between a and b/);
  });

  it('gives no advantage for an easier seat that only one agent played, across several runs', () => {
    const a = seeds.map((seed) => row({ seed, value: noise(seed, 'same') }));
    const b = a.map((scoreRow) => ({ ...scoreRow, agent: 'b' }));
    const easy = seeds.map((seed) => row({ seed, seat: 'easy', value: 1 }));
    const shared = sharedRows({ name: 'a', rows: [...a, ...easy] }, { name: 'b', rows: b });
    expect(shared.leftOut).toBe(30);
    const comparison = contest(shared.a, shared.b);
    const differences = differencesOf(shared.a, shared.b);
    expect(differences).toHaveLength(comparison.n);
    expect(differences.reduce((sum, value) => sum + value, 0) / differences.length).toBeCloseTo(comparison.difference, 12);
    expect(comparison).toMatchObject({ difference: 0, better: null, unpaired: 0 });
  });

  it('pairs two agents that met each other in both orders', () => {
    const met = seeds.flatMap((seed) => [
      row({ seed, agent: 'a', seat: 'first', company: '{"second":"b"}', value: 0.8 + 0.1 * noise(seed, 'a') }),
      row({ seed, agent: 'b', seat: 'first', company: '{"second":"a"}', value: 0.2 + 0.1 * noise(seed, 'b') }),
    ]);
    const side = (name: string) => ({ name, rows: met.filter(({ agent }) => agent === name) });
    expect(contest(side('a'), side('b'))).toMatchObject({ better: 'a', n: 30, paired: true, unpaired: 0 });
  });

  it('rejects a side without episodes', () => {
    expect(() => contest({ name: 'a', rows: [row({})] }, { name: 'ghost', rows: [] })).toThrow(
      /No episode of ghost to compare\. Run "ludus list/,
    );
  });
});

describe('standingsOf', () => {
  const make = (agent: string, values: Readonly<Record<string, readonly (number | null)[]>>) =>
    Object.entries(values).flatMap(([scene, list]) =>
      list.map((value, seed) => row({ agent, scene, task: scene, seed, value, passed: value === null ? null : value >= 0.5 })),
    );
  const rows = [
    ...make('good', { x: [1, 0.8, 0.9, 0.7], y: [0.6, 0.5, 0.4, 0.5] }),
    ...make('quiet', { x: [1, 1, 1, 1], y: [0, 0, 0, 0] }),
    ...make('loud', { x: [0, 0, 0, 0], y: [1, 1, 1, 0.2] }),
    ...make('partial', { x: [1, 1, 1, null], y: [null, null, null, null] }),
  ];
  const { agents, floorAgent } = standingsOf(rows, { nulls: ['quiet', 'loud', 'absent'], k: [1, 2, 8] });
  const of = (name: string) => agents.find(({ agent }) => agent === name);

  it('uses the best single null agent as the floor, not a mixture', () => {
    expect(floorAgent).toBe('quiet');
    expect(of('good')).toMatchObject({ isNull: false, floor: 0.5, value: 0.675, values: 8, missing: 0 });
    expect(of('good')?.lift?.value).toBeCloseTo(0.175, 12);
    expect(of('quiet')).toMatchObject({ isNull: true, lift: null });
  });

  it('weighs scenes equally, and gives no mean if scenes are missing', () => {
    expect(of('partial')).toMatchObject({ value: null, interval: null, values: 3, missing: 5, reasons: { ok: 5 } });
    expect(agents.at(-1)?.agent).toBe('partial');
  });

  it('computes pass^k from the tries of each task, for every possible k', () => {
    // x: 4 of 4 pass; y: 3 of 4 pass, so C(3,2)/C(4,2) = 1/2.
    expect(of('good')?.pass).toEqual({ 1: (1 + 3 / 4) / 2, 2: (1 + 1 / 2) / 2 });
  });
});
