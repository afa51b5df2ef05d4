/** @file The entry point of a thread that packs the lines of an import; import-threads.ts starts it. */

import type { ImportTask } from './import-threads.ts';
import { BlockPacker, type PackedBlock } from './packed-block.ts';
import { answerTasks } from './thread-pool.ts';

const packer = new BlockPacker();

answerTasks<ImportTask, PackedBlock | null>(async ({ kind, lines }) => {
  if (kind === 'pack') return { made: packer.pack(lines) };
  if (kind === 'learn') packer.learn(lines);
  else packer.forget();
  return { made: null };
});
