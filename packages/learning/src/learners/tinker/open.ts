/** @file A learner on a server from what a user says: an address, a model, and where its tokenizer is, if the server does not tell. */

import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { TinkerClient } from '@ludus-agents/agents/internal/models/tinker/http';
import { lookAtServer } from '@ludus-agents/agents/internal/models/tinker/server-tokenizer';
import { readTokenizer, type TokenizerSettings } from '@ludus-agents/agents/internal/models/tokenizer';
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
  const codec =
    local === undefined
      ? (await lookAtServer(new TinkerClient(setup), baseModel, { settings })).codec
      : await readTokenizer(local, settings);
  return new Tinker({ ...options, baseModel: existsSync(baseModel) ? parse(baseModel).name : baseModel, codec });
}
