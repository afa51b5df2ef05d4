/** @file The entry point of a thread that makes pieces of a dataset; pieces.ts starts it. */

import { workerData } from 'node:worker_threads';
import type { Choice } from '@ludus-agents/store/internal/exports/index';
import { sqliteStore } from '@ludus-agents/store/internal/open-store';
import { answerTasks } from '@ludus-agents/store/internal/thread-pool';
import { type DatasetPiece, PieceMaker } from './piece.ts';
import type { PieceThread } from './pieces.ts';

const { file, order } = workerData as PieceThread;
const making = sqliteStore(file, { readOnly: true }).then((store) => new PieceMaker({ ...order, store }));
// Who asks first hears of it.
making.catch(() => {});

answerTasks<readonly Choice[], DatasetPiece>(async (choices) => {
  const datasetPiece = await (await making).make(choices);
  const moved = datasetPiece.files.flatMap(({ content }) => content.map((item) => ('bytes' in item ? item.bytes : item).buffer));
  return { made: datasetPiece, moved };
});
