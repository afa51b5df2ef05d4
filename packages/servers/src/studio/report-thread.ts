/** @file The entry point of the thread that makes reports; report-desk.ts starts it. It reads the store by its own connection. */

import '../kinds.ts';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { isPostgres } from '@ludus-agents/store/internal/postgres/address';
import { inFolder } from '@ludus-agents/store/internal/stores';
import { type DeskAnswer, type DeskQuestion, type DeskRoom, makeReport } from './report-desk.ts';

const port = parentPort as MessagePort;
const { where, cwd } = workerData as DeskRoom;
// A role of PostgreSQL may be one that only reads; nothing is written here either way.
const opened = openStore(where, isPostgres(where) ? {} : { readOnly: true });

port.on('message', async ({ id, question }: DeskQuestion) => {
  let answer: DeskAnswer;
  try {
    answer = { id, made: await makeReport(question, { store: inFolder(await opened, cwd), cwd }) };
  } catch (thrown) {
    const fault = isFault(thrown) ? thrown : new Fault('store', sentenceOf(thrown));
    answer = { id, boundary: fault.boundary, message: fault.message };
  }
  port.postMessage(answer);
});
