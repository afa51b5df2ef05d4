/**
 * @file The tools that are open in this process: opened when an agent first uses one, and closed after every command, since servers are separate
 * processes. A command that uses none loads nothing else to find that out.
 */

import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import type { createTools } from '../tools/create-tools.ts';
import type { Toolbox } from '../tools/tool.ts';

export const openTools: { named: Promise<ReturnType<typeof createTools>> | undefined; readonly own: PromiseCache<Toolbox | null> } = {
  /** Those of the file that LUDUS_TOOLS names. */
  named: undefined,
  /** Those of the user's own files. */
  own: new PromiseCache<Toolbox | null>(),
};

export async function closeTools(): Promise<void> {
  const closing = openTools.named;
  openTools.named = undefined;
  const boxes = await Promise.allSettled(openTools.own.take());
  await Promise.allSettled(boxes.map((box) => (box.status === 'fulfilled' ? box.value?.close() : undefined)));
  await closing?.then(
    (toolSet) => toolSet.close(),
    () => undefined,
  );
}
