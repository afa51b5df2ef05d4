/** @file A learner on a server from what a user says: an address, a model, and where its tokenizer is, if the server does not tell. */

import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { Fault, type JsonObject } from '../../core/index.ts';
import type { Codec } from '../../models/codec.ts';
import { readTokenizer, type TokenizerSettings, tokenizerFrom } from '../../models/tokenizer.ts';
import { TinkerClient, type TinkerClientOptions } from './http.ts';
import { Tinker, type TinkerOptions } from './learner.ts';

export interface TinkerSetup extends Omit<TinkerOptions, 'codec'>, TokenizerSettings {
  /** A folder with tokenizer.json, or a GGUF file; by default the model's own path, or what the server says. */
  readonly tokenizer?: string;
}

/** A learner whose tokenizer was found. `baseModel` may be the path of a folder or a GGUF file: then its name is its last part. */
export async function openTinker(setup: TinkerSetup): Promise<Tinker> {
  const { baseModel, tokenizer, template, ...options } = setup;
  const local = tokenizer ?? (existsSync(baseModel) ? baseModel : undefined);
  const settings = template === undefined ? {} : { template };
  const codec = local === undefined ? await readServerTokenizer(setup, settings) : await readTokenizer(local, settings);
  return new Tinker({ ...options, baseModel: existsSync(baseModel) ? parse(baseModel).name : baseModel, codec });
}

async function readServerTokenizer(
  options: TinkerClientOptions & { readonly baseModel: string },
  settings: TokenizerSettings,
): Promise<Codec> {
  const { baseModel } = options;
  const client = new TinkerClient(options);
  const never = new AbortController().signal;
  const { supported_models, extensions } = await client.call('get_server_capabilities', null, never);
  const names = (supported_models as readonly JsonObject[]).map((model) => model['model_name']);
  if (!names.includes(baseModel))
    throw new Fault('input', `${client.name} has no model "${baseModel}"; it has ${names.join(', ') || 'none'}.`);
  if (!Array.isArray(extensions) || !extensions.includes('tokenizer'))
    throw new Fault(
      'input',
      `${client.name} does not tell the tokenizer of ${baseModel}; name a folder with its tokenizer.json, or a GGUF file.`,
    );
  return tokenizerFrom(await client.call('tokenizer', null, never), settings);
}
