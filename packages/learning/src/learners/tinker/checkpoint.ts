/** @file The result of `save`: the locations of the weights and the reference on their server. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** The location of a checkpoint's weights on their server. */
export function weightsIn(checkpoint: string): string {
  return readCheckpoint(checkpoint).weights;
}

export function readCheckpoint(text: string): { weights: string; reference: string | null } {
  if (text.startsWith('tinker://')) return { weights: text, reference: null };
  try {
    const { weights, reference } = JSON.parse(text) as Record<string, unknown>;
    if (typeof weights === 'string' && (reference === null || typeof reference === 'string')) return { weights, reference };
  } catch {
    // Reported below, like any other invalid checkpoint.
  }
  throw new Fault(
    'input',
    `A checkpoint must be the result of "save", or a path such as tinker://MODEL/weights/NAME, but got "${text.slice(0, 80)}".`,
  );
}
