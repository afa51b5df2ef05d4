/** @file The entry point of the report thread, started by report-desk.ts. It reads the store through its own connection. */

import '../kinds.ts';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Fault, isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { isPostgres } from '@ludus-agents/store/internal/postgres/address';
import { inFolder } from '@ludus-agents/store/internal/stores';
import { type DeskAnswer, type DeskQuestion, type DeskRoom, makeReport } from './report-desk.ts';

const port = parentPort as MessagePort;
const { where, cwd } = workerData as DeskRoom;
// A PostgreSQL role may be read-only; nothing is written here.
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
