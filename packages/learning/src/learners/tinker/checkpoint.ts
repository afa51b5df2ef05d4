/** @file What `save` gives: where the weights are on their server, and where the reference is. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** Where the weights of a checkpoint are on their server. */
export function weightsIn(checkpoint: string): string {
  return readCheckpoint(checkpoint).weights;
}

export function readCheckpoint(text: string): { weights: string; reference: string | null } {
  if (text.startsWith('tinker://')) return { weights: text, reference: null };
  try {
    const { weights, reference } = JSON.parse(text) as Record<string, unknown>;
    if (typeof weights === 'string' && (reference === null || typeof reference === 'string')) return { weights, reference };
  } catch {
    // Reported below, with everything else that is not a checkpoint.
  }
  throw new Fault(
    'input',
    `A checkpoint must be the result of "save", or a path such as tinker://MODEL/weights/NAME, but got "${text.slice(0, 80)}".`,
  );
}
