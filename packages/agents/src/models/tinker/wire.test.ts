import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { type CallName, calls, problemOf, type TinkerEndpoint, type WireShape } from './wire.ts';

const input = { chunks: [{ type: 'encoded_text', tokens: [1, 2] }] };
const tensor = (data: readonly number[], dtype: string) => ({ data, dtype, shape: [data.length] });
const lossInput = {
  loss_fn: 'importance_sampling',
  loss_fn_config: null,
  data: [
    {
      model_input: input,
      loss_fn_inputs: {
        target_tokens: tensor([2, 3], 'int64'),
        logprobs: tensor([0, -1], 'float32'),
        advantages: tensor([0, 1], 'float32'),
      },
    },
  ],
};
const promise = { future_id: '13', status: 'pending', request_id: '13' };
const lossOutput = {
  loss_fn_output_type: 'scalar',
  loss_fn_outputs: [{ logprobs: tensor([-1], 'float32') }],
  metrics: { 'loss:sum': 1.5 },
};

/** One exchange of each kind, as published clients and servers write it: request, answer, result. */
const exchanges: Readonly<
  Record<Exclude<CallName, 'healthz' | 'get_server_capabilities' | 'tokenizer' | 'retrieve_future'>, readonly JsonObject[]>
> = {
  create_session: [
    { tags: [], user_metadata: {}, sdk_version: '0.25.0', project_id: null, type: 'create_session' },
    { type: 'create_session', info_message: null, warning_message: null, error_message: null, session_id: 'session_ab12cd34' },
  ],
  session_heartbeat: [{ session_id: 'session_ab12cd34', type: 'session_heartbeat' }, { type: 'session_heartbeat' }],
  create_model: [
    {
      session_id: 'session_ab12cd34',
      model_seq_id: 0,
      base_model: 'Qwen/Qwen3-4B',
      user_metadata: null,
      lora_config: { rank: 32, seed: null, train_unembed: true, train_mlp: true, train_attn: true },
      type: 'create_model',
    },
    { model_id: 'model_1', base_model: 'Qwen/Qwen3-4B', lora_config: { rank: 32, seed: null }, status: 'created', request_id: '12' },
    { model_id: 'model_1', type: 'create_model' },
  ],
  refer: [{ model_id: 'model_1', seq_id: 3, share: 0.5 }, { request_id: '15', model_id: 'model_1' }, { type: 'refer' }],
  mean: [{ model_id: 'model_1', seq_id: 4, settle: true }, { request_id: '16', model_id: 'model_1' }, { type: 'mean' }],
  unload_model: [
    { model_id: 'model_1', type: 'unload_model' },
    { request_id: '14', model_id: 'model_1' },
    { model_id: 'model_1', type: 'unload_model' },
  ],
  forward: [{ model_id: 'model_1', seq_id: 3, forward_input: lossInput }, promise, lossOutput],
  forward_backward: [{ model_id: 'model_1', seq_id: 4, forward_backward_input: lossInput }, promise, lossOutput],
  optim_step: [
    {
      model_id: 'model_1',
      seq_id: 5,
      adam_params: { learning_rate: 1e-4, beta1: 0.9, beta2: 0.95, eps: 1e-12, weight_decay: 0, grad_clip_norm: 0 },
      type: 'optim_step',
    },
    promise,
    { metrics: null },
  ],
  save_weights: [
    { model_id: 'model_1', seq_id: 6, path: 'ckpt', ttl_seconds: null, overwrite: false, type: 'save_weights' },
    promise,
    { path: 'tinker://model_1/weights/ckpt', type: 'save_weights' },
  ],
  load_weights: [
    { model_id: 'model_2', seq_id: 1, path: 'tinker://model_1/weights/ckpt', optimizer: true, type: 'load_weights' },
    promise,
    { type: 'load_weights' },
  ],
  save_weights_for_sampler: [
    { model_id: 'model_1', seq_id: 7, path: null, sampling_session_seq_id: 1, ttl_seconds: null, type: 'save_weights_for_sampler' },
    promise,
    { path: null, sampling_session_id: 'sampling_1', type: 'save_weights_for_sampler' },
  ],
  create_sampling_session: [
    {
      session_id: 'session_ab12cd34',
      sampling_session_seq_id: 2,
      base_model: 'Qwen/Qwen3-4B',
      model_path: null,
      type: 'create_sampling_session',
    },
    { type: 'create_sampling_session', sampling_session_id: 'sampling_2' },
  ],
  asample: [
    {
      num_samples: 8,
      prompt: input,
      sampling_params: { max_tokens: 256, seed: 1, stop: null, temperature: 1, top_k: -1, top_p: 1 },
      base_model: null,
      model_path: null,
      sampling_session_id: 'sampling_1',
      seq_id: 3,
      prompt_logprobs: null,
      topk_prompt_logprobs: 0,
      type: 'sample',
    },
    promise,
    { sequences: [{ stop_reason: 'length', tokens: [5, 6], logprobs: [-0.5, -0.25] }], prompt_logprobs: [null, -2] },
  ],
};

const sides = Object.entries(exchanges).flatMap(([name, values]) => {
  const { request, answer, result } = calls[name as CallName] as TinkerEndpoint;
  return [request, answer, result].flatMap((shape, i) => (shape ? [[`${name} ${i}`, shape, values[i]!] as const] : []));
});

/** A shape's fields that must be there, as paths into the value. */
function required(shape: WireShape, value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof shape === 'string' || 'maybe' in shape || 'is' in shape || 'oneOf' in shape) return [];
  if ('list' in shape)
    return (value as readonly Json[]).length === 0 ? [] : required(shape.list, (value as readonly Json[])[0]!, [...path, '0']);
  if ('map' in shape) return Object.entries(value as JsonObject).flatMap(([key, item]) => required(shape.map, item, [...path, key]));
  return Object.entries(shape.fields).flatMap(([key, wireShape]) =>
    typeof wireShape === 'object' && 'maybe' in wireShape
      ? []
      : [[...path, key], ...required(wireShape, (value as JsonObject)[key]!, [...path, key])],
  );
}

/** A copy in which one place is something else. */
function changed(value: Json, [key, ...rest]: readonly string[], to: Json | undefined): Json {
  const copy: Record<string, Json> | Json[] = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
  const at = copy as Record<string, Json>;
  if (rest.length > 0) at[key as string] = changed(at[key as string]!, rest, to);
  else if (to === undefined) delete at[key as string];
  else at[key as string] = to;
  return copy;
}

describe('Tinker protocol shapes', () => {
  it('cover every call once', () => {
    expect(Object.keys(exchanges).sort()).toEqual(
      Object.keys(calls)
        .filter((name) => !/healthz|capabilities|tokenizer|retrieve/.test(name))
        .sort(),
    );
    for (const [name, values] of Object.entries(exchanges))
      expect(values.length, name).toBe((calls[name as CallName] as TinkerEndpoint).result ? 3 : 2);
  });

  it.each(sides)('%s matches the published format', (_, shape, value) => {
    expect(problemOf(shape, value)).toBeNull();
  });

  it.each(sides)('%s: reports each required field that is missing or has the wrong type', (_, shape, value) => {
    for (const path of required(shape, value)) {
      expect(problemOf(shape, changed(value, path, undefined)), path.join('.')).not.toBeNull();
      expect(problemOf(shape, changed(value, path, { odd: { odd: true } })), path.join('.')).not.toBeNull();
    }
  });

  it('reject unknown fields in requests and allow them in answers', () => {
    for (const [name, shape, value] of sides) expect(problemOf(shape, { ...value, more: 1 }) === null, name).toBe(!name.endsWith(' 0'));
  });

  it('report the place of a problem', () => {
    const odd = changed(exchanges.asample[0]!, ['prompt', 'chunks', '0', 'tokens', '1'], 1.5);
    expect(problemOf(calls.asample.request, odd)).toBe('$.prompt.chunks[0].tokens[1] must be whole, but got 1.5');
  });
});
