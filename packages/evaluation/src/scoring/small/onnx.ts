/**
 * @file Small models in ONNX files, run by the optional package `onnxruntime-node`, which is loaded only when one of these is used.
 *
 * A folder has `tokenizer.json` and an ONNX file, as they are published: all-MiniLM-L6-v2 for sentence vectors, or any BERT-like
 * cross-encoder for inference.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { loadOptionalPackage } from '@ludus-agents/agents/internal/runtimes/optional-package';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { softmax } from '@ludus-agents/kernel/internal/core/softmax';
import type { Embedder, Entailment, Nli } from './small.ts';
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

/** The package, where it is installed. */
export async function onnxRuntime(): Promise<OnnxRuntime> {
  const loaded = (await loadOptionalPackage('onnxruntime-node', 'ONNX models need')) as unknown as OnnxRuntime & {
    readonly default?: OnnxRuntime;
  };
  return loaded.default ?? loaded;
}

/** Sentence vectors: the mean of the token vectors, brought to length 1. */
export async function onnxEmbedder(options: OnnxOptions): Promise<Embedder> {
  const run = await loadRun(options);
  return {
    name: basename(options.folder),
    basis: 'model',
    // Where unrelated sentences and ones of the same matter lay in a few pairs under all-MiniLM-L6-v2; set by eye, other models may need other ends.
    likeness: [0.1, 0.6],
    embed: async (texts) => {
      const rows = await run(texts.map((text) => [text]));
      return rows.map(({ tensor, encoded }) => poolTokens(tensor, encoded.ids.length));
    },
  };
}

/** Inference by a cross-encoder; `labels` says what its outputs mean, in their order. */
export async function onnxNli(options: OnnxOptions & { readonly labels: readonly (keyof Entailment)[] }): Promise<Nli> {
  const run = await loadRun(options);
  return {
    name: basename(options.folder),
    basis: 'model',
    classify: async (pairs) => {
      const rows = await run(pairs.map(({ premise, hypothesis }) => [premise, hypothesis]));
      return rows.map(({ tensor }) => {
        const odds = softmax(Array.from(tensor.data).slice(0, options.labels.length));
        return Object.fromEntries(options.labels.map((label, i) => [label, odds[i]!])) as unknown as Entailment;
      });
    },
  };
}

/** What the outputs of a model mean, by the names in its config.json: models differ in their order. */
export async function readNliLabels(folder: string): Promise<readonly (keyof Entailment)[]> {
  const file = join(folder, 'config.json');
  let named: unknown;
  try {
    named = (JSON.parse(await readFile(file, 'utf8')) as { readonly id2label?: unknown }).id2label;
  } catch (thrown) {
    throw new Fault('input', `${file} must name the labels of the model as "id2label", but it cannot be read.`, { cause: thrown });
  }
  const labels = Object.entries((named ?? {}) as Readonly<Record<string, unknown>>)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, label]) => (typeof label === 'string' ? labelNames.find(([pattern]) => pattern.test(label))?.[1] : undefined));
  const found = labels.filter((label) => label !== undefined);
  if (found.length !== labels.length || new Set(found).size !== 3)
    throw new Fault(
      'input',
      `${file} must have the labels entailment, neutral and contradiction in "id2label", but has ${JSON.stringify(named ?? null)}.`,
    );
  return found;
}

const labelNames: readonly (readonly [RegExp, keyof Entailment])[] = [
  [/entail/i, 'entails'],
  [/neutral/i, 'neutral'],
  [/contradict/i, 'contradicts'],
];

type Run = (texts: readonly (readonly [string] | readonly [string, string])[]) => Promise<readonly { tensor: Tensor; encoded: Encoded }[]>;

async function loadRun({ folder, file = 'onnx/model_quantized.onnx', runtime }: OnnxOptions): Promise<Run> {
  const onnx = runtime ?? (await onnxRuntime());
  const tokenizer = wordPiece(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as Json);
  const session = await onnx.InferenceSession.create(join(folder, file), { intraOpNumThreads: 1 });
  // One text per call: a batch is padded, and a quantised model gives a sentence another vector next to a longer one.
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
