/** @file Loaded before a server of the soak benchmark: answers how much memory the process uses, after a collection where there is one. */

import { writeHeapSnapshot } from 'node:v8';

process.on('message', (message) => {
  (globalThis as { gc?: () => void }).gc?.();
  if (typeof message === 'string' && message.startsWith('snapshot ')) writeHeapSnapshot(message.slice('snapshot '.length));
  process.send?.(process.memoryUsage());
});
process.channel?.unref();
