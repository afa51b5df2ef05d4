/** @file The entry point of the thread that decodes Parquet files; parquet-table.ts starts it. */

import { parentPort } from 'node:worker_threads';
import { sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { decodeParquet } from './parquet-decode.ts';
import type { ParquetAnswer, ParquetRequest } from './parquet-table.ts';

const reply = (answer: ParquetAnswer) => parentPort!.postMessage(answer);

// The limit on the work counts from here on: loading the decoder takes longer on a busy machine.
import('hyparquet').then(() => reply('ready'));
parentPort!.on('message', async ({ file, where, nested }: ParquetRequest) => {
  try {
    reply({ table: await decodeParquet(file, where, nested) });
  } catch (thrown) {
    reply({ problem: sentenceOf(thrown) });
  }
});
