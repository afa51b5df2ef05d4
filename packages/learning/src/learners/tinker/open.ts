/**
 * @file Opens a learner on a server from the user's settings: an address, a model, and the place of its tokenizer, if the server does not
 * report it.
 */

import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { TinkerClient } from '@ludus-agents/agents/internal/models/tinker/http';
import { lookAtServer } from '@ludus-agents/agents/internal/models/tinker/server-tokenizer';
import { readTokenizer, type TokenizerSettings } from '@ludus-agents/agents/internal/models/tokenizer';
import { Tinker, type TinkerOptions } from './learner.ts';

export interface TinkerSetup extends Omit<TinkerOptions, 'codec'>, TokenizerSettings {
  /** A folder with tokenizer.json, or a GGUF file; by default the model's own path, or the server's information. */
  readonly tokenizer?: string;
}

/**
 * A learner with its tokenizer loaded. `baseModel` may be the path of a folder or a GGUF file: the last part of the path is then its name.
 */
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
