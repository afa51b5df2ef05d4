/**
 * @file The Tinker API as data: the request of each call, its immediate response, and the result of its future.
 *
 * Based on the types that Thinking Machines publish with their Python client and those of SkyRL's server. Requests are strict, because the
 * published ones reject unknown fields; responses may have additional fields. `problemOf` checks both.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';

export type WireShape =
  | 'text'
  | 'whole'
  | 'number'
  | 'boolean'
  | 'any'
  | { readonly is: readonly string[] }
  | { readonly list: WireShape }
  | { readonly map: WireShape }
  /** May be omitted or null. */
  | { readonly maybe: WireShape }
  | { readonly oneOf: readonly WireShape[] }
  | { readonly fields: Readonly<Record<string, WireShape>>; readonly strict?: boolean };

export interface TinkerEndpoint {
  readonly request: WireShape | null;
  /** The immediate response. */
  readonly answer: WireShape;
  /** The final result of `retrieve_future`, if the response is only a promise. */
  readonly result?: WireShape;
}

const maybe = (shape: WireShape): WireShape => ({ maybe: shape });
const sentShape = (fields: Readonly<Record<string, WireShape>>): WireShape => ({ fields, strict: true });
const got = (fields: Readonly<Record<string, WireShape>>): WireShape => ({ fields });
const tagShape = (type: string): WireShape => maybe({ is: [type] });

const tensor = sentShape({
  data: { list: 'number' },
  dtype: { is: ['int64', 'float32'] },
  shape: maybe({ list: 'whole' }),
  sparse_crow_indices: maybe({ list: 'whole' }),
  sparse_col_indices: maybe({ list: 'whole' }),
});
const modelInput = sentShape({ chunks: { list: sentShape({ type: { is: ['encoded_text'] }, tokens: { list: 'whole' } }) } });
const lossInput = sentShape({
  loss_fn: { is: ['cross_entropy', 'importance_sampling', 'ppo', 'cispo', 'dro'] },
  loss_fn_config: maybe({ map: 'number' }),
  // `first` is an extension: the number of targets omitted at the beginning.
  data: { list: sentShape({ model_input: modelInput, first: maybe('whole'), loss_fn_inputs: { map: tensor } }) },
});
const lossOutput = got({
  loss_fn_output_type: 'text',
  loss_fn_outputs: { list: { map: got({ data: { list: 'number' }, dtype: maybe('text'), shape: maybe({ list: 'whole' }) }) } },
  metrics: { map: 'number' },
});
/** Contains the result if the caller prefers to wait and the server supports it. */
const promise = got({ request_id: 'text', model_id: maybe('text'), result: maybe('any') });

const samplingParams = sentShape({
  max_tokens: maybe('whole'),
  seed: maybe('whole'),
  stop: maybe({ oneOf: ['text', { list: 'text' }, { list: 'whole' }] }),
  temperature: maybe('number'),
  top_k: maybe('whole'),
  top_p: maybe('number'),
});

/** Every call that Ludus makes, by the last part of its path. Calls without a request are GETs. */
export const calls = {
  healthz: { request: null, answer: got({ status: { is: ['ok'] } }) },
  get_server_capabilities: {
    request: null,
    answer: got({
      supported_models: { list: got({ model_name: maybe('text'), max_context_length: maybe('whole') }) },
      // The server's extensions of the published calls; ours are kl, refer, mean, reference, prompts, first, tokenizer, adapter.
      extensions: maybe({ list: 'text' }),
    }),
  },
  /** An extension: the tokenizer and chat template of the server's model. */
  tokenizer: { request: null, answer: got({ tokenizer: maybe('any'), config: maybe('any'), gguf: maybe('any') }) },
  create_session: {
    request: sentShape({
      tags: { list: 'text' },
      user_metadata: maybe({ map: 'any' }),
      sdk_version: 'text',
      project_id: maybe('text'),
      type: tagShape('create_session'),
    }),
    answer: got({ session_id: 'text', info_message: maybe('text'), warning_message: maybe('text'), error_message: maybe('text') }),
  },
  session_heartbeat: { request: sentShape({ session_id: 'text', type: tagShape('session_heartbeat') }), answer: got({}) },
  create_model: {
    request: sentShape({
      session_id: 'text',
      model_seq_id: 'whole',
      base_model: 'text',
      user_metadata: maybe({ map: 'any' }),
      lora_config: maybe(
        sentShape({
          rank: 'whole',
          seed: maybe('whole'),
          train_unembed: maybe('boolean'),
          train_mlp: maybe('boolean'),
          train_attn: maybe('boolean'),
        }),
      ),
      type: tagShape('create_model'),
    }),
    answer: promise,
    result: got({ model_id: 'text' }),
  },
  unload_model: { request: sentShape({ model_id: 'text', type: tagShape('unload_model') }), answer: promise, result: got({}) },
  forward: {
    request: sentShape({ model_id: 'text', seq_id: maybe('whole'), forward_input: lossInput }),
    answer: promise,
    result: lossOutput,
  },
  forward_backward: {
    request: sentShape({ model_id: 'text', seq_id: maybe('whole'), forward_backward_input: lossInput }),
    answer: promise,
    result: lossOutput,
  },
  optim_step: {
    request: sentShape({
      model_id: 'text',
      seq_id: maybe('whole'),
      adam_params: sentShape({
        learning_rate: 'number',
        beta1: maybe('number'),
        beta2: maybe('number'),
        eps: maybe('number'),
        weight_decay: maybe('number'),
        grad_clip_norm: maybe('number'),
      }),
      type: tagShape('optim_step'),
    }),
    answer: promise,
    result: got({ metrics: maybe({ map: 'number' }) }),
  },
  /** An extension: moves the reference by a share toward the current weights. */
  refer: { request: sentShape({ model_id: 'text', seq_id: maybe('whole'), share: 'number' }), answer: promise, result: got({}) },
  /** An extension: adds the weights to their mean, or replaces the weights by the mean. */
  mean: { request: sentShape({ model_id: 'text', seq_id: maybe('whole'), settle: 'boolean' }), answer: promise, result: got({}) },
  save_weights: {
    request: sentShape({
      model_id: 'text',
      seq_id: maybe('whole'),
      path: maybe('text'),
      ttl_seconds: maybe('whole'),
      overwrite: maybe('boolean'),
      type: tagShape('save_weights'),
    }),
    answer: promise,
    result: got({ path: 'text' }),
  },
  load_weights: {
    request: sentShape({
      model_id: maybe('text'),
      seq_id: maybe('whole'),
      path: 'text',
      optimizer: 'boolean',
      type: tagShape('load_weights'),
    }),
    answer: promise,
    result: got({ path: maybe('text'), model_id: maybe('text') }),
  },
  save_weights_for_sampler: {
    request: sentShape({
      model_id: 'text',
      seq_id: maybe('whole'),
      path: maybe('text'),
      sampling_session_seq_id: maybe('whole'),
      ttl_seconds: maybe('whole'),
      type: tagShape('save_weights_for_sampler'),
    }),
    answer: promise,
    result: got({ path: maybe('text'), sampling_session_id: maybe('text') }),
  },
  create_sampling_session: {
    request: sentShape({
      session_id: 'text',
      sampling_session_seq_id: 'whole',
      base_model: maybe('text'),
      model_path: maybe('text'),
      type: tagShape('create_sampling_session'),
    }),
    answer: got({ sampling_session_id: 'text' }),
  },
  asample: {
    request: sentShape({
      num_samples: maybe('whole'),
      prompt: maybe(modelInput),
      sampling_params: maybe(samplingParams),
      // An extension of the fields above: many prompts at once, with sequences in the order of the prompts.
      prompts: maybe({ list: sentShape({ num_samples: 'whole', prompt: modelInput, sampling_params: samplingParams }) }),
      base_model: maybe('text'),
      model_path: maybe('text'),
      sampling_session_id: maybe('text'),
      seq_id: maybe('whole'),
      prompt_logprobs: maybe('boolean'),
      topk_prompt_logprobs: maybe('whole'),
      type: tagShape('sample'),
    }),
    answer: promise,
    result: got({
      sequences: { list: got({ stop_reason: { is: ['stop', 'length'] }, tokens: { list: 'whole' }, logprobs: maybe({ list: 'number' }) }) },
      prompt_logprobs: maybe({ list: maybe('number') }),
    }),
  },
  retrieve_future: { request: sentShape({ request_id: 'text', allow_metadata_only: maybe('boolean') }), answer: 'any' },
} as const satisfies Readonly<Record<string, TinkerEndpoint>>;

export type CallName = keyof typeof calls;

/** Returned instead of a result: try again, or failed, each with a reason. */
export const tryAgain = got({ type: { is: ['try_again'] }, queue_state: 'text' });
export const failed = got({ error: 'text', category: maybe('text') });

/** The first place where a value does not fit its shape; null if it fits. */
export function problemOf(shape: WireShape, value: Json | undefined, at = '$'): string | null {
  if (typeof shape === 'string') return scalar(shape, value) ? null : `${at} must be ${shape}, but got ${clip(value)}`;
  if ('maybe' in shape) return value === undefined || value === null ? null : problemOf(shape.maybe, value, at);
  if ('is' in shape)
    return shape.is.includes(value as string) ? null : `${at} must be one of ${shape.is.join(', ')}, but got ${clip(value)}`;
  if ('oneOf' in shape)
    return shape.oneOf.some((wireShape) => problemOf(wireShape, value, at) === null) ? null : `${at} fits none of its shapes`;
  if ('list' in shape) {
    if (!Array.isArray(value)) return `${at} must be a list, but got ${clip(value)}`;
    const { list } = shape;
    const items = value as readonly Json[];
    // Lists of numbers are long, so the invalid item is located only if there is one.
    if ((list === 'whole' && areWhole(items)) || (list === 'number' && areNumbers(items))) return null;
    return first(items.keys(), (i) => problemOf(list, items[i], `${at}[${i}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${at} must be an object, but got ${clip(value)}`;
  const object = value as JsonObject;
  if ('map' in shape) return first(Object.keys(object), (key) => problemOf(shape.map, object[key], `${at}.${key}`));
  const stranger = shape.strict === true ? Object.keys(object).find((key) => !Object.hasOwn(shape.fields, key)) : undefined;
  if (stranger !== undefined) return `${at} has no field "${stranger}"`;
  return first(Object.keys(shape.fields), (key) => problemOf(shape.fields[key]!, object[key], `${at}.${key}`));
}

function first<T>(keys: Iterable<T>, look: (key: T) => string | null): string | null {
  for (const key of keys) {
    const match = look(key);
    if (match !== null) return match;
  }
  return null;
}

function scalar(shape: 'text' | 'whole' | 'number' | 'boolean' | 'any', value: Json | undefined): boolean {
  if (shape === 'text') return typeof value === 'string';
  if (shape === 'whole') return Number.isSafeInteger(value);
  if (shape === 'number') return typeof value === 'number';
  if (shape === 'boolean') return typeof value === 'boolean';
  return value !== undefined;
}

function areWhole(items: readonly Json[]): boolean {
  for (let i = 0; i < items.length; i++) if (!Number.isSafeInteger(items[i])) return false;
  return true;
}

function areNumbers(items: readonly Json[]): boolean {
  for (let i = 0; i < items.length; i++) if (typeof items[i] !== 'number') return false;
  return true;
}

function clip(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
