/** @file Runs graphs with onnxruntime-node: an optional package that is loaded when the first graph runs. */

import { loadOptionalPackage, optionalPackagePath } from '@ludus-agents/agents/internal/runtimes/optional-package';
import type { Graph } from './graph.ts';
import type { ElementType } from './onnx.ts';

export type Numbers = Float32Array | Int32Array | BigInt64Array;

/** A tensor of the runtime. */
export interface Held {
  readonly data: Numbers;
}

export interface Program {
  /** Returns the outputs named in `into`, written into the given tensors; without it, all outputs. */
  run(feeds: Readonly<Record<string, Held>>, into?: Readonly<Record<string, Held | null>>): Promise<Readonly<Record<string, Held>>>;
  release(): Promise<void>;
}

interface Library {
  readonly InferenceSession: { create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<Program> };
  readonly Tensor: new (type: ElementType, data: Numbers, shape: readonly number[]) => Held;
}

export interface Runtime {
  readonly threads: number;
  compile(graph: Graph): Promise<Program>;
  hold(data: Numbers, shape?: readonly number[]): Held;
}

/** Loads the runtime with this number of threads per graph. */
export async function runtime(threads = 1): Promise<Runtime> {
  const { InferenceSession, Tensor } = await library();
  const options = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
    // Measurements show that optimizing these graphs takes longer than it saves: there are many shapes with plain kernels.
    graphOptimizationLevel: 'disabled',
  };
  return {
    threads,
    compile: (graph) => InferenceSession.create(graph.bytes(), options),
    hold: (data, shape = [data.length]) => new Tensor(typeOf(data), data, shape),
  };
}

function typeOf(data: Numbers): ElementType {
  if (data instanceof Float32Array) return 'float32';
  return data instanceof Int32Array ? 'int32' : 'int64';
}

const packageName = 'onnxruntime-node';

/** Tests whether onnxruntime-node is installed, which trains models in this process. */
export function hasRuntime(): boolean {
  return optionalPackagePath(packageName) !== null;
}

async function library(): Promise<Library> {
  const loaded = (await loadOptionalPackage(packageName, 'The transformer learner needs')) as unknown as Library & {
    readonly default?: Library;
  };
  return loaded.default ?? loaded;
}
