import { rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Gaussian } from './gaussian.ts';

const turnOf = (observation: readonly number[], numbers: number, at = 0): Turn => ({
  view: { seat: 'one', seen: [] } as unknown as Turn['view'],
  ask: { seat: 'one', data: { observation, numbers } },
  rng: rng(7, at),
});

const checkpointOf = async (learner: Gaussian) => JSON.parse(await learner.save()) as { weights: number[]; reference: number[] };

/** A learner with every weight away from 0, and from its reference. */
async function stirred(hidden: number, inputs: number, outputs: number): Promise<Gaussian> {
  const learner = new Gaussian({ seed: 3, hidden });
  learner.policy().act([turnOf(new Array(inputs).fill(0), outputs)]);
  const from = await checkpointOf(learner);
  const dice = rng(5);
  const moved = (list: readonly number[]) => list.map((value) => value + dice.next() - 0.5);
  await learner.load(JSON.stringify({ ...from, weights: moved(from.weights), reference: moved(from.reference) }));
  return learner;
}

describe('Gaussian policy', () => {
  it('computes the log-density of each number as by hand', async () => {
    const learner = new Gaussian();
    const weights = [0.5, -1, 0.25, Math.log(0.2)];
    await learner.load(JSON.stringify({ sizes: { inputs: 2, outputs: 1, hidden: 0 }, weights }));
    // The mean is 0.5 · 0.4 − 0.3 + 0.25 = 0.15; 0.35 is one deviation above it.
    const row = learner.rowOf(turnOf([0.4, 0.3], 1), '[0.35]');
    const [arrayLike] = await learner.logprobs([row]);
    expect(Array.from(arrayLike!)).toEqual([0, 0, expect.closeTo(-0.5 - Math.log(0.2) - 0.5 * Math.log(2 * Math.PI), 12)]);
  });

  it('reports the same logprobs when sampling and scoring, and plays within the limits', async () => {
    const learner = await stirred(3, 2, 2);
    const turns = Array.from({ length: 200 }, (_, i) => turnOf([Math.sin(i), 3 * Math.cos(i)], 2, i));
    const replies = await learner.policy().act(turns);
    let cut = 0;
    for (const reply of replies) {
      const { promptTokenIds: read, tokenIds: written, logprobs } = reply.calls![0]!;
      expect([...read!, ...written!].every(Number.isInteger)).toBe(true);
      const row = { tokens: [...read!, ...written!], mask: [0, 0, 1, 1] };
      expect(Array.from((await learner.logprobs([row]))[0]!).slice(2)).toEqual(logprobs);
      const played = JSON.parse(reply.action.text.replace(' ', ',')) as number[];
      if (written!.some((token) => Math.abs(token) > 1e6)) cut++;
      expect(played.every((value) => Math.abs(value) <= 1)).toBe(true);
    }
    expect(cut).toBeGreaterThan(0);
  });

  it('samples with the configured mean and deviation', async () => {
    const learner = new Gaussian();
    await learner.load(JSON.stringify({ sizes: { inputs: 1, outputs: 1, hidden: 0 }, weights: [0.5, 0.1, Math.log(0.25)] }));
    const turns = Array.from({ length: 20_000 }, (_, i) => turnOf([0.4], 1, i));
    const samples = (await learner.policy().act(turns)).map(({ calls }) => calls![0]!.tokenIds![0]! / 1e6);
    const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
    expect(Math.abs(mean - 0.3)).toBeLessThan(0.008);
    expect(Math.sqrt(samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / samples.length)).toBeCloseTo(0.25, 2);
    expect((await learner.policy({ temperature: 0 }).act([turns[0]!]))[0]?.action.text).toBe('[0.3]');
  });

  it.each([0, 3])('matches finite-difference gradients with %i hidden units, reference, and entropy', async (hidden) => {
    const learner = await stirred(hidden, 2, 2);
    const rows = [0, 1, 2].map((i) => ({
      ...learner.rowOf(turnOf([Math.sin(i), Math.cos(i)], 2), `[${0.3 * i - 0.4}, 0.2]`),
      weights: [0, 0, 1.5 - i, 0.7],
    }));
    const settings = { kl: 0.3, entropy: 0.2 };
    const from = await checkpointOf(learner);
    const lossAt = async (weights: readonly number[]) => {
      const other = new Gaussian();
      await other.load(JSON.stringify({ ...from, weights }));
      return (await other.forwardBackward(rows, 'cross_entropy', settings))['loss']!;
    };
    // A plain step of rate 1 is the gradient itself.
    const plain = new Gaussian({ optimiser: 'sgd' });
    await plain.load(JSON.stringify(from));
    await plain.forwardBackward(rows, 'cross_entropy', settings);
    const rate = 1e-3;
    await plain.optimStep({ rate });
    const after = (await checkpointOf(plain)).weights;
    for (const [i, weight] of from.weights.entries()) {
      const [up, down] = [await lossAt(from.weights.with(i, weight + 1e-5)), await lossAt(from.weights.with(i, weight - 1e-5))];
      const slope = (up - down) / 2e-5;
      expect(Math.abs((weight - after[i]!) / rate - slope)).toBeLessThan(1e-5 * (1 + Math.abs(slope)));
    }
  });

  it('has a divergence of 0 from its reference once the reference is updated', async () => {
    const learner = await stirred(2, 2, 1);
    const rows = [learner.rowOf(turnOf([0.1, 0.2], 1), '[0.5]')];
    expect((await learner.forwardBackward(rows, 'cross_entropy'))['kl']).toBeGreaterThan(0.001);
    await learner.refer();
    expect((await learner.forwardBackward(rows, 'cross_entropy'))['kl']).toBeCloseTo(0, 12);
    expect(await learner.logprobs(rows, 'reference')).toEqual(await learner.logprobs(rows));
  });

  it('copies weights to another learner and rejects a broken checkpoint', async () => {
    const learner = await stirred(2, 2, 1);
    const other = new Gaussian();
    await other.load(await learner.weights());
    const turn = () => [turnOf([0.3, -0.2], 1)];
    expect(await other.policy().act(turn())).toEqual(await learner.policy().act(turn()));
    await expect(other.load('{"sizes":{"inputs":1,"outputs":1,"hidden":0},"weights":[1]}')).rejects.toThrow(/3 numbers as "weights"/);
  });

  it('rejects input that is not numeric or has the wrong size', async () => {
    const learner = await stirred(0, 2, 1);
    const act = (turn: Turn) => () => learner.policy().act([turn]);
    expect(act({ ...turnOf([], 1), ask: { seat: 'one', choices: ['[a]'] } })).toThrow(/"observation"/);
    expect(act(turnOf([1, Number.NaN], 1))).toThrow(/"observation"/);
    expect(act(turnOf([1, 2, 3], 1))).toThrow(/local\/gaussian reads 2 numbers and writes 1, but/);
    expect(() => learner.rowOf(turnOf([1, 2], 1), '[left]')).toThrow(/1 number/);
    expect(() => new Gaussian({ optimiser: 'mirror' })).toThrow(/adam or sgd/);
    await expect(learner.complete()).rejects.toThrow(/local\/gaussian reads numbers, not prompts\. Use/);
    await expect(learner.forwardBackward([], 'ppo')).rejects.toThrow(/cross_entropy/);
  });
});
