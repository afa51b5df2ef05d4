import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type EndEvent, type ModelCall, rng, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vocabulary } from '../../../../../test/fixtures/tinker-model.ts';
import { TinkerServer } from '../../../../../test/fixtures/tinker-server.ts';
import { Tabular } from '../tabular.ts';
import type { Tinker } from './learner.ts';
import { bytes, course, learnerOn, rowsOf } from './tinker.cases.ts';

let server: TinkerServer;
let learner: Tinker;
const never = new AbortController().signal;
const hello = { messages: [{ role: 'user', content: 'hello' }] } as const;

beforeEach(async () => {
  server = await new TinkerServer().start();
  learner = learnerOn(server.url);
});

afterEach(async () => {
  await learner.close();
  await server.close();
  expect(server.problems).toEqual([]);
});

describe('learner on a Tinker server', () => {
  it('lists the models that the server offers', async () => {
    expect(await learner.offers()).toEqual(['tiny/bigram']);
  });

  it('fails only the game whose text the server rejects as too long', async () => {
    let refused = 0;
    server.trouble = ({ name }) => (name === 'asample' && refused++ === 0 ? { status: 400, detail: 'A text has 2,049 tokens' } : undefined);
    const policy = learner.policy({ maxTokens: 4 });
    const logs = await rollout(kuhnPoker, { first: policy, second: policy }, { seeds: Array.from({ length: 12 }, (_, i) => i) });
    const ends = logs.map((log) => log.at(-1) as EndEvent);
    // Games in which the same card was read are one request.
    expect(new Set(ends.map(({ reason }) => reason))).toEqual(new Set(['error', 'over']));
    expect(ends.find(({ reason }) => reason === 'error')?.fault?.message).toContain('A text has 2,049 tokens');
  });

  it('samples with token ids and log-probabilities that match the trainer', async () => {
    const call = await learner.complete(hello, { seed: 3, maxTokens: 12 }, never);
    expect(call).toMatchObject({ model: 'tinker/tiny/bigram', cost: null, promptTokenIds: bytes.encode(hello) });
    const { promptTokenIds = [], tokenIds = [], logprobs = [] } = call;
    expect(tokenIds.length).toBe(call.finish === 'length' ? 12 : call.usage.completionTokens);
    expect(call.text).toBe(bytes.decode(tokenIds.filter((token) => token !== 256)));
    const tokens = [...promptTokenIds, ...tokenIds];
    const [trained] = await learner.logprobs([{ tokens, mask: tokens.map(() => 1) }]);
    const ownItems = Array.from(trained as ArrayLike<number>).slice(promptTokenIds.length);
    ownItems.forEach((value, i) => {
      expect(value).toBeCloseTo(logprobs[i]!, 10);
    });
    expect(await learner.complete(hello, { seed: 3, maxTokens: 12 }, never)).toEqual(call);
    expect(await learner.complete(hello, { seed: 4, maxTokens: 12 }, never)).not.toEqual(call);
  });

  it.each(['cross_entropy', 'importance_sampling', 'ppo'])('has gradients of %s that match finite differences', async (loss) => {
    const rows = rowsOf(rng(5, loss), 4);
    const settings = loss === 'ppo' ? { clip_low_threshold: 0.7, clip_high_threshold: 1.4 } : {};
    await learner.forwardBackward(rows, loss, settings);
    const gradient = server.model.gradient.slice();
    const most = gradient.reduce((far, value) => Math.max(far, Math.abs(value)), 0);
    expect(most).toBeGreaterThan(0);
    const places = [...gradient.keys()].filter((i) => Math.abs(gradient[i]!) > most / 4).slice(0, 8);
    for (const at of [...places, 0]) {
      const lossAt = async (move: number) => {
        server.model.logits[at] = server.model.logits[at]! + move;
        const { loss: sum } = await learner.forwardBackward(rows, loss, settings);
        server.model.logits[at] = server.model.logits[at]! - move;
        return sum as number;
      };
      const step = 1e-5;
      const slope = ((await lossAt(step)) - (await lossAt(-step))) / (2 * step);
      expect(Math.abs(slope - gradient[at]!)).toBeLessThan(1e-6);
    }
  });

  it('learns the same as a table from the same rows', async () => {
    const table = new Tabular();
    await learner.logprobs([{ tokens: [1, 2], mask: [0, 1] }]);
    for (let token = 0; token < vocabulary; token++)
      table.table.place(table.table.add(vocabulary), server.model.logits.slice(token * vocabulary, (token + 1) * vocabulary));
    for (let update = 0; update < 3; update++) {
      const rows = rowsOf(rng(6, update));
      const [ours, theirs] = [await learner.forwardBackward(rows, 'cross_entropy'), await table.forwardBackward(rows, 'cross_entropy')];
      expect(ours['loss']).toBeCloseTo(theirs['loss']!, 9);
      expect(ours['tokens']).toBe(theirs['tokens']);
      // The table adds its 1e-8 before it corrects for the first steps, the server after.
      await learner.optimStep({ rate: 0.01, beta2: 0.999, eps: 1e-8 / Math.sqrt(1 - 0.999 ** (update + 1)) });
      await table.optimStep({ rate: 0.01 });
    }
    const rows = rowsOf(rng(6, 0));
    const [ours, theirs] = [await learner.logprobs(rows), await table.logprobs(rows)];
    rows.forEach(({ mask }, i) => {
      for (let at = 1; at < mask.length; at++) if (mask[at] === 1) expect(ours[i]![at]).toBeCloseTo(theirs[i]![at]!, 10);
    });
  });

  it('learns nothing from masked tokens, with bit-identical gradients', async () => {
    const plainRow = { tokens: [1, 2, 3, 4, 5], mask: [0, 0, 0, 1, 1], advantages: [0, 0, 0, 1, -1] };
    const logprobs = Array.from((await learner.logprobs([plainRow]))[0]!);
    const row: TokenRow = { ...plainRow, logprobs };
    const gradientOf = async (tokenRow: TokenRow, loss: string) => {
      server.model.gradient.fill(0);
      await learner.forwardBackward([tokenRow], loss);
      return server.model.gradient.slice();
    };
    for (const loss of ['cross_entropy', 'importance_sampling', 'ppo']) {
      const plain = await gradientOf(row, loss);
      const other = { ...row, tokens: [77, 88, 3, 4, 5], advantages: [5, 5, 5, 1, -1], logprobs: [-1, -1, -1, ...logprobs.slice(3)] };
      expect(await gradientOf(other, loss)).toEqual(plain);
      expect(await gradientOf({ ...row, tokens: [1, 2, 3, 4, 6] }, loss)).not.toEqual(plain);
    }
    expect(await learner.forwardBackward([{ tokens: [1, 2], mask: [1, 0] }], 'ppo')).toEqual({ loss: 0, tokens: 0 });
  });

  it('improves on rewarded actions', async () => {
    const means: number[] = [];
    const act = learner.policy({ maxTokens: 1 });
    for (let update = 0; update < 12; update++) {
      const turns = Array.from({ length: 40 }, (_, i) => ({
        view: { seat: 'first', seen: [{ kind: 'message', to: ['first'], text: 'say A' }] },
        ask: { seat: 'first' },
        rng: rng(1, update, i),
      })) as Parameters<typeof act.act>[0];
      const calls = (await act.act(turns)).map(({ calls: [call] = [] }) => call as ModelCall);
      const near = (token: number) => -Math.abs(token - 65) / 60;
      const rewards = calls.map(({ tokenIds = [] }) => near(tokenIds[0]!));
      const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
      means.push(mean);
      const rows = calls.map(({ promptTokenIds = [], tokenIds = [], logprobs = [] }, i): TokenRow => {
        const before = promptTokenIds.map(() => 0);
        const advantage = rewards[i]! - mean;
        return {
          tokens: [...promptTokenIds, ...tokenIds],
          mask: [...before, 1],
          advantages: [...before, advantage],
          logprobs: [...before, ...logprobs],
        };
      });
      await learner.forwardBackward(rows, 'importance_sampling');
      await learner.optimStep({ rate: 0.5 });
    }
    // Even odds are 1.25 worse than the best; 40 samples of that have a mean within 0.3 of it.
    expect(means[0]).toBeLessThan(-0.9);
    expect(means.at(-1)).toBeGreaterThan(-0.5);
  });

  it('plays rollouts and logs everything needed for training rows', async () => {
    const policy = learner.policy({ maxTokens: 3 });
    const episodes = await rollout(kuhnPoker, { first: policy, second: policy }, { seeds: [1, 2, 3] });
    const actions = episodes.flatMap((episode) => episode.filter((event) => event.kind === 'action'));
    expect(actions.length).toBeGreaterThan(5);
    for (const { calls: [call] = [] } of actions) expect(call?.logprobs?.length).toBe(call?.tokenIds?.length);
  });
});

describe('Tinker checkpoint', () => {
  it('restores weights and optimizer so that training continues identically', async () => {
    await course(learner);
    const saved = await learner.save();
    const more = async (tinker: Tinker) => {
      await tinker.forwardBackward(rowsOf(rng(9)), 'cross_entropy');
      await tinker.optimStep({ rate: 0.05 });
      return server.model.logits.slice();
    };
    const straight = await more(learner);
    await learner.load(saved);
    expect(server.models).toBe(1);
    expect(await more(learner)).toEqual(straight);
    const second = learnerOn(server.url);
    await second.load((JSON.parse(saved) as { weights: string }).weights);
    expect(await more(second)).toEqual(straight);
    await second.close();
    expect(await more(learner)).not.toEqual(straight);
  });

  it('restores the reference', async () => {
    const rows = rowsOf(rng(11));
    const base = await learner.logprobs(rows);
    expect(await learner.logprobs(rows, 'reference')).toEqual(base);
    await course(learner);
    const now = await learner.logprobs(rows);
    expect(await learner.logprobs(rows, 'reference')).toEqual(base);
    await learner.refer();
    expect(await learner.logprobs(rows, 'reference')).toEqual(now);
    const saved = await learner.save();
    await course(learner);
    await learner.refer();
    await learner.load(saved);
    expect(await learner.logprobs(rows, 'reference')).toEqual(now);
    expect(await learner.logprobs(rows)).toEqual(now);
  });

  it('that does not exist changes nothing', async () => {
    await course(learner);
    const before = await learner.logprobs(rowsOf(rng(1)));
    await expect(learner.load('tinker://nowhere/weights/none')).rejects.toThrow(/Checkpoint not found/);
    await expect(learner.load('{}')).rejects.toThrow(/A checkpoint must be the result of "save", or/);
    expect(await learner.logprobs(rowsOf(rng(1)))).toEqual(before);
  });
});

describe('unsupported operations', () => {
  it('are rejected with a readable error', async () => {
    const rows = rowsOf(rng(1));
    await expect(learner.forwardBackward(rows, 'dpo')).rejects.toThrow(/supports the losses cross_entropy, importance_sampling, ppo,/);
    await expect(learner.forwardBackward(rows, 'cross_entropy', { kl: 0.1 })).rejects.toThrow(
      /tinker\/tiny\/bigram does not see full distributions,/,
    );
    await expect(learner.forwardBackward(rows, 'cross_entropy', { kl: 0, entropy: 0 })).resolves.toBeDefined();
    await expect(learner.optimStep({ speed: 1 })).rejects.toThrow(/but got "speed"/);
    expect(() => learnerOn('ftp://x')).toThrow(/must start with http/);
    expect(() => learnerOn('http://me:secret@x')).toThrow(/^(?!.*secret).*must not contain a password/);
    const { notes } = await learner.complete(hello, { maxTokens: 1, schema: {} }, never);
    expect(notes).toEqual(['tinker/tiny/bigram cannot be constrained to a schema.']);
  });
});
