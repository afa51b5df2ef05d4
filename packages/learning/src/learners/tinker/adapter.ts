/** @file Downloads an adapter: the weights of a checkpoint on a server, as PEFT's safetensors or as a GGUF file. */

import { TinkerClient, type TinkerClientOptions } from '@ludus-agents/agents/internal/models/tinker/http';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { ggufAdapterOf } from './adapter-gguf.ts';
import { weightsIn } from './checkpoint.ts';

/**
 * The bytes of a file in the format of its extension: .gguf for llama.cpp, .safetensors for PEFT, vLLM and others. `checkpoint` is the
 * result of `save`.
 */
export async function fetchAdapter(
  options: TinkerClientOptions,
  checkpoint: string,
  { file, signal }: { readonly file: string; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (!/\.(gguf|safetensors)$/.test(file))
    throw new Fault('input', `An adapter is written as .gguf or .safetensors, but "${file}" has another extension.`);
  const bytes = await new TinkerClient(options).bytes('adapter', { path: weightsIn(checkpoint) }, signal);
  return file.endsWith('.gguf') ? ggufAdapterOf(bytes) : bytes;
}
