import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OnnxRuntime, onnxEmbedder, onnxRuntime } from '@ludus-agents/agents/internal/encoders/onnx';
import { wordPiece } from '@ludus-agents/agents/internal/encoders/wordpiece';
import { type Episode, type EpisodeEvent, type Json, rng, type Score, type ScoreInput } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { stands } from '../scorer.ts';
import vectors from '../test-vectors.json' with { type: 'json' };
import { apc, apcScorer, exchangesOf } from './apc.ts';
import { lexicalEmbedder, lexicalNli } from './lexical.ts';
import { onnxNli } from './onnx.ts';
import { relevanceScorer } from './relevance.ts';
import { type Embedder, likeness, relevanceOf } from './small.ts';

const signal = new AbortController().signal;
const folder = join(import.meta.dirname, '../../../../../../shared/data/models/all-MiniLM-L6-v2-q8');

const talk = (reply: string): Episode => {
  const events: EpisodeEvent[] = [
    { kind: 'start', environment: 'talk@1', task: {}, seed: 0, seats: ['host'], cast: { host: 'x' } },
    { kind: 'message', to: ['host'], text: 'Can you swim in the river?' },
    { kind: 'action', seat: 'host', action: { text: reply } },
    { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: 1 },
  ];
  return { id: 'e', events };
};
const persona = {
  name: 'Marta Rook',
  statements: [
    { text: 'Marta Rook cannot swim.', keys: ['swim'] },
    { text: 'Marta Rook has kept the Heron inn for 12 years.' },
    { text: 'Marta Rook turns away a hungry child.', polarity: 'must_not' as const },
  ],
};

describe('the APC score', () => {
  it('matches the published formula, with both parts separate', () => {
    const { input, expected } = vectors.apc;
    const result = apc(input.map(({ rel, e, n, c }) => ({ relevance: rel, entails: e, neutral: n, contradicts: c })));
    for (const [i, value] of expected.per_statement.entries()) expect(result.perStatement[i]).toBeCloseTo(value, 9);
    expect(result.sum).toBeCloseTo(expected.APC, 9);
    expect(result.neutral).toBeCloseTo(expected.all_neutral_baseline, 9);
    expect(result.delta).toBeCloseTo(expected.delta_APC, 9);
    expect(result.mean).toBeCloseTo(expected.APC_per_statement, 6);
    expect(result.activeRecall).toBeCloseTo(expected.active_recall, 6);
    expect(result.passiveSafety).toBeCloseTo(expected.passive_safety, 6);
  });

  it('with yes/no labels counts statements, and gives an always neutral reply only the floor', () => {
    const row = (relevance: number, label: 'entails' | 'neutral' | 'contradicts') => ({
      relevance,
      entails: 0,
      neutral: 0,
      contradicts: 0,
      [label]: 1,
    });
    expect(apc([row(1, 'entails'), row(1, 'neutral'), row(0, 'neutral'), row(0, 'contradicts')])).toMatchObject({
      sum: 2,
      delta: 0,
      activeRecall: 0.5,
      passiveSafety: 0.5,
    });
    expect(apc([row(1, 'neutral'), row(0, 'neutral')])).toMatchObject({ delta: 0 });
    expect(apc([row(0, 'neutral')]).activeRecall).toBeNull();
    expect(apc([row(1, 'neutral')]).passiveSafety).toBeNull();
  });

  const scored = async (reply: string, more: Partial<ScoreInput> = {}) => {
    const input: ScoreInput = { episodes: [talk(reply)], seat: 'host', persona, rng: rng(1), ...more };
    const [score] = (await apcScorer({ nli: lexicalNli, embedder: lexicalEmbedder }).score(input, signal)) as [Score];
    return score;
  };

  it('ranks a true reply over an evasive one over a false one, with a quote', async () => {
    const [right, evasive, wrong] = [
      await scored('No, I cannot swim.'),
      await scored('The stew is hot.'),
      await scored('I swim every day.'),
    ];
    expect(right.value).toBeGreaterThan(evasive.value as number);
    expect(evasive.value).toBeGreaterThan(wrong.value as number);
    expect(wrong.evidence).toMatchObject([{ event: 2, supports: false, note: expect.stringContaining('s1: contradicted') }]);
    expect(right.evidence).toMatchObject([{ event: 2, supports: true }]);
    expect(stands(talk('No, I cannot swim.'), right.evidence[0]!)).toBe(true);
    expect(evasive.value).toBeLessThanOrEqual((evasive.floor as number) + 0.05);
  });

  it('inverts a prohibition', async () => {
    const bad = await scored('I turn away every hungry child.');
    expect(bad.evidence).toMatchObject([{ supports: false, note: expect.stringContaining('s3: contradicted') }]);
  });

  it('states that no model was used', async () => {
    const { provenance } = await scored('No.');
    expect(provenance?.['nli']).toMatch(/lexical fallback/);
    expect(provenance?.['embedder']).toMatch(/lexical fallback/);
  });

  it('does not apply without statements or replies, and covers all personas if no seat is given', async () => {
    expect(await scored('No.', { persona: { name: 'Nobody' } })).toMatchObject({ value: null, status: 'not-applicable' });
    expect(await scored('No.', { seat: 'guest' })).toMatchObject({ value: null, status: 'not-applicable' });
    const scorer = apcScorer({ nli: lexicalNli, embedder: lexicalEmbedder });
    const scores = await scorer.score({ episodes: [talk('No, I cannot swim.')], personas: { host: persona }, rng: rng(1) }, signal);
    expect(scores.map(({ seat, status }) => [seat, status])).toEqual([['host', 'ok']]);
  });
});

describe('exchanges', () => {
  it('contain the messages to the seat since it last spoke, without its own', () => {
    const events: EpisodeEvent[] = [
      { kind: 'message', to: ['a', 'b'], text: 'one' },
      { kind: 'message', to: ['b'], text: 'secret' },
      { kind: 'action', seat: 'a', action: { text: 'first' } },
      { kind: 'message', to: ['a', 'b'], from: 'a', text: 'first' },
      { kind: 'message', to: ['a'], from: 'b', text: 'two' },
      { kind: 'action', seat: 'a', action: { text: ' ' } },
      { kind: 'action', seat: 'a', action: { text: 'last' } },
    ];
    expect(exchangesOf({ id: 'e', events }, 'a')).toEqual([
      { event: 2, query: 'one', reply: 'first' },
      { event: 6, query: '', reply: 'last' },
    ]);
  });
});

describe('the lexical fallback', () => {
  it.each<[string, string, 'entails' | 'neutral' | 'contradicts']>([
    ['Marta Rook cannot swim.', 'I cannot swim, lamb.', 'entails'],
    ['Marta Rook cannot swim.', 'I can swim well.', 'contradicts'],
    ['Marta Rook cannot swim.', 'Sit down and eat.', 'neutral'],
    ['Ann kept the inn for 12 years.', 'I kept the inn for 30 years.', 'contradicts'],
    ['Ann kept the inn for 12 years.', 'I kept the inn for 12 years.', 'entails'],
    ['Ann trusts ferrymen.', '', 'neutral'],
  ])('classifies %s / %s: %s', async (premise, hypothesis, label) => {
    const [odds] = await lexicalNli.classify([{ premise, hypothesis }]);
    const best = Object.entries(odds ?? {}).sort((a, b) => b[1] - a[1])[0];
    expect(best?.[0]).toBe(label);
    expect(Object.values(odds ?? {}).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    for (const p of Object.values(odds ?? {})) expect(p).toBeGreaterThanOrEqual(0);
  });

  it('finds sentences on the same topic more similar', async () => {
    const [a, b, c, none] = (await lexicalEmbedder.embed([
      'The ferry crosses the river.',
      'Rivers and ferries.',
      'A debt of coins',
      '',
    ])) as [Float32Array, Float32Array, Float32Array, Float32Array];
    expect(likeness(a, b)).toBeGreaterThan(likeness(a, c) + 0.2);
    expect(likeness(a, a)).toBeCloseTo(1, 6);
    expect(likeness(a, none)).toBe(0);
    expect(relevanceOf(lexicalEmbedder, 2)).toBe(1);
    expect(relevanceOf(lexicalEmbedder, -1)).toBe(0);
  });
});

describe('relevance', () => {
  it('is higher for a reply to the question, is labeled, and does not apply to silence', async () => {
    const value = async (reply: string) =>
      (await relevanceScorer(lexicalEmbedder).score({ episodes: [talk(reply)], rng: rng(1) }, signal))[0]!;
    const [near, far] = [await value('Nobody swims in that river.'), await value('Stew is a copper a bowl.')];
    expect(near.value).toBeGreaterThan(far.value as number);
    expect(near.provenance?.['embedder']).toMatch(/lexical fallback/);
    expect(await value('')).toMatchObject({ value: null, status: 'not-applicable' });
  });
});

describe('WordPiece', () => {
  const toy = {
    normalizer: { lowercase: true },
    model: { type: 'WordPiece', vocab: { '[UNK]': 0, '[CLS]': 1, '[SEP]': 2, swim: 3, '##ming': 4, i: 5, '.': 6, cafe: 7 } },
  };

  it('splits words by the longest known prefixes', () => {
    expect(wordPiece(toy).encode('I swimming. Café swum')).toEqual({ ids: [1, 5, 3, 4, 6, 7, 0, 2], kinds: [0, 0, 0, 0, 0, 0, 0, 0] });
    expect(wordPiece(toy).encode('i', 'swim')).toEqual({ ids: [1, 5, 2, 3, 2], kinds: [0, 0, 0, 1, 1] });
  });

  it('truncates the longer of two texts', () => {
    expect(wordPiece(toy, 6).encode('i i i i i', 'swim').ids).toEqual([1, 5, 5, 2, 3, 2]);
    expect(() => wordPiece({ model: { type: 'BPE' } })).toThrow(/WordPiece vocabulary/);
  });

  it.skipIf(!existsSync(folder))('gives the published ids of bert-base-uncased', () => {
    const real = wordPiece(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as Json);
    expect(real.encode('Hello, world!').ids).toEqual([101, 7592, 1010, 2088, 999, 102]);
    expect(real.encode('unaffable').ids).toEqual([101, 14477, 20961, 3468, 102]);
  });
});

describe('ONNX models', () => {
  /** A runtime that answers with what it was fed, so that the arithmetic around a session is seen. */
  const toyRuntime = (width: number): OnnxRuntime => ({
    InferenceSession: {
      create: async () => ({
        inputNames: ['input_ids', 'attention_mask'],
        outputNames: ['out'],
        run: async (feeds) => {
          const ids = feeds['input_ids'] as { readonly data: BigInt64Array };
          return {
            out: {
              data: Array.from(ids.data, Number).flatMap((id) => Array.from({ length: width }, (_, i) => (i === 0 ? id : 1))),
              dims: [1, ids.data.length, width],
            },
          };
        },
      }),
    },
    Tensor: class {
      readonly data: BigInt64Array;
      constructor(_: 'int64', data: BigInt64Array) {
        this.data = data;
      }
    },
  });

  it.skipIf(!existsSync(folder))('average token vectors to length 1, and turn logits into labeled probabilities', async () => {
    const [vector] = await (await onnxEmbedder({ folder, runtime: toyRuntime(2) })).embed(['Hello']);
    const mean = (101 + 7592 + 102) / 3;
    expect(vector?.[0]).toBeCloseTo(mean / Math.hypot(mean, 1), 6);
    const nli = await onnxNli({ folder, runtime: toyRuntime(3), labels: ['contradicts', 'entails', 'neutral'] });
    const [odds] = await nli.classify([{ premise: 'Hello', hypothesis: 'Hello' }]);
    expect(odds?.contradicts).toBeCloseTo(1, 9);
    expect(nli.basis).toBe('model');
  });

  it('without the package are rejected with the code of a missing runtime', async () => {
    const installed = await onnxRuntime().then(
      () => true,
      () => false,
    );
    if (!installed)
      await expect(onnxEmbedder({ folder })).rejects.toMatchObject({ code: 'E_RUNTIME_MISSING', details: { runtime: 'onnx' } });
  });

  it('embed real sentences with all-MiniLM-L6-v2', async (test) => {
    const model: Embedder | string = existsSync(folder)
      ? await onnxRuntime().then(
          (runtime) => onnxEmbedder({ folder, runtime }),
          (thrown: Error) => thrown.message,
        )
      : 'the sample model ../shared/data/models/all-MiniLM-L6-v2-q8 is not here';
    if (typeof model === 'string') return test.skip(model);
    const [a, b, c] = (await model.embed([
      'A man is playing a guitar.',
      'Someone plays an instrument.',
      'The stock market fell today.',
    ])) as [Float32Array, Float32Array, Float32Array];
    expect(a.length).toBe(384);
    expect(likeness(a, b)).toBeGreaterThan(0.5);
    expect(likeness(a, c)).toBeLessThan(0.15);
    expect(relevanceOf(model, likeness(a, b))).toBeGreaterThan(0.8);
  });
});
