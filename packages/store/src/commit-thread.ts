/** @file The entry point of the thread that commits; threaded-store.ts starts it. */

import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openSqlite } from './sqlite.ts';
import { toPlain } from './thread-fault.ts';
import type { BatchResult, File, WriteBatch } from './threaded-store.ts';
import { writeBatch } from './write-batch.ts';

// Threads that answer clients take precedence if there are more threads than processors. On Linux the priority is per thread; elsewhere it
// would be that of the whole process. A much lower one starves on a busy machine: reads wait for commits, and so does a server that closes.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + 3));

const port = parentPort as MessagePort;
const { path, options } = workerData as File;
const database = openSqlite(path, options);

port.on('message', async (batch: WriteBatch | null) => {
  if (batch !== null) {
    port.postMessage(await commitBatch(batch));
    return;
  }
  await database.close();
  port.close();
});

async function commitBatch({ parts, writes }: WriteBatch): Promise<BatchResult> {
  try {
    const refusals = await database.transact((scope) => writeBatch(scope, parts, writes));
    return refusals.map((refusal) => (refusal === null ? null : toPlain(refusal, 'store')));
  } catch (thrown) {
    return toPlain(thrown, 'store');
  }
}
