import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { distance, expectedReturns } from '@ludus-agents/environments/internal/solve/best-response';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { type EpisodeEvent, rng, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from './index.ts';

const tree = gameTree(kuhnPoker);
const game = flatten(tree);

/** A learner with a policy that is not uniform. */
function seasoned(seed = 1): Tabular {
  const learner = new Tabular({ game });
  const dice = rng(seed, 'logits');
  for (let set = 0; set < game.choices.length; set++) learner.table.place(set, [dice.next() * 4 - 2, dice.next() * 4 - 2]);
  return learner;
}

/** The rows of a log, one for each decision, with the return of its seat as weight. */
function rowsOf(log: readonly EpisodeEvent[]): TokenRow[] {
  const returns = (log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>).returns;
  return log.flatMap((event) => {
    if (event.kind !== 'action') return [];
    const call = event.calls?.[0];
    const tokens = [...(call?.promptTokenIds ?? []), ...(call?.tokenIds ?? [])];
    return [{ tokens, mask: [0, 1], weights: [0, returns[event.seat]!] }];
  });
}

describe('tabular learner', () => {
  it('finds the same information sets and values in logs as in the game tree', async () => {
    const learner = seasoned();
    const policy = learner.policy();
    const seeds = Array.from({ length: 4000 }, (_, i) => i);
    const logs = await rollout(kuhnPoker, { first: policy, second: policy }, { seeds });
    expect(learner.table.sets).toBe(12);
    const mean = logs.reduce((sum, log) => sum + (log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>).returns['first']!, 0) / 4000;
    const value = expectedReturns(tree, learner.strategy())[0]!;
    // Returns lie within ±2, so their standard error is at most 2/√4000.
    expect(Math.abs(mean - value)).toBeLessThan((4 * 2) / Math.sqrt(4000));
    expect(distance(tree, learner.strategy()).exploitability).toBeGreaterThan(0.1);
  });

  it('has the same gradient from logs as from plays on the tree', async () => {
    const [byLog, byTree] = [seasoned(), seasoned()];
    for (const learner of [byLog, byTree]) {
      learner.table.refer();
      learner.table.place(0, [0.3, -0.4]);
    }
    const policy = byLog.policy();
    const logs = await rollout(kuhnPoker, { first: policy, second: policy }, { seeds: Array.from({ length: 50 }, (_, i) => i) });
    await byLog.forwardBackward(logs.flatMap(rowsOf), 'cross_entropy', { kl: 0.5, entropy: 0.1 });

    const decisions = logs.flatMap((log, index) => rowsOf(log).map(({ tokens }) => ({ set: tokens[0]!, choice: tokens[1]!, index })));
    const returns = logs.flatMap((log) => {
      const end = log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
      return game.seats.map((seat) => end.returns[seat]!);
    });
    byTree.reinforce(
      {
        games: logs.length,
        decisions: decisions.length,
        set: Int32Array.from(decisions, ({ set }) => set),
        choice: Int32Array.from(decisions, ({ choice }) => choice),
        game: Int32Array.from(decisions, ({ index }) => index),
        deal: new Int32Array(logs.length),
        returns: Float64Array.from(returns),
      },
      returns,
      { scale: 1, kl: 0.5, entropy: 0.1 },
    );
    const [left, right] = [byLog.table.gradient(), byTree.table.gradient()];
    expect(Math.max(...left.map(Math.abs))).toBeGreaterThan(0.1);
    for (let i = 0; i < left.length; i++) expect(left[i]).toBeCloseTo(right[i]!, 10);
  });

  it('matches finite-difference gradients', async () => {
    const row: TokenRow = { tokens: [3, 1, 5, 0, 3, 0], mask: [0, 1, 0, 1, 0, 1], weights: [0, 1.5, 0, -0.7, 0, 0.2] };
    const settings = { kl: 0.4, entropy: 0.3 };
    const logits = [0.3, -0.8];
    const learner = seasoned();
    learner.table.refer();
    const lossAt = async (nudge: number) => {
      learner.table.place(3, [logits[0]! + nudge, logits[1]!]);
      return (await learner.forwardBackward([row], 'cross_entropy', settings))['loss']!;
    };
    const [more, less] = [await lossAt(1e-5), await lossAt(-1e-5)];
    await learner.optimStep({ rate: 0 });
    await lossAt(0);
    expect(learner.table.gradient()[learner.table.at(3)]).toBeCloseTo((more - less) / 2e-5, 6);
  });

  it('ignores masked tokens in the gradient', async () => {
    const gradientOf = async (masked: number) => {
      const learner = seasoned();
      // The fourth and fifth tokens belong to another seat, so they are neither read nor learned.
      await learner.forwardBackward(
        [{ tokens: [2, 1, 4, masked, 7, 0], mask: [0, 1, 0, 0, 0, 1], weights: [9, 1, 9, 9, 9, -1] }],
        'cross_entropy',
      );
      return learner.table.gradient();
    };
    expect(await gradientOf(1)).toEqual(await gradientOf(0));
    const learner = seasoned();
    await learner.forwardBackward(
      [{ tokens: [2, 0, 4, 0, 7, 0], mask: [0, 1, 0, 0, 0, 1], weights: [9, 1, 9, 9, 9, -1] }],
      'cross_entropy',
    );
    expect(learner.table.gradient()).not.toEqual(await gradientOf(0));
  });

  it('writes log-probabilities to logs that match its table', async () => {
    const learner = seasoned();
    const policy = learner.policy();
    const logs = await rollout(kuhnPoker, { first: policy, second: policy }, { seeds: [1, 2, 3, 4, 5] });
    for (const event of logs.flat()) {
      if (event.kind !== 'action') continue;
      const call = event.calls?.[0];
      const row = { tokens: [...(call?.promptTokenIds ?? []), ...(call?.tokenIds ?? [])], mask: [0, 1] };
      expect((await learner.logprobs([row]))[0]?.[1]).toBe(call?.logprobs?.[0]);
    }
  });

  it('plays every deal equally often in even mode', () => {
    const plays = new Tabular({ game }).play({ games: 120, dice: rng(1), even: true });
    const counts = new Map<number, number>();
    for (const deal of plays.deal) counts.set(deal, (counts.get(deal) ?? 0) + 1);
    expect([...counts.values()]).toEqual([20, 20, 20, 20, 20, 20]);
  });

  it('is restored from a checkpoint with its optimizer and reference', async () => {
    const learner = seasoned();
    const step = async (tabular: Tabular) => {
      await tabular.forwardBackward([{ tokens: [1, 0], mask: [0, 1] }], 'cross_entropy', { kl: 0.2 });
      await tabular.optimStep({ rate: 0.1 });
    };
    await step(learner);
    await learner.refer();
    const copy = new Tabular({ game });
    await copy.load(await learner.save());
    for (const tabular of [learner, copy]) {
      await step(tabular);
      await step(tabular);
    }
    expect(copy.strategy()).toEqual(learner.strategy());
    await expect(new Tabular({ game, optimiser: 'sgd' }).load(await learner.save())).rejects.toThrow(/made with adam/);
  });

  it('rejects unsupported operations', async () => {
    const learner = new Tabular();
    await expect(learner.forwardBackward([], 'ppo')).rejects.toThrow(/"\. Convert it to weights\./);
    await expect(learner.complete({ messages: [] }, {})).rejects.toThrow(/enum/);
    expect(() => learner.play({ games: 1, dice: rng(1) })).toThrow(/no game tree/);
    const call = await learner.complete(
      { messages: [{ role: 'user', content: 'Heads or tails?' }] },
      { schema: { enum: ['heads', 'tails'] }, seed: 3 },
    );
    expect(['heads', 'tails']).toContain(call.text);
  });
});
