import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { Archive } from '../archive.ts';
import { type Candidate, createChild, createFirstCandidate } from '../candidate.ts';
import { gateRules } from '../gate.ts';
import { bestMean, frontsOf, frontWeights, meanScore, type Scores } from '../pareto.ts';
import { idleProposer, ruleEnvironment, ruleProposer, toyGround, toySpec } from '../toy.cases.ts';
import { trialled } from './engines.cases.ts';
import { mergeable, mergeTexts } from './gepa.merge.ts';
import { gepa } from './gepa.ts';
import { random } from './random.ts';

describe('Pareto front', () => {
  const scores = new Map([
    ['0', [0.4, 0.4, 0.4, 0.4]],
    ['1', [0.9, 0.2, 0.4, 0.1]],
    ['2', [0.3, 0.8, 0.4, 0.2]],
    ['3', [0.9, 0.8, 0.1, 0.1]],
    ['4', [0.2, 0.2, 0.9, 0.2]],
  ]);

  it('matches the reference example', () => {
    expect(frontsOf(scores).map((front) => [...front])).toEqual([['1', '3'], ['2', '3'], ['4'], ['0']]);
    const weights = frontWeights(scores);
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    expect(Object.fromEntries([...weights].map(([id, weight]) => [id, weight / total]))).toEqual({ 0: 0.25, 3: 0.5, 4: 0.25 });
    expect(bestMean(scores)).toBe('3');
  });

  it('keeps a member of every front for any scores', () => {
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed, 'front');
      const random = new Map(Array.from({ length: 6 }, (_, id) => [`${id}`, Array.from({ length: 5 }, () => dice.int(4) / 4)]));
      const staying = new Set(frontWeights(random).keys());
      for (const front of frontsOf(random)) expect([...front].some((id) => staying.has(id))).toBe(true);
    }
  });

  it('gives the same result in one scan as in repeated scans', () => {
    /** By the definition: the weakest that is not needed goes, until all are. */
    const bySteps = (scores: Scores): readonly string[] => {
      const fronts = frontsOf(scores).filter((front) => front.size > 0);
      const staying = new Set(fronts.flatMap((front) => [...front]));
      const weakest = [...staying].sort((a, b) => meanScore(scores, a) - meanScore(scores, b));
      const isNeeded = (id: string) =>
        fronts.some((front) => front.has(id) && [...front].every((other) => other === id || !staying.has(other)));
      for (let gone: string | undefined = ''; gone !== undefined; ) {
        gone = weakest.find((id) => staying.has(id) && !isNeeded(id));
        if (gone !== undefined) staying.delete(gone);
      }
      return [...scores.keys()].filter((id) => staying.has(id));
    };
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed, 'scan');
      const random = new Map(Array.from({ length: 9 }, (_, id) => [`${id}`, Array.from({ length: 6 }, () => dice.int(2))]));
      expect([...frontWeights(random).keys()]).toEqual(bySteps(random));
    }
  });

  it('skips missing scores', () => {
    const holes = new Map<string, readonly (number | null)[]>([
      ['a', [null, 0.5]],
      ['b', [0.1, null]],
    ]);
    expect(frontsOf(holes).map((front) => [...front])).toEqual([['b'], ['a']]);
  });
});

describe('candidate merge', () => {
  const start = createFirstCandidate(toySpec('start', { 'skill/a': 'a', 'skill/b': 'b' }));
  const origin = { engine: 'gepa', proposer: 'test', step: 0 };
  const child = (parents: readonly Candidate[], change: Readonly<Record<string, string>>) => {
    const newChild = createChild({ ...parents[0]!.components, ...change }, { parents, origin });
    if ('refused' in newChild) throw new Error(newChild.refused);
    return newChild.child;
  };
  const left = child([start], { 'skill/a': 'A' });
  const right = child([start], { 'skill/b': 'B', instruction: 'right' });
  const both = child([start], { 'skill/a': 'X' });
  const below = child([left], { instruction: 'below' });
  const means = new Map([
    [start.id, 0.2],
    [left.id, 0.5],
    [right.id, 0.6],
    [both.id, 0.4],
    [below.id, 0.7],
  ]);
  const archive = new Archive('gepa');
  for (const candidate of [start, left, right, both, below]) archive.add(candidate);
  const choice = { mean: (id: string) => means.get(id) ?? 0, dice: rng(1) };

  it('combines the changes unique to each parent', () => {
    const merge = mergeable(archive, [left.id, right.id], choice);
    expect([merge?.first.id, merge?.second.id, merge?.ancestor.id]).toEqual([right.id, left.id, start.id]);
    expect(merge === null ? null : mergeTexts(merge)).toEqual({ instruction: 'right', 'skill/a': 'A', 'skill/b': 'B' });
  });

  it('rejects a descendant, and parents without changes on both sides', () => {
    expect(mergeable(archive, [left.id, below.id], choice)).toBeNull();
    expect(mergeable(archive, [left.id, both.id], choice)).toBeNull();
  });

  it('is skipped if the common ancestor was better', () => {
    expect(mergeable(archive, [left.id, right.id], { ...choice, mean: (id) => (id === start.id ? 0.9 : 0.5) })).toBeNull();
  });
});

describe('gepa', () => {
  it('accepts nothing from an idle proposer', async () => {
    const { ground, tasks } = ruleEnvironment(1, true);
    const { archive, best } = await trialled({
      engine: gepa,
      ground,
      tasks,
      seed: 1,
      start: toySpec(''),
      proposer: idleProposer,
      calls: 200,
    });
    expect([archive.candidates.length, best.id]).toEqual([1, createFirstCandidate(toySpec('')).id]);
  });

  it('rejects a child that ties on its examples, unless ties are allowed', async () => {
    const ground = toyGround(() => 0.5);
    const proposer = {
      name: 'other words',
      improver: ({ rng: dice }: { rng: { int(n: number): number } }) => ({
        name: 'other words',
        improve: async () => [toySpec(`words ${dice.int(1e6)}`)],
      }),
    };
    const common = { engine: gepa, ground, tasks: { propose: 6, select: 4, report: 1 }, seed: 1, start: toySpec(''), proposer, calls: 60 };
    const strict = await trialled(common);
    expect(strict.archive.tried.length).toBeGreaterThan(3);
    expect(strict.archive.tried.every(({ verdict }) => !verdict.accept && verdict.words.includes('on its 3 examples'))).toBe(true);
    const lenient = await trialled({ ...common, settings: { ties: true } });
    expect(lenient.evaluator.seen(lenient.archive.candidates[1]?.id as string, 'select')).toHaveLength(4);
  });

  it('rejects unknown settings', async () => {
    const { ground, tasks } = ruleEnvironment(1, false);
    const wrong = trialled({
      engine: gepa,
      ground,
      tasks,
      seed: 1,
      start: toySpec(''),
      proposer: idleProposer,
      calls: 9,
      settings: { bach: 3 },
    });
    await expect(wrong).rejects.toThrow('gepa has no setting "bach". Available: batch');
  });

  it('spends exactly what its ledger says, within the budget', async () => {
    const { ground, tasks } = ruleEnvironment(2, true);
    const { evaluator, archive } = await trialled({
      engine: gepa,
      ground,
      tasks,
      seed: 2,
      start: toySpec(''),
      proposer: ruleProposer(0.6),
      calls: 300,
    });
    expect(evaluator.spent.calls).toBe(ground.made.length);
    expect(evaluator.spent.calls).toBeLessThanOrEqual(300);
    for (const { id } of archive.candidates) expect(archive.ancestors(id).has(id)).toBe(false);
  });
});

describe('reflection in the rule environment', () => {
  const seeds = Array.from({ length: amount(8, 20) }, (_, seed) => seed);
  const truth = async (noise: boolean, quality: number, engine = gepa) => {
    let sum = 0;
    for (const seed of seeds) {
      const { ground, tasks, truth: worth } = ruleEnvironment(seed, noise);
      const gate = noise ? gateRules.ours : gateRules.strict;
      const { best } = await trialled({
        engine,
        ground,
        tasks,
        seed,
        start: toySpec(''),
        proposer: ruleProposer(quality),
        calls: 600,
        gate,
      });
      sum += worth(best.spec);
    }
    return sum / seeds.length;
  };

  it('beats random edits behind the same gate, with and without noise', async () => {
    for (const noise of [true, false].slice(0, amount(1, 2))) {
      const [reflective, blind] = [await truth(noise, 0.6), await truth(noise, 0)];
      expect(reflective - blind).toBeGreaterThan(0.04);
      // The control that must be reported: random edits alone are far above the start, which scores 0.
      expect(blind).toBeGreaterThan(0.2);
    }
    expect(await truth(false, 0, random)).toBeGreaterThan(0.2);
  });
});
