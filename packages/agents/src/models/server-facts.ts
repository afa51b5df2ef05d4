/**
 * @file Facts that a server reports: its software and its context size. Costs no model call.
 *
 * Context means the size in effect, not the one a model was trained for: LM Studio and Ollama load much less than that, and Ollama silently
 * drops the oldest messages of a longer prompt.
 */

import { fieldsOf, listOf } from './openai.wire.ts';

export type Software = 'openai' | 'ollama' | 'lmstudio' | 'llama.cpp' | 'vllm' | 'sglang' | 'mlx';

export interface ServerFacts {
  readonly software?: Software | undefined;
  readonly context?: number | undefined;
  /** The number of prompts that it caches at once, if it reports it. */
  readonly slots?: number | undefined;
}

/** Queries a server: returns the JSON at an address, or undefined if there is none. With a body it is a POST. */
export type ServerLook = (url: string, body?: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** The context that Ollama loads by default if the graphics card is small. */
const ollamaUsual = 4096;
/** The default of OLLAMA_NUM_PARALLEL. Ollama doesn't report it, and queues further calls in order. */
const ollamaSlots = 1;

const owners: Readonly<Record<string, Software>> = {
  vllm: 'vllm',
  sglang: 'sglang',
  llamacpp: 'llama.cpp',
  library: 'ollama',
  organization_owner: 'lmstudio',
};

export async function lookAt(base: string, model: string, look: ServerLook, knownSoftware?: Software): Promise<ServerFacts> {
  const origin = new URL(base).origin;
  const entries = listOf(fieldsOf(await look(`${base}/models`))['data']).map(fieldsOf);
  const entry = entries.find(({ id }) => id === model) ?? (entries.length === 1 ? entries[0] : undefined) ?? {};
  const software = knownSoftware ?? (Object.hasOwn(owners, String(entry['owned_by'])) ? owners[String(entry['owned_by'])] : undefined);
  const contextSize = size(entry['max_model_len']) ?? size(entry['context_length']);
  if (contextSize !== undefined) return { software, context: contextSize };
  // Unknown servers on the network are not probed; those on this machine are.
  const softwares: readonly Software[] = software === undefined ? (isNear(origin) ? ['llama.cpp', 'ollama', 'lmstudio'] : []) : [software];
  for (const otherSoftware of softwares) {
    const match = await looks[otherSoftware]?.(origin, model, look);
    if (match?.context !== undefined) return { software: otherSoftware, ...match };
  }
  return { software };
}

const looks: Readonly<
  Partial<Record<Software, (origin: string, model: string, look: ServerLook) => Promise<Omit<ServerFacts, 'software'>>>>
> = {
  async 'llama.cpp'(origin, _, look) {
    const props = fieldsOf(await look(`${origin}/props`));
    return { context: size(fieldsOf(props['default_generation_settings'])['n_ctx']), slots: slotCount(props['total_slots']) };
  },

  async ollama(origin, model, look) {
    const running = listOf(fieldsOf(await look(`${origin}/api/ps`))['models']).map(fieldsOf);
    const loaded = size(running.find(({ name, model: also }) => name === model || also === model)?.['context_length']);
    if (loaded !== undefined) return { context: loaded, slots: ollamaSlots };
    const info = fieldsOf(fieldsOf(await look(`${origin}/api/show`, { model }))['model_info']);
    const trained = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
    return size(trained) === undefined ? {} : { context: Math.min(size(trained) as number, ollamaUsual), slots: ollamaSlots };
  },

  async lmstudio(origin, model, look) {
    const { models } = fieldsOf(await look(`${origin}/api/v1/models`));
    const entry = listOf(models)
      .map(fieldsOf)
      .find(({ key, id }) => key === model || id === model);
    const loaded = fieldsOf(listOf(entry?.['loaded_instances'])[0]);
    return { context: size(fieldsOf(loaded['config'])['context_length']) ?? size(entry?.['max_context_length']) };
  },
};

function isNear(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function slotCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 1024 ? (value as number) : undefined;
}

/** Context sizes below 64 tokens or above a billion are invalid. */
function size(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 64 && (value as number) <= 1e9 ? (value as number) : undefined;
}
