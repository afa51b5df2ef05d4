/** @file The sentence encoder of this machine: installed by "ludus models setup minilm", or the folder named by LUDUS_ENCODER. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { RecallEncoder } from '../mind/relevance.ts';
import type { EnvVars } from '../models/local.ts';
import { runtimeFolder, runtimes } from '../runtimes/runtimes.ts';
import type { Embedder } from './encoder.ts';
import { onnxEmbedder } from './onnx.ts';

/** The result of `calibrateEncoder` for the installed model on our pairs, stored here to save time. */
const minilm = { name: 'all-MiniLM-L6-v2 (8-bit)', likeness: [0.052, 0.484] as const };

/** The most vectors cached in memory: the same sentences are compared turn after turn. */
const mostVectors = 5000;

const loaded = new Map<string, Promise<Embedder>>();

/** The available encoder, without loading it; null if there is none. */
export function findEncoder(env: EnvVars = process.env): { readonly name: string; readonly folder: string } | null {
  const named = env['LUDUS_ENCODER'] ?? '';
  if (named === 'off') return null;
  if (named !== '') {
    if (!existsSync(join(named, 'tokenizer.json')))
      throw new Fault('input', `LUDUS_ENCODER: ${named} has no tokenizer.json. Set it to the folder of an ONNX encoder, or to "off".`, {
        code: 'E_ENCODER_FOLDER',
        details: { folder: named },
      });
    return { name: named, folder: named };
  }
  const folder = join(runtimeFolder(env), 'node_modules', runtimes['minilm']!.package, 'model');
  return existsSync(join(folder, 'tokenizer.json')) ? { name: minilm.name, folder } : null;
}

/** The encoder of this machine for agents, searches, and scorers, loaded on first use; undefined if there is none. */
export function recallEncoder(env: EnvVars = process.env): RecallEncoder | undefined {
  const place = findEncoder(env);
  if (place === null) return undefined;
  const load = async () => (await installedEncoder(env)) as Embedder;
  return {
    name: place.name,
    embed: async (texts) => (await load()).embed(texts),
    calibration: async () => (await load()).likeness,
  };
}

/** The encoder of this machine, loaded once; null if there is none. */
export async function installedEncoder(env: EnvVars = process.env): Promise<Embedder | null> {
  const place = findEncoder(env);
  if (place === null) return null;
  const loading = loaded.get(place.folder) ?? load(place);
  loaded.set(place.folder, loading);
  // A missing runtime may be installed before the next call.
  loading.catch(() => loaded.delete(place.folder));
  return loading;
}

async function load({ name, folder }: { readonly name: string; readonly folder: string }): Promise<Embedder> {
  const plain = await onnxEmbedder(name === minilm.name ? { folder, likeness: minilm.likeness } : { folder });
  return { ...plain, name, embed: rememberVectors(plain.embed) };
}

/** Encodes each text once. One request at a time, so that episodes that ask for the same texts at once share the work. */
export function rememberVectors(embed: Embedder['embed']): Embedder['embed'] {
  const vectors = new Map<string, Float32Array>();
  let queue: Promise<unknown> = Promise.resolve();
  return (texts) => {
    const result = queue.then(() => encode(texts));
    queue = result.catch(() => undefined);
    return result;
  };

  async function encode(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const missing = [...new Set(texts.filter((text) => !vectors.has(text)))];
    const fresh = new Map((missing.length === 0 ? [] : await embed(missing)).map((vector, i) => [missing[i] ?? '', vector]));
    const result = texts.map((text) => fresh.get(text) ?? vectors.get(text)!);
    for (const [text, vector] of fresh) vectors.set(text, vector);
    for (const text of vectors.keys()) {
      if (vectors.size <= mostVectors) break;
      vectors.delete(text);
    }
    return result;
  }
}
