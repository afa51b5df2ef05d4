/**
 * @file Small chat models that run on a laptop, from 0.4 to 4 billion weights: their location, license, and requirements. Sizes are
 * rounded. A name in this list can be used like a path, and `ludus models pull NAME` downloads the model.
 */

export interface CuratedModel {
  /** Its location on the hub: user/repository. */
  readonly repo: string;
  readonly file: string;
  readonly licence: string;
  /** Billions of weights. */
  readonly weights: number;
  /** Gigabytes of the file. */
  readonly size: number;
  /** The context size it was trained for, in tokens. */
  readonly context: number;
  readonly about: string;
}

const apache = 'Apache-2.0';

export const curatedModels: Readonly<Record<string, CuratedModel>> = {
  'smollm2-360m': {
    repo: 'HuggingFaceTB/SmolLM2-360M-Instruct-GGUF',
    file: 'smollm2-360m-instruct-q8_0.gguf',
    licence: apache,
    weights: 0.36,
    size: 0.39,
    context: 8192,
    about: 'the smallest that still answers',
  },
  'qwen2.5-0.5b': {
    repo: 'Qwen/Qwen2.5-0.5B-Instruct-GGUF',
    file: 'qwen2.5-0.5b-instruct-q4_k_m.gguf',
    licence: apache,
    weights: 0.5,
    size: 0.49,
    context: 32_768,
    about: 'quick, and does not think first',
  },
  'qwen3-0.6b': {
    repo: 'Qwen/Qwen3-0.6B-GGUF',
    file: 'Qwen3-0.6B-Q8_0.gguf',
    licence: apache,
    weights: 0.6,
    size: 0.64,
    context: 40_960,
    about: 'the default; thinks first',
  },
  'qwen2.5-1.5b': {
    repo: 'Qwen/Qwen2.5-1.5B-Instruct-GGUF',
    file: 'qwen2.5-1.5b-instruct-q4_k_m.gguf',
    licence: apache,
    weights: 1.5,
    size: 1.12,
    context: 32_768,
    about: 'does not think first',
  },
  'qwen3-1.7b': {
    repo: 'Qwen/Qwen3-1.7B-GGUF',
    file: 'Qwen3-1.7B-Q8_0.gguf',
    licence: apache,
    weights: 1.7,
    size: 1.83,
    context: 40_960,
    about: 'thinks first',
  },
  'smollm2-1.7b': {
    repo: 'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    file: 'smollm2-1.7b-instruct-q4_k_m.gguf',
    licence: apache,
    weights: 1.7,
    size: 1.06,
    context: 8192,
    about: 'plain English',
  },
  'qwen3-4b': {
    repo: 'Qwen/Qwen3-4B-GGUF',
    file: 'Qwen3-4B-Q4_K_M.gguf',
    licence: apache,
    weights: 4,
    size: 2.5,
    context: 40_960,
    about: 'the best of these; thinks first',
  },
};

/** Gigabytes of memory that a model needs: its file, its cache at the default context size, and the program. */
export function memoryOf({ size, weights }: CuratedModel): number {
  return Math.ceil(10 * (size + 0.15 * weights + 0.4)) / 10;
}
