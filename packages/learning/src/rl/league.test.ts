import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { bestResponse, expectedReturns, together, uniform } from '@ludus-agents/environments/internal/solve/best-response';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { expectedScore, League } from './league.ts';
import type { Recipe } from './recipe.ts';
import { builtInRecipe } from './recipes/index.ts';
import { TrainingLoop } from './training-loop.ts';

const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) }));
const options = { seed: 1, seats: ['first', 'second'], self: random, anchors: { random } };
const kuhn = await builtInEnvironment('kuhn-poker');

describe('league', () => {
  it('always includes anchors at their share', () => {
    const league = new League({ ...options, shares: { self: 0.6, past: 0.2, anchor: 0.2, exploiter: 0 } });
    for (let i = 0; i < 20; i++) league.remember(`past-${i}`, random);
    const kinds = Array.from({ length: 2000 }, (_, update) => league.draw(update).opponent.kind);
    const share = (kind: string) => kinds.filter((memberKind) => memberKind === kind).length / 2000;
    expect(share('anchor')).toBeGreaterThan(0.16);
    expect(share('anchor')).toBeLessThan(0.24);
    expect(share('self')).toBeGreaterThan(0.55);
    expect(() => new League({ ...options, anchors: {} })).toThrow(/at least one scripted anchor/);
  });

  it('rates members by results and meets harder past selves more often', () => {
    expect(expectedScore(1500, 1500)).toBe(0.5);
    expect(expectedScore(1900, 1500)).toBeCloseTo(10 / 11, 10);
    const league = new League({ ...options, shares: { self: 0, past: 1, anchor: 0, exploiter: 0 } });
    league.remember('easy', random);
    league.remember('hard', random);
    for (let i = 0; i < 30; i++) {
      league.result('easy', 'first', { games: 10, score: 0.9 });
      league.result('hard', 'second', { games: 10, score: 0.3 });
    }
    expect(league.rating('hard')).toBeGreaterThan(league.rating('easy') + 200);
    const samples = Array.from({ length: 500 }, (_, update) => league.draw(update).opponent.name);
    expect(samples.filter((name) => name === 'hard').length).toBeGreaterThan(350);
    expect(league.record('easy', 'first')).toEqual({ games: 300, points: expect.closeTo(270, 6) });
    expect(league.record('easy', 'second').games).toBe(0);
  });

  it('keeps past selves that differ, and can be serialized', () => {
    const league = new League({ ...options, keep: 2 });
    league.remember('a', random);
    league.result('random', 'first', { games: 1, score: 1 });
    league.remember('b', random);
    league.remember('c', random);
    expect(league.members.filter(({ kind }) => kind === 'past').map(({ name }) => name)).toEqual(['a', 'c']);
    const copy = new League({ ...options, keep: 2 });
    copy.read(JSON.parse(JSON.stringify(league.write())), () => random);
    expect(copy.write()).toEqual(league.write());
    const draws = (league: League) => Array.from({ length: 50 }, (_, update) => league.draw(update).opponent.name);
    expect(draws(copy)).toEqual(draws(league));
    expect(() => league.remember('c', random)).toThrow(/another name/);
  });

  it('trains an exploiter to the best response against its target', async () => {
    const tree = gameTree(kuhn);
    const learner = new Tabular({ game: flatten(tree) });
    const method: Recipe = {
      ...builtInRecipe('kuhn-rae'),
      loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum', entropy: { from: 0.05, to: 0.001 } },
      training: { ...builtInRecipe('kuhn-rae').training, rate: { from: 0.1, to: 0.05 }, games: 12_800 },
    };
    await new TrainingLoop(method, { environment: kuhn, learner, seed: 1, others: { second: random } }).run();
    const best = bestResponse(tree, uniform(tree), 0).value;
    const count = expectedReturns(tree, together(tree, [learner.strategy(), uniform(tree)]))[0]!;
    expect(count).toBeGreaterThan(best - 0.03);
    expect(count).toBeLessThanOrEqual(best + 1e-9);
  });

  it("trains only the learner's own seat in the training loop", async () => {
    const learner = new Tabular();
    const frozen = new Tabular();
    const league = new League({ ...options, self: learner.policy(), exploiters: { frozen: frozen.policy() } });
    const method: Recipe = { ...builtInRecipe('kuhn-rae'), training: { ...builtInRecipe('kuhn-rae').training, games: 640, batch: 32 } };
    const loop = new TrainingLoop(method, {
      environment: kuhn,
      learner,
      seed: 1,
      cast: (update) => league.draw(update).others,
      tell: ({ update, returned }) => {
        const { opponent, seat } = league.draw(update - 1);
        league.result(opponent.name, seat, { games: 32, score: returned > 0 ? 1 : 0 });
      },
    });
    await loop.run();
    expect(frozen.strategy().every((mix) => mix.every((chance) => chance === 0.5))).toBe(true);
    expect(learner.strategy().some((mix) => mix[0] !== 0.5)).toBe(true);
  });
});
