/** @file A server that waits with its answers and takes many prompts at once: few requests, and what comes of them is what came before. */

import { TinkerClient } from '@ludus-agents/agents/internal/models/tinker/http';
import { TinkerSession } from '@ludus-agents/agents/internal/models/tinker/session';
import { FailedTurns, type JsonObject, type Policy, rng, type TokenRow, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TinkerServer } from '../../../../../test/fixtures/tinker-server.ts';
import { datumOf } from './datum.ts';
import type { Tinker } from './learner.ts';
import { course, learnerOn, operations, rowsOf } from './tinker.cases.ts';
import { TinkerTrainer } from './trainer.ts';

let server: TinkerServer;
let learner: Tinker;

beforeEach(async () => {
  server = await new TinkerServer().start();
  server.waits = true;
  learner = learnerOn(server.url);
});

afterEach(async () => {
  await learner.close();
  await server.close();
  expect(server.problems).toEqual([]);
});

const names = (from = 0) => server.heard.slice(from).map(({ name }) => name);

function turnsOf(...texts: readonly string[]): readonly Turn[] {
  return texts.map((text, i) => ({
    view: { seat: 'first', seen: [{ kind: 'message', to: ['first'], text }] },
    ask: { seat: 'first' },
    rng: rng(1, i),
  })) as unknown as readonly Turn[];
}

const textsOf = async (policy: Policy, ...texts: readonly string[]) =>
  (await policy.act(turnsOf(...texts))).map(({ action }) => action.text);

describe('Tinker server with long polling', () => {
  it('trains to the same weights without polling', async () => {
    await course(learner);
    const { logits } = server.model;
    expect(names()).not.toContain('retrieve_future');
    server.waits = false;
    const plain = learnerOn(server.url);
    await course(plain);
    expect(names()).toContain('retrieve_future');
    expect(logits).toEqual(server.model.logits);
    await plain.close();
  });

  it.each(Array.from({ length: operations / 3 }, (_, i) => 3 * i))(
    'loses nothing when it restarts before operation %i',
    async (operation) => {
      const calm = learnerOn(server.url);
      await course(calm);
      const undisturbed = server.model.logits.slice();
      await calm.close();
      await course(learner, (now) => (now === operation ? server.restart('sessions') : undefined));
      expect(server.model.logits).toEqual(undisturbed);
    },
  );

  it('receives gradient, step, and weights together once the weights are used for play', async () => {
    const rows = rowsOf(rng(3));
    await learner.step(rows, 'cross_entropy', { rate: 0.1 });
    expect(names()).not.toContain('save_weights_for_sampler');
    await textsOf(learner.policy(), 'hello');
    const from = server.heard.length;
    await learner.step(rows, 'cross_entropy', { rate: 0.1 });
    expect(names(from).toSorted()).toEqual(['forward_backward', 'optim_step', 'save_weights_for_sampler']);
    const now = await textsOf(learner.policy(), 'hello');
    expect(names(from + 3)).toEqual(['asample']);
    // The same weights, published anew by another learner.
    const other = learnerOn(server.url);
    await other.load((JSON.parse(await learner.save()) as { weights: string }).weights);
    expect(await textsOf(other.policy(), 'hello')).toEqual(now);
    await other.close();
  });

  it('receives the first request before the next one is serialized', async () => {
    const session = new TinkerSession(new TinkerClient({ url: server.url, env: {} }), {}, new AbortController().signal);
    const options = { baseModel: 'tiny/bigram', rank: 4, seed: 1, metadata: null, checkpointEvery: 20, recoveries: 0 };
    const trainer = new TinkerTrainer(session, options, new AbortController().signal);
    const written: number[] = [];
    let round = 0;
    const input = (row: TokenRow): JsonObject => {
      const fields = { loss_fn: 'cross_entropy', loss_fn_config: null, data: [datumOf(row, 'cross_entropy')] };
      const toJSON = () => {
        written.push(round);
        return fields;
      };
      return Object.assign(Object.create({ toJSON }) as JsonObject, fields);
    };
    const passes = rowsOf(rng(3)).map((row) => ({ name: 'forward_backward', body: { forward_backward_input: input(row) } }) as const);
    // Only a server that has waited once is sent several at a time.
    await trainer.run(passes.slice(0, 1));
    let running: NodeJS.Immediate;
    const count = () => {
      round++;
      running = setImmediate(count);
    };
    count();
    await trainer.run(passes);
    clearImmediate(running!);
    expect(new Set(written.slice(1)).size).toBe(passes.length);
    await trainer.close();
    session.forget();
  });

  it('receives reference updates with the next request', async () => {
    server.extensions = ['refer'];
    await learner.optimStep({ rate: 0.1 });
    const from = server.heard.length;
    await learner.refer(0.5);
    expect(server.referred).toEqual([]);
    await learner.optimStep({ rate: 0.1 });
    expect(names(from)).not.toContain('retrieve_future');
    expect(server.referred).toEqual([0.5]);
    await learner.refer(0.25);
    await learner.save();
    expect(server.referred).toEqual([0.5, 0.25]);
  });
});

describe('leading targets without weight', () => {
  const firsts = (from = 0) =>
    server.heard.slice(from).flatMap(({ name, body }) => {
      if (name !== 'forward_backward') return [];
      const { data } = body!['forward_backward_input'] as unknown as { data: readonly { first?: number }[] };
      return data.map(({ first }) => first ?? 0);
    });

  it('are omitted if the server supports it, with the same weights as a result', async () => {
    await course(learner);
    const { logits } = server.model;
    expect(firsts().some((first) => first > 0)).toBe(false);
    server.extensions = ['first'];
    const short = learnerOn(server.url);
    const from = server.heard.length;
    await course(short);
    expect(firsts(from).every((first) => first > 0)).toBe(true);
    expect(server.model.logits).toEqual(logits);
    await short.close();
  });

  it.each(['cross_entropy', 'importance_sampling', 'ppo', 'cispo', 'dro'])('do not affect any statistic of %s', async (loss) => {
    const rows = rowsOf(rng(4), 5);
    const whole = await learner.forwardBackward(rows, loss);
    server.extensions = ['first'];
    const short = learnerOn(server.url);
    const from = server.heard.length;
    expect(await short.forwardBackward(rows, loss)).toEqual(whole);
    // This loss has a say about every target.
    expect(firsts(from).some((first) => first > 0)).toBe(loss !== 'dro');
    await short.close();
  });
});

describe('frozen policy', () => {
  it('plays with its old weights while training continues', async () => {
    const rows = rowsOf(rng(3), 8);
    const frozen = learner.frozenPolicy();
    const before = await textsOf(frozen, 'a', 'b');
    for (let i = 0; i < 5; i++) await learner.step(rows, 'cross_entropy', { rate: 1 });
    expect(await textsOf(frozen, 'a', 'b')).toEqual(before);
    expect(await textsOf(learner.policy(), 'a', 'b')).not.toEqual(before);
  });

  it('includes a step that was requested before it was frozen', async () => {
    await textsOf(learner.policy(), 'a');
    const stepped = learner.step(rowsOf(rng(3), 8), 'cross_entropy', { rate: 1 });
    const frozen = learner.frozenPolicy();
    await stepped;
    expect(await textsOf(frozen, 'a', 'b')).toEqual(await textsOf(learner.policy(), 'a', 'b'));
  });

  it('plays with the current weights if the server lost the frozen ones', async () => {
    const frozen = learner.frozenPolicy();
    const before = await textsOf(frozen, 'a');
    await server.restart('sessions');
    expect(await textsOf(frozen, 'a')).toEqual(before);
  });
});

describe('multiple prompts', () => {
  it('are sent in one request with the same answers as one by one', async () => {
    const texts = ['a', 'b', 'a', 'c', 'b', 'a'];
    const single = await textsOf(learner.policy(), ...texts);
    expect(names().filter((name) => name === 'asample').length).toBe(3);
    await learner.close();
    server.extensions = ['prompts'];
    learner = learnerOn(server.url);
    const from = server.heard.length;
    expect(await textsOf(learner.policy(), ...texts)).toEqual(single);
    expect(names(from).filter((name) => name === 'asample').length).toBe(1);
  });

  it('are retried one by one after a rejection, so that only the invalid one fails', async () => {
    server.extensions = ['prompts'];
    const asks: number[] = [];
    server.trouble = ({ name, body }) => {
      if (name !== 'asample') return undefined;
      asks.push((body['prompts'] as readonly unknown[] | undefined)?.length ?? 1);
      return JSON.stringify(body).includes(String('Z'.charCodeAt(0))) ? { status: 400, detail: 'A text has 2,049 tokens' } : undefined;
    };
    const answered = Promise.resolve(learner.policy({ maxTokens: 4 }).act(turnsOf('a', 'Z', 'b')));
    const failed = (await answered.catch((thrown: unknown) => thrown)) as FailedTurns;
    expect(failed).toBeInstanceOf(FailedTurns);
    expect(failed.answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(asks).toEqual([3, 1, 1, 1]);
  });
});
