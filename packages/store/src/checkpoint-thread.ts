/** @file The entry point of a thread that takes commits over into a SQLite file; checkpoints.ts starts it. */

import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

const port = parentPort as MessagePort;
const database = new DatabaseSync(workerData as string);
const takeOver = database.prepare('pragma wal_checkpoint(passive)');

port.on('message', () => {
  takeOver.get();
  port.postMessage('idle');
});
port.postMessage('idle');
