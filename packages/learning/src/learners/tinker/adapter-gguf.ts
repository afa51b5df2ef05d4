/** @file Converts low-rank weights in PEFT's naming to a GGUF adapter, which llama.cpp and tools based on it load over the base model. */

import { promptKey } from '@ludus-agents/agents/internal/models/trained-prompts';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { readSafetensors, type TensorFile } from '../transformer/safetensors.ts';

const names: Readonly<Record<string, string>> = {
  q_proj: 'attn_q',
  k_proj: 'attn_k',
  v_proj: 'attn_v',
  o_proj: 'attn_output',
  gate_proj: 'ffn_gate',
  up_proj: 'ffn_up',
  down_proj: 'ffn_down',
};

/** Model families by their GGUF names. */
const architectures: Readonly<Record<string, string>> = { llama: 'llama', mistral: 'llama', qwen2: 'qwen2', qwen3: 'qwen3' };

const alignment = 32;

/** Reads the bytes of adapter_model.safetensors, whose metadata contain the base model's family and heads. */
export function ggufAdapterOf(safetensors: Uint8Array): Uint8Array {
  const { tensors, metadata } = readSafetensors(safetensors);
  const architecture = architectures[metadata['family'] ?? ''];
  const [heads, kvHeads, alpha] = ['heads', 'kv_heads', 'alpha'].map((name) => Number(metadata[name]));
  if (architecture === undefined || ![heads, kvHeads, alpha].every((value) => (value as number) > 0))
    throw new Fault('input', 'The adapter does not name the family of its base model. Save it with the training server ludus-gpu.');
  const parts = Object.entries(tensors).map(([name, tensor]) => {
    const [, layer, part, half] = name.match(linear(/^base_model\.model\.model\.layers\.(\d+)\.\w+\.(\w+)\.lora_([AB])\.weight$/)) ?? [];
    const ownName = names[part ?? ''];
    if (ownName === undefined)
      throw new Fault('input', `The adapter contains "${name}", which GGUF cannot represent. Train linear layers only.`);
    const headCount = part === 'q_proj' ? heads : part === 'k_proj' ? kvHeads : undefined;
    const paired = architecture === 'llama' && half === 'B' && headCount !== undefined;
    return {
      name: `blk.${layer}.${ownName}.weight.lora_${half === 'A' ? 'a' : 'b'}`,
      tensor: paired ? pairedRows(tensor, headCount) : tensor,
    };
  });
  return writeGguf({ architecture, alpha: alpha as number, form: metadata['ludus'] }, parts);
}

/** llama.cpp interleaves the two halves of query and key rows: 0 4 1 5 2 6 3 7. */
export function pairedRows({ shape, data }: TensorFile, heads: number): TensorFile {
  const [rows = 0, columns = 0] = shape;
  const size = rows / heads;
  const out = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    const [head, at] = [Math.floor(row / size), row % size];
    const from = head * size + (at % 2) * (size / 2) + Math.floor(at / 2);
    out.set(data.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return { shape, data: out };
}

interface Part {
  readonly name: string;
  readonly tensor: TensorFile;
}

interface AdapterFacts {
  readonly architecture: string;
  readonly alpha: number;
  /** The prompt form used in training, if known. */
  readonly form: string | undefined;
}

function writeGguf({ architecture, alpha, form }: AdapterFacts, parts: readonly Part[]): Uint8Array {
  const facts = [
    [...text('general.type'), u32(8), ...text('adapter')],
    [...text('general.architecture'), u32(8), ...text(architecture)],
    [...text('adapter.type'), u32(8), ...text('lora')],
    [...text('adapter.lora.alpha'), u32(6), f32(alpha)],
    ...(form === undefined ? [] : [[...text(promptKey), u32(8), ...text(form)]]),
  ];
  let at = 0;
  const places = parts.map(({ name, tensor }) => {
    const place = at;
    at += Math.ceil(tensor.data.byteLength / alignment) * alignment;
    // GGUF lists the fastest dimension first.
    return [...text(name), u32(tensor.shape.length), ...tensor.shape.toReversed().map(u64), u32(0), u64(place)];
  });
  const head = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(parts.length), u64(facts.length), ...facts.flat(), ...places.flat()]);
  const body = parts.flatMap(({ tensor: { data } }) => [
    Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    padding(data.byteLength),
  ]);
  return Buffer.concat([head, padding(head.length), ...body]);
}

function padding(length: number): Buffer {
  return Buffer.alloc((alignment - (length % alignment)) % alignment);
}

function text(value: string): readonly Buffer[] {
  return [u64(Buffer.byteLength(value)), Buffer.from(value)];
}

function u32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value);
  return out;
}

function u64(value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(BigInt(value));
  return out;
}

function f32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeFloatLE(value);
  return out;
}
