/**
 * @file Creates the adapter_config.json that PEFT, vLLM and others need next to adapter_model.safetensors, from the weights' own metadata.
 */

import { Fault, type JsonObject, parsePromptForm } from '@ludus-agents/kernel/internal/core/index';
import { readSafetensors } from '../transformer/safetensors.ts';

/** The prompt form used in training is in the field "ludus", which PEFT ignores. */
export function peftConfigOf(safetensors: Uint8Array): JsonObject {
  const { tensors, metadata } = readSafetensors(safetensors);
  const lower = Object.entries(tensors).filter(([name]) => name.endsWith('.lora_A.weight'));
  const [rank] = lower.map(([, { shape }]) => shape[0]);
  if (rank === undefined)
    throw new Fault('input', 'The file contains no low-rank weights, so it is not an adapter. Save it with the training server ludus-gpu.');
  const { alpha = '32', base = '', ludus } = metadata;
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: base,
    r: rank,
    lora_alpha: Number(alpha),
    lora_dropout: 0,
    bias: 'none',
    use_rslora: false,
    target_modules: [...new Set(lower.map(([name]) => name.split('.').at(-3)!))],
    ...(ludus === undefined ? {} : { ludus: parsePromptForm(ludus, 'The adapter') as unknown as JsonObject }),
  };
}
