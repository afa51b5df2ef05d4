/** @file The entry point of a worker thread that builds pieces of a dataset; started by pieces.ts. */

import { workerData } from 'node:worker_threads';
import type { Choice } from '@ludus-agents/store/internal/exports/index';
import { sqliteStore } from '@ludus-agents/store/internal/open-store';
import { answerTasks } from '@ludus-agents/store/internal/thread-pool';
import { type DatasetPiece, PieceMaker } from './piece.ts';
import type { PieceThread } from './pieces.ts';

const { file, order } = workerData as PieceThread;
const making = sqliteStore(file, { readOnly: true }).then((store) => new PieceMaker({ ...order, store }));
// The error is thrown to the first request.
making.catch(() => {});

answerTasks<readonly Choice[], DatasetPiece>(async (choices) => {
  const datasetPiece = await (await making).make(choices);
  const moved = datasetPiece.files.flatMap(({ content }) => content.map((item) => ('bytes' in item ? item.bytes : item).buffer));
  return { made: datasetPiece, moved };
});
