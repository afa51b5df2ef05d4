/** @file A Tinker server's facts about one of its models: the context size, and the tokenizer if the server provides it. */

import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { Codec } from '../codec.ts';
import { readTokenizer, type TokenizerSettings, tokenizerFrom } from '../tokenizer.ts';
import type { TinkerClient } from './http.ts';

export interface ServerModel {
  readonly codec: Codec;
  /** The named model; by default the server's first. */
  readonly base: string;
  readonly context: number | undefined;
}

/** For servers that do not provide it: `codec` is a tokenizer, or `local` a folder with tokenizer.json or a GGUF file. */
export async function lookAtServer(
  client: TinkerClient,
  base: string | undefined,
  {
    codec,
    local,
    settings = {},
  }: { readonly codec?: Codec | undefined; readonly local?: string | undefined; readonly settings?: TokenizerSettings } = {},
): Promise<ServerModel> {
  const never = new AbortController().signal;
  const { supported_models, extensions } = await client.call('get_server_capabilities', null, never);
  const models = supported_models as readonly JsonObject[];
  const names = models.map((model) => model['model_name']).filter((name) => typeof name === 'string');
  const meant = base ?? names[0];
  if (meant === undefined || !names.includes(meant))
    throw new Fault('input', `${client.name} has no model "${meant ?? ''}". Available: ${names.join(', ') || 'none'}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const context = models.find((model) => model['model_name'] === meant)?.['max_context_length'];
  const size = typeof context === 'number' ? context : undefined;
  if (codec !== undefined) return { codec, base: meant, context: size };
  if (local !== undefined) return { codec: await readTokenizer(local, settings), base: meant, context: size };
  if (!Array.isArray(extensions) || !extensions.includes('tokenizer'))
    throw new Fault(
      'input',
      `${client.name} does not say which tokenizer ${meant} uses. Pass a folder with its tokenizer.json, or a GGUF file.`,
    );
  return { codec: await tokenizerFrom(await client.call('tokenizer', null, never), settings), base: meant, context: size };
}
