/** @file The language model and its training step, against finite differences, bit-equality, and tasks it must learn. */

import { type Ask, rng, type TokenRow, type Turn, type View } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { firstWeights, type Parameter, parametersOf, type Sizes } from './network.ts';
import { hasRuntime, runtime } from './runtime.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';
import { TransformerTrainer } from './trainer.ts';
import { Transformer } from './transformer.ts';
import { beginToken, endToken, learnVocabulary, Vocabulary } from './vocabulary.ts';

const tiny: Sizes = { vocabulary: 12, context: 16, width: 8, layers: 2, heads: 2 };

async function trainerOf(sizes = tiny, seed = 3): Promise<TransformerTrainer> {
  return new TransformerTrainer(sizes, { runtime: await runtime(), seed });
}

/** Rows of random tokens, the second half of each sampled by the policy. */
function rowsOf(count: number, length: number, seed = 1): TokenRow[] {
  const dice = rng(seed, 'rows');
  const list = (of: () => number) => Array.from({ length }, of);
  return Array.from({ length: count }, () => ({
    tokens: list(() => dice.int(tiny.vocabulary)),
    mask: list(() => 0).map((_, i) => (i >= length / 2 ? 1 : 0)),
    weights: list(() => dice.next() * 2 - 0.5),
    advantages: list(() => dice.next() * 2 - 1),
    logprobs: list(() => -2 - dice.next()),
  }));
}

/** Puts the same numbers, shifted along a direction, into another trainer. */
function shift(trainer: TransformerTrainer, other: TransformerTrainer, by: (parameter: Parameter) => Float32Array | null): void {
  const { tensors, steps } = trainer.write();
  const moved = { ...tensors };
  for (const parameter of trainer.parameters) {
    const [step, { shape, data }] = [by(parameter), tensors[parameter.name]!];
    if (step !== null) moved[parameter.name] = { shape, data: data.map((value, i) => value + step[i]!) };
  }
  other.restore(moved, steps);
}

describe.skipIf(!hasRuntime())('transformer training step', () => {
  for (const loss of ['cross_entropy', 'importance_sampling', 'ppo']) {
    it(`has finite-difference gradients in every parameter: ${loss}`, async () => {
      const settings = { kl: 0.3, entropy: 0.2, clipLow: 5, clipHigh: 50 };
      const rows = rowsOf(3, 10);
      const [trainer, probe] = [await trainerOf(), await trainerOf()];
      // A reference that differs from the weights, or the pull towards it would be flat.
      shift(await trainerOf(), trainer, ({ size }) => firstWeights([{ name: 'x', shape: [size], at: 0, size, spread: 0.2 }], size));
      await trainer.forwardBackward(rows, loss, settings);
      const gradient = trainer.gradient as Float32Array;
      for (const { name, at, size } of trainer.parameters) {
        const slopes = gradient.slice(at, at + size);
        const length = Math.hypot(...slopes);
        const along = async (step: number) => {
          shift(trainer, probe, (parameter) => (parameter.name === name ? slopes.map((slope) => (slope * step) / length) : null));
          return (await probe.forwardBackward(rows, loss, settings))['loss']!;
        };
        const step = 0.01;
        const [up, down, up2, down2] = [await along(step), await along(-step), await along(2 * step), await along(-2 * step)];
        const difference = (8 * (up - down) - (up2 - down2)) / (12 * step);
        expect(Math.abs(difference - length) / length, name).toBeLessThan(1e-3);
      }
    });
  }

  it('gives the same result in one graph as in two', async () => {
    const [trainer, two] = [await trainerOf(), await trainerOf()];
    const settings = { rate: 0.01, clip: 0.5, decay: 0.1, kl: 0.1 };
    for (let i = 0; i < 3; i++) {
      await trainer.step(rowsOf(4, 8, i), 'cross_entropy', settings);
      await two.forwardBackward(rowsOf(4, 8, i), 'cross_entropy', settings);
      await two.optimStep(settings);
    }
    const [a, b] = [trainer.write().tensors, two.write().tensors];
    for (const name of Object.keys(a)) expect(a[name]?.data, name).toEqual(b[name]?.data);
  });

  it('matches AdamW computed by hand, with clipping and no decay of gains', async () => {
    const trainer = await trainerOf();
    const before = trainer.write().tensors['head']?.data.slice() as Float32Array;
    const gain = trainer.write().tensors['gain']?.data.slice() as Float32Array;
    await trainer.forwardBackward(rowsOf(2, 8), 'cross_entropy');
    const gradient = trainer.gradient as Float32Array;
    const norm = Math.hypot(...gradient);
    const [clip, rate, decay] = [norm / 4, 0.05, 0.1];
    const { at } = parametersOf(tiny).find(({ name }) => name === 'head') as Parameter;
    const gainAt = (parametersOf(tiny).at(-1) as Parameter).at;
    await trainer.optimStep({ clip, rate, decay });
    // After one step the corrected moments are the cut gradient and its square, so a weight moves by rate × sign.
    const byHand = (value: number, slope: number, falls: number) =>
      value - rate * (slope / 4 / (Math.abs(slope / 4) + 1e-8) + falls * value);
    const after = trainer.write().tensors;
    before.forEach((value, i) => {
      expect(after['head']?.data[i]).toBeCloseTo(byHand(value, gradient[at + i]!, decay), 4);
    });
    gain.forEach((value, i) => {
      expect(after['gain']?.data[i]).toBeCloseTo(byHand(value, gradient[gainAt + i]!, 0), 4);
    });
  });

  it('has no gradient outside the clip range', async () => {
    const trainer = await trainerOf();
    const rows = rowsOf(2, 8).map((row) => ({ ...row, advantages: row.mask, logprobs: Array.from(row.mask, () => -6) }));
    // Every token is far likelier than it was: the ratio is beyond 1.2, and the advantage is good.
    await trainer.forwardBackward(rows, 'ppo', { clipLow: 0.2 });
    expect(Math.max(...(trainer.gradient as Float32Array).map(Math.abs))).toBe(0);
    await trainer.forwardBackward(rows, 'importance_sampling');
    expect(Math.max(...(trainer.gradient as Float32Array).map(Math.abs))).toBeGreaterThan(0);
  });

  it('ignores masked text after an answer but uses the text before it', async () => {
    const trainer = await trainerOf();
    const gradientOf = async (change: (tokens: number[]) => void) => {
      const row = { ...rowsOf(1, 12)[0]!, mask: [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0] };
      const tokens = Array.from(row.tokens);
      change(tokens);
      const fresh = await trainerOf();
      await fresh.forwardBackward([{ ...row, tokens }], 'cross_entropy');
      return fresh.gradient as Float32Array;
    };
    const plain = await gradientOf(() => {});
    const other = (token: number | undefined) => ((token ?? 0) + 1) % tiny.vocabulary;
    expect(await gradientOf((tokens) => tokens.splice(6, 6, ...tokens.slice(6).map(other)))).toEqual(plain);
    expect(await gradientOf((tokens) => tokens.splice(2, 1, other(tokens[2])))).not.toEqual(plain);
    expect(trainer.gradient).toBeNull();
  });

  it('merges equal rows without changing the gradient', async () => {
    const [a, b] = rowsOf(2, 8) as [TokenRow, TokenRow];
    const again = { ...a, weights: Array.from(a.tokens, () => -0.7) };
    const [joined, apart] = [await trainerOf(), await trainerOf()];
    await joined.forwardBackward([a, again, b], 'cross_entropy', { kl: 0.1, entropy: 0.3 });
    for (const row of [a, again, b]) await apart.forwardBackward([row], 'cross_entropy', { kl: 0.1, entropy: 0.3 });
    (apart.gradient as Float32Array).forEach((slope, i) => {
      expect(joined.gradient?.[i]).toBeCloseTo(slope, 4);
    });
  });

  it('returns states from which the head computes the next-token logits', async () => {
    const trainer = await trainerOf();
    const texts = [
      [1, 5, 7],
      [1, 5],
      [2, 9, 4, 4],
      [1, 5, 7],
    ];
    const states = await trainer.states(texts);
    expect(states[3]).toEqual(states[0]);
    const { head } = trainer.write('weights').tensors;
    for (const [i, text] of texts.entries()) {
      const logits = Array.from({ length: tiny.vocabulary }, (_, token) =>
        states[i]!.reduce((sum, value, k) => sum + value * head!.data[k * tiny.vocabulary + token]!, 0),
      );
      const most = Math.log(logits.reduce((sum, value) => sum + Math.exp(value), 0));
      const [observation] = await trainer.logprobs([[...text, 3]], 'current');
      expect(logits[3]! - most).toBeCloseTo(observation!.at(-1)!, 4);
    }
  });

  it('changes only the head if the trunk is frozen, regardless of optimizer state', async () => {
    const trainer = await trainerOf();
    const step = async () => {
      await trainer.forwardBackward(rowsOf(3, 10), 'cross_entropy');
      await trainer.optimStep({ rate: 0.1, decay: 0.1 });
      return trainer.write('weights').tensors;
    };
    const before = structuredClone(await step());
    trainer.still = true;
    const after = await step();
    const moved = trainer.parameters.flatMap(({ name }) =>
      after[name]!.data.every((value, i) => value === before[name]!.data[i]) ? [] : [name],
    );
    expect(moved).toEqual(['head', 'gain']);
  });

  it('rejects unsupported input with a readable error', async () => {
    const trainer = await trainerOf();
    await expect(trainer.forwardBackward(rowsOf(1, 4), 'hinge')).rejects.toThrow(
      'Unknown loss "hinge". A transformer supports cross_entropy,',
    );
    await expect(trainer.optimStep({})).rejects.toThrow('No gradient to apply. Call forwardBackward first.');
    await expect(trainer.forwardBackward([{ tokens: [1, 2], mask: [0, 1] }], 'ppo')).rejects.toThrow('needs advantages');
    await expect(trainer.forwardBackward(rowsOf(1, 40), 'cross_entropy')).rejects.toThrow('A text of 39 tokens exceeds the context');
  });
});

describe.skipIf(!hasRuntime())('transformer learner', () => {
  const words = ['copy a\n', 'copy b\n', 'copy c\n'];
  const make = (more: { seed?: number; constrained?: boolean; folder?: string } = {}) =>
    Transformer.create({ vocabulary: new Vocabulary(), width: 16, context: 32, maxTokens: 4, seed: 1, ...more });
  const rowFor = (learner: Transformer, text: string): TokenRow => {
    const prompt = learner.promptOf(viewOf(text));
    const answer = learner.answerOf(text.slice(5, 6));
    return { tokens: [...prompt, ...answer], mask: [...prompt.map(() => 0), ...answer.map(() => 1)] };
  };

  it('learns to copy text', async () => {
    const learner = await make();
    const rows = words.map((text) => rowFor(learner, text));
    const first = (await learner.forwardBackward(rows, 'cross_entropy'))['loss']!;
    await learner.optimStep({ rate: 0.01 });
    let last = first;
    for (let i = 0; i < 80; i++) last = (await learner.step(rows, 'cross_entropy', { rate: 0.01 }))['loss']!;
    expect(first).toBeGreaterThan(20);
    expect(last).toBeLessThan(0.1);
    const replies = await learner.policy({ temperature: 0 }).act(words.map((text, i) => turnOf(text, i)));
    expect(replies.map(({ action }) => action.text)).toEqual(['a', 'b', 'c']);
  });

  it('has the same log-probabilities in sampling and in training', async () => {
    const learner = await make();
    const replies = await learner.policy().act(Array.from({ length: 20 }, (_, i) => turnOf(words[i % 3]!, i)));
    const rows = replies.map(({ calls }) => {
      const { promptTokenIds = [], tokenIds = [] } = calls?.[0] ?? {};
      return { tokens: [...promptTokenIds, ...tokenIds], mask: [...promptTokenIds.map(() => 0), ...tokenIds.map(() => 1)] };
    });
    const again = await learner.logprobs(rows);
    replies.forEach(({ calls }, r) => {
      const { promptTokenIds = [], logprobs = [] } = calls?.[0] ?? {};
      logprobs.forEach((logprob, i) => {
        expect(Math.abs(logprob - (again[r]?.[promptTokenIds.length + i] as number))).toBeLessThan(1e-4);
      });
    });
  });

  it('samples reproducibly by seed, and at the learned frequencies', async () => {
    const learner = await make();
    const row = rowFor(learner, 'copy a\n');
    const other = { ...row, tokens: Array.from(row.tokens, (token, i) => (i === row.tokens.length - 2 ? 98 : token)) };
    for (let i = 0; i < 120; i++) await learner.step([row, other, other, other], 'cross_entropy', { rate: 0.01, clip: 5 });
    const turns = () => Array.from({ length: 400 }, (_, i) => turnOf('copy a\n', i));
    const texts = (await learner.policy().act(turns())).map(({ action }) => action.text);
    expect((await learner.policy().act(turns())).map(({ action }) => action.text)).toEqual(texts);
    const share = texts.filter((text) => text === 'b').length / texts.length;
    expect(share).toBeGreaterThan(0.65);
    expect(share).toBeLessThan(0.85);
  });

  it('restricts output to listed answers only if configured', async () => {
    const [free, bound] = [await make(), await make({ constrained: true })];
    const turns = Array.from({ length: 30 }, (_, i) => turnOf('copy a\n', i, ['[yes]', '[no]']));
    const texts = async (learner: Transformer) => (await learner.policy({ maxTokens: 8 }).act(turns)).map(({ action }) => action.text);
    expect(new Set(await texts(bound))).toEqual(new Set(['[yes', '[no]']));
    expect((await texts(free)).some((text) => text.startsWith('[yes'))).toBe(false);
  });

  it('completes a prompt like any model', async () => {
    const learner = await make();
    const call = await learner.complete(
      { messages: [{ role: 'user', content: 'hi' }] },
      { seed: 4, maxTokens: 3 },
      new AbortController().signal,
    );
    expect(call.usage.completionTokens).toBe(call.tokenIds?.length);
    expect(call.logprobs?.length).toBe(call.tokenIds?.length);
    expect(call.promptTokenIds?.[0]).toBe(beginToken);
  });

  it('continues from a checkpoint with an identical next update', async () => {
    const transformer = await make();
    const rows = words.map((text) => rowFor(transformer, text));
    for (let i = 0; i < 3; i++) await transformer.step(rows, 'cross_entropy', { rate: 0.01, kl: 0.1 });
    await transformer.refer();
    const checkpoint = await transformer.save();
    const two = await make({ seed: 99 });
    await two.load(checkpoint);
    for (const learner of [transformer, two])
      for (let i = 0; i < 3; i++) await learner.step(rows, 'cross_entropy', { rate: 0.01, kl: 0.1 });
    expect(await two.save()).toBe(await transformer.save());
    expect(await two.save()).not.toBe(checkpoint);
  });

  it('exports its weights without training state', async () => {
    const transformer = await make({ folder: '/nowhere' });
    const rows = words.map((text) => rowFor(transformer, text));
    await transformer.step(rows, 'cross_entropy', { rate: 0.01 });
    const weights = await transformer.weights();
    // A path would say nothing on another machine.
    expect(weights).toMatch(/^data:/);
    const two = await make({ seed: 99 });
    await two.load(weights);
    for (const which of ['current', 'reference'] as const)
      expect(await two.logprobs(rows, which)).toEqual(await transformer.logprobs(rows));
    expect(await transformer.logprobs(rows, 'reference')).not.toEqual(await transformer.logprobs(rows));
    expect(weights.length).toBeLessThan((await two.save()).length / 3);
  });
});

describe('safetensors', () => {
  const tensors = { a: { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) }, é: { shape: [1], data: Float32Array.of(-0.5) } };

  it('have a valid header', () => {
    const bytes = Buffer.from(writeSafetensors({ tensors, metadata: { steps: '7' } }));
    const length = bytes.readUInt32LE(0);
    expect(bytes.readUInt32LE(4)).toBe(0);
    expect(length % 8).toBe(0);
    const header = JSON.parse(bytes.subarray(8, 8 + length).toString('utf8'));
    expect(header['__metadata__']).toEqual({ steps: '7' });
    expect(header['a']).toEqual({ dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] });
    expect(header['é']).toEqual({ dtype: 'F32', shape: [1], data_offsets: [16, 20] });
    expect([0, 1, 2, 3, 4].map((i) => bytes.readFloatLE(8 + length + 4 * i))).toEqual([1, 2, 3, 4, -0.5]);
    expect(bytes.length).toBe(8 + length + 20);
  });

  it('are read back unchanged, and rejected if damaged', () => {
    const bytes = writeSafetensors({ tensors, metadata: {} });
    expect(readSafetensors(bytes)).toEqual({ tensors, metadata: {} });
    expect(() => readSafetensors(bytes.slice(0, -1))).toThrow('does not fit');
    for (const header of [
      'null',
      '[]',
      '{"a":null}',
      '{"a":{"dtype":"F32","shape":[-1],"data_offsets":[4,0]}}',
      '{"a":{"dtype":"F32","shape":[1]}}',
    ]) {
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(header.length));
      expect(() => readSafetensors(Buffer.concat([length, Buffer.from(header), Buffer.alloc(4)]))).toThrow('Expected a safetensors file');
    }
    expect(() => readSafetensors(bytes.slice(0, 20))).toThrow('cut off');
    const half = Buffer.from(Buffer.from(bytes).toString('latin1').replace('F32', 'F16'), 'latin1');
    expect(() => readSafetensors(half)).toThrow('F16');
  });
});

describe('vocabulary', () => {
  const texts = ['first checks.\nsecond bets 1.\n', 'first checks.\nsecond checks.\n', '[check]', '[bet]'];

  it('round-trips every text, seen before or not', () => {
    const vocabulary = learnVocabulary(texts, 400);
    for (const text of [...texts, 'Grüße, 世界 \u0000 🙂\n\n', '']) expect(vocabulary.decode(vocabulary.encode(text))).toBe(text);
  });

  it('merges frequent sequences, never across lines', () => {
    const vocabulary = learnVocabulary(texts, 400);
    expect(vocabulary.encode('first checks.\n').length).toBe(1);
    expect(vocabulary.encode('first checks.\nfirst checks.\n').length).toBe(2);
    expect(new Vocabulary().encode('first').length).toBe(5);
  });

  it('merges the most frequent pair first, then pairs of pairs, as by hand', () => {
    const { pairs } = learnVocabulary(['abab', 'abab'], 300);
    expect(pairs).toEqual([
      [97, 98],
      [258, 258],
    ]);
    expect(endToken).toBe(257);
  });
});

function viewOf(text: string): View {
  return { seat: 'me', seen: [{ kind: 'message', to: ['me'], text: text.trimEnd() }] };
}

function turnOf(text: string, place: number, choices?: readonly string[]): Turn {
  const ask: Ask = { seat: 'me', ...(choices && { choices }) };
  return { view: viewOf(text), ask, rng: rng(5, 'turn', place) };
}
