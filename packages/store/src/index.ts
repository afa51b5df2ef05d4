/** @file The public entry. Keeps episodes, scores, runs and datasets in memory, in SQLite or in PostgreSQL. */

export { copyStore } from './copy.ts';
export type { DatasetFormat } from './exports/format.ts';
export { formats } from './exports/index.ts';
export { importJsonl } from './import-jsonl.ts';
export { exportJsonl } from './jsonl.ts';
export { memoryStore } from './memory.ts';
export { openSharedStore, openStore, type SharedStore } from './open-store.ts';
