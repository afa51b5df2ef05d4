/**
 * @file The open tools of this process: opened on first use by an agent, and closed after every command, because servers are separate
 * processes. A command without tools loads no other module to check this.
 */

import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import type { createTools } from '../tools/create-tools.ts';
import type { Toolbox } from '../tools/tool.ts';

export const openTools: { named: Promise<ReturnType<typeof createTools>> | undefined; readonly own: PromiseCache<Toolbox | null> } = {
  /** Tools from the file named by LUDUS_TOOLS. */
  named: undefined,
  /** Tools from the user's own files. */
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
