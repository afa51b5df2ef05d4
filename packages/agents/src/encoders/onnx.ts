/**
 * @file Small encoders in ONNX files, run by `onnxruntime-node`, which is loaded only when one of these is used.
 *
 * A folder has `tokenizer.json` and an ONNX file, as they are published: all-MiniLM-L6-v2 for sentence vectors, or any BERT-like
 * cross-encoder for inference.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { loadOptionalPackage } from '../runtimes/optional-package.ts';
import { calibrateEncoder, type Embedder } from './encoder.ts';
import { calibrationPairs } from './pairs.ts';
import { type Encoded, wordPiece } from './wordpiece.ts';

interface Tensor {
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, Tensor>>>;
}

/** The part of onnxruntime that is used. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(path: string, options?: object): Promise<Session> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown;
}

export interface OnnxOptions {
  readonly folder: string;
  /** The ONNX file within the folder. */
  readonly file?: string;
  readonly runtime?: OnnxRuntime;
}

/** The package, if installed. */
export async function onnxRuntime(): Promise<OnnxRuntime> {
  const loaded = (await loadOptionalPackage('onnxruntime-node', 'ONNX models need')) as unknown as OnnxRuntime & {
    readonly default?: OnnxRuntime;
  };
  return loaded.default ?? loaded;
}

/** Sentence vectors: the mean of the token vectors, scaled to length 1. The meaning of its similarities is measured on a few pairs of sentences. */
export async function onnxEmbedder(options: OnnxOptions & { readonly likeness?: Embedder['likeness'] }): Promise<Embedder> {
  const run = await loadOnnxModel(options);
  const embed: Embedder['embed'] = async (texts) => {
    const rows = await run(texts.map((text) => [text]));
    return rows.map(({ tensor, encoded }) => poolTokens(tensor, encoded.ids.length));
  };
  const likeness = options.likeness ?? (await calibrateEncoder({ embed }, calibrationPairs)).ends;
  return { name: basename(options.folder), basis: 'model', likeness, embed };
}

type Run = (texts: readonly (readonly [string] | readonly [string, string])[]) => Promise<readonly { tensor: Tensor; encoded: Encoded }[]>;

/** Loads a model; the result runs it on texts or pairs of texts. */
export async function loadOnnxModel({ folder, file = 'onnx/model_quantized.onnx', runtime }: OnnxOptions): Promise<Run> {
  const onnx = runtime ?? (await onnxRuntime());
  const tokenizer = wordPiece(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as Json);
  const session = await onnx.InferenceSession.create(join(folder, file), { intraOpNumThreads: 1 });
  // One text per call: a batch is padded, and a quantized model gives a sentence a different vector next to a longer one.
  return async (texts) => {
    const rows: { tensor: Tensor; encoded: Encoded }[] = [];
    for (const [first, second] of texts) {
      const encoded = tokenizer.encode(first, second);
      const feed = (values: readonly number[]) => new onnx.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
      const all: Readonly<Record<string, unknown>> = {
        input_ids: feed(encoded.ids),
        attention_mask: feed(encoded.ids.map(() => 1)),
        token_type_ids: feed(encoded.kinds),
      };
      const output = await session.run(Object.fromEntries(session.inputNames.map((name) => [name, all[name]])));
      rows.push({ tensor: output[session.outputNames[0]!]!, encoded });
    }
    return rows;
  };
}

function poolTokens({ data, dims }: Tensor, tokens: number): Float32Array {
  const width = dims.at(-1) as number;
  const vector = new Float32Array(width);
  for (let token = 0; token < tokens; token++) for (let i = 0; i < width; i++) vector[i] = vector[i]! + data[token * width + i]!;
  const norm = Math.hypot(...vector);
  return vector.map((x) => x / norm);
}
