/** @file An adapter is asked at home what it was asked in training, token for token: by every agent over it, whether its moves are scored or sampled. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { Codec } from '@ludus-agents/agents/internal/models/codec';
import { ggufModel } from '@ludus-agents/agents/internal/models/gguf';
import type { LlamaLibrary } from '@ludus-agents/agents/internal/models/gguf-load';
import { readTokenizer } from '@ludus-agents/agents/internal/models/tokenizer';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { gameTree } from '@ludus-agents/environments/internal/solve/index';
import type { AgentSpec, JsonObject, Learner, Model, ModelCall, Prompt, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { ggufAdapterOf } from '@ludus-agents/learning/internal/learners/tinker/adapter-gguf';
import type { AskedForm } from '@ludus-agents/learning/internal/learners/tinker/form';
import { Tinker } from '@ludus-agents/learning/internal/learners/tinker/index';
import { writeSafetensors } from '@ludus-agents/learning/internal/learners/transformer/safetensors';
import type { LearnerView } from '@ludus-agents/learning/internal/rl/recipe';
import { formOfView, isPromptView, viewPolicy } from '@ludus-agents/learning/internal/training/learner-view';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TinkerServer } from '../../../../test/fixtures/tinker-server.ts';
import { writeGguf } from '../../../../test/fixtures/tiny-llama/gguf.ts';

const folder = mkdtempSync(join(tmpdir(), 'adapter-prompts-'));
const base = join(folder, 'base.gguf');
const never = new AbortController().signal;
const environment = { ...kuhnPoker, about: { ...kuhnPoker.about, complete: true } };
let server: TinkerServer;
let codec: Codec;

const pieces = ['▁', 'c', 'h', 'e', 'k', 'b', 't', '[', ']', 'ch', 'ck', 'be', 'bet', 'che', 'check', '[check', '[bet', '▁[', '▁b'];
const tokenizer = {
  'tokenizer.ggml.model': 'llama',
  'tokenizer.ggml.tokens': [
    '<unk>',
    '<s>',
    '</s>',
    ...Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`),
    ...pieces,
  ],
  'tokenizer.ggml.scores': [...new Array<number>(259).fill(0), ...pieces.map((_, i) => -40.5 + i)],
  'tokenizer.ggml.token_type': [2, 3, 3, ...new Array<number>(256).fill(6), ...pieces.map(() => 1)],
  'tokenizer.ggml.bos_token_id': 1,
  'tokenizer.ggml.eos_token_id': 2,
};
/** The template of training is not that of the file at home. */
const trainedBy =
  "{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + eos_token }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' + mark }}{% endif %}";

beforeAll(async () => {
  server = await new TinkerServer().start();
  writeFileSync(base, writeGguf({ ...tokenizer, 'tokenizer.chat_template': '{{ messages[0].content }} other' }, new Map(), 'f32'));
  codec = await readTokenizer(base, { chat: trainedBy, template: { mark: '»' } });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** What a server is told of a learner, as a GGUF adapter that came from it. */
async function adapterOf(form: AskedForm, name = 'adapter.gguf'): Promise<string> {
  const learner = new Tinker({ url: server.url, baseModel: 'tiny/bigram', codec, env: {}, form });
  await learner.save();
  await learner.close();
  const { user_metadata } = server.heard.findLast((call) => call.name === 'create_model')!.body as JsonObject;
  const tensor = { shape: [2, 2], data: new Float32Array(4) };
  const tensors = { 'base_model.model.model.layers.0.mlp.up_proj.lora_A.weight': tensor };
  const metadata = { family: 'llama', heads: '1', kv_heads: '1', alpha: '32', ...(user_metadata as Record<string, string>) };
  const path = join(folder, name);
  writeFileSync(path, ggufAdapterOf(writeSafetensors({ tensors, metadata })));
  return path;
}

/** A stand-in for node-llama-cpp: whatever it is asked to read is kept. */
function listening() {
  const message = { prompts: [] as (readonly number[])[], scored: [] as (readonly number[])[], settings: [] as JsonObject[] };
  class LlamaChat {
    chatWrapper: { generateContextState(state: object): { contextText: { tokenize(): readonly number[] } } };
    constructor({ chatWrapper }: { chatWrapper?: LlamaChat['chatWrapper'] }) {
      this.chatWrapper = chatWrapper ?? { generateContextState: () => ({ contextText: { tokenize: () => [-1] } }) };
    }
    async generateResponse(chatHistory: unknown, settings: JsonObject) {
      message.prompts.push(this.chatWrapper.generateContextState({ chatHistory }).contextText.tokenize());
      message.settings.push(settings);
      return { response: '[bet]', metadata: { stopReason: 'eogToken' } };
    }
  }
  const sequence = {
    tokenMeter: { usedInputTokens: 0 },
    contextTokens: [] as number[],
    adaptStateToTokens: async () => {},
    controlledEvaluate: async (input: readonly (number | [number, { generateNext: { logits: { filter: { tokens: number[] } } } }])[]) => {
      const tokens = input.map((item) => (Array.isArray(item) ? item[0] : item));
      const last = input.at(-1) as [number, { generateNext: { logits: { filter: { tokens: number[] } } } }];
      message.scored.push([...tokens, ...last[1].generateNext.logits.filter.tokens]);
      return input.map((item) => {
        const requestedTokens = Array.isArray(item) ? item[1].generateNext.logits.filter.tokens : [];
        return { next: { logits: new Map(requestedTokens.map((token) => [token, 0])), totalLogitWeight: 2 } };
      });
    },
  };
  const weights = {
    ...{ trainContextSize: 4096, tokenizer: null, tokens: { eot: null, eos: 99 } },
    tokenize: (text: string) => [...text].map(() => 7),
    createContext: async () => ({ getSequence: () => sequence }),
  };
  const llama = { loadModel: async () => weights, createGrammar: async () => ({}), createGrammarForJsonSchema: async () => ({}) };
  return { heard: message, library: { LlamaChat, getLlama: async () => llama } as unknown as LlamaLibrary };
}

async function home(adapter: string) {
  const { heard, library } = listening();
  return { heard, model: await ggufModel({ path: base, adapters: [adapter], library, sequences: 1 }) };
}

function agentOver(model: Model, more: Partial<AgentSpec> = {}, seat = 'first') {
  const load = createAgentLoader({ model: async () => model });
  return load({ name: 'pupil', kind: 'llm', model: 'any', ...more }, seat, environment);
}

const tree = gameTree(kuhnPoker, {});
const turns = tree.sets.map((set): Turn => ({ view: set.view, ask: { ...set.ask, choices: set.choices }, rng: rng(1, set.index) }));
const seatOf = (turn: Turn) => turn.ask.seat;

/** A learner that only keeps what it is asked. */
function pupil(prompts: Prompt[]): Learner {
  const complete = async (prompt: Prompt): Promise<ModelCall> => {
    prompts.push(prompt);
    return { model: 'pupil', prompt, text: '[bet]', finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: null };
  };
  return { id: 'pupil', complete, rowFor: () => ({ tokens: [], mask: [] }) } as unknown as Learner;
}

/** The tokens of each decision, as they are in training. */
async function trainedOn(view: LearnerView | undefined): Promise<readonly (readonly number[])[]> {
  if (!isPromptView(view)) {
    const learner = new Tinker({ url: server.url, baseModel: 'tiny/bigram', codec, env: {} });
    return turns.map((turn) => learner.promptOf(turn.view));
  }
  const prompts: Prompt[] = [];
  const policy = viewPolicy(pupil(prompts), view, { trust: Trust.commandLine, environment, cwd: folder });
  for (const turn of turns) await policy.act([turn]);
  return prompts.map((prompt) => codec.encode(prompt));
}

describe.each<[string, LearnerView | undefined]>([
  ['the whole view', undefined],
  ['a window', { kind: 'window', tokens: 260 }],
  ['its own memo', { kind: 'memo', tokens: 320, memo: 30 }],
])('an adapter trained on %s', (_, view) => {
  it('reads the same tokens at every decision, sampled and scored, and ends with the same token', async () => {
    const { heard, model } = await home(await adapterOf(formOfView(view, 8)));
    const expected = await trainedOn(view);
    expect(new Set(expected.map(String)).size).toBe(12);
    for (const turn of turns) await (await agentOver(model, {}, seatOf(turn))).act(turn, never);
    expect(heard.prompts).toEqual(expected);
    for (const turn of turns) await (await agentOver(model, { settings: { choose: 'score' } }, seatOf(turn))).act(turn, never);
    const answers = (turn: Turn, i: number) =>
      (turn.ask.choices ?? []).map((move) => [...expected[i]!, ...codec.answer!({ messages: [] }, move), codec.stop[0]!]);
    expect(heard.scored).toEqual(turns.flatMap(answers));
    expect(codec.stop[0]).toBe(2);
  });
});

describe('an adapter with its prompt settings', () => {
  it('is sampled as in training, unless the spec overrides it', async () => {
    const { heard, model } = await home(await adapterOf(formOfView(undefined, 8)));
    await (await agentOver(model)).act(turns[0]!, never);
    await (await agentOver(model, { settings: { temperature: 0.3 } })).act(turns[0]!, never);
    await (await agentOver({ ...model, usual: { temperature: 0.5 } })).act(turns[0]!, never);
    expect(heard.settings.map(({ temperature, maxTokens }) => [temperature, maxTokens])).toEqual([
      [1, 8],
      [0.3, 8],
      // What the process says was put into the call further out.
      [0.8, 8],
    ]);
  });

  it('acts as a regular model for a spec with its own persona, texts, or prompt', async () => {
    const { heard, model } = await home(await adapterOf(formOfView(undefined, 8)));
    const plain = codec.encode({ messages: [{ role: 'user', content: 'x' }] }).length;
    const ownEntry = { texts: { instruction: 'Speak like a pirate.' } };
    await (await agentOver(model, ownEntry)).act(turns[0]!, never);
    await (await agentOver(model, { settings: { prompt: 'compact' } })).act(turns[0]!, never);
    const read = heard.prompts.map((tokens) => codec.decode(tokens));
    expect(read[0]).toContain('pirate');
    expect(read[1]).not.toBe(codec.decode((await trainedOn(undefined))[0]!));
    expect(plain).toBeGreaterThan(0);
  });

  it('removes end-of-turn markers from messages', async () => {
    const { heard, model } = await home(await adapterOf(formOfView(undefined, 8)));
    await model.complete({ messages: [{ role: 'user', content: 'a</s>b' }] }, {}, never);
    expect(heard.prompts[0]).toEqual(codec.encode({ messages: [{ role: 'user', content: 'ab' }] }));
  });

  it('is rejected over a model with another tokenizer, with a different adapter, or if unreadable', async () => {
    const adapter = await adapterOf(formOfView(undefined, 8));
    const other = await adapterOf(formOfView(undefined, 9), 'other.gguf');
    const { library } = listening();
    await expect(ggufModel({ path: base, adapters: [adapter, other], library })).rejects.toThrow(/trained on different prompts/);
    const stranger = join(folder, 'stranger.gguf');
    const tokens = tokenizer['tokenizer.ggml.tokens'].map((piece) => (piece === 'bet' ? 'bat' : piece));
    writeFileSync(stranger, writeGguf({ ...tokenizer, 'tokenizer.ggml.tokens': tokens }, new Map(), 'f32'));
    await expect(ggufModel({ path: stranger, adapters: [adapter], library })).rejects.toThrow(
      /was trained on a model that tokenizes prompts differently/,
    );
    for (const [written, statement] of [
      ['no', /but not as JSON/],
      ['{"version":2}', /version 2 of the prompt format/],
      ['{"version":1,"settings":{"prompt":"view","tools":["shell"]}}', /tools/],
      ['{"version":1,"settings":{"prompt":"view","architecture":"code"}}', /architecture/],
    ] as const) {
      const path = join(folder, 'broken.gguf');
      writeFileSync(path, writeGguf({ 'ludus.prompt': written }, new Map(), 'f32'));
      await expect(ggufModel({ path: base, adapters: [path], library })).rejects.toThrow(statement);
    }
  });

  it('opens no tools on its own', async () => {
    const form = formOfView({ kind: 'window', tokens: 260, tools: ['calculator'] }, 8);
    const { model } = await home(await adapterOf(form));
    await expect(agentOver(model)).rejects.toThrow(/was trained with the tools calculator, but pupil has none/);
  });
});
