/** @file The formats of datasets that are tables, by name: one file and one line each. */

import { atif } from './atif.ts';
import type { DatasetFormat } from './format.ts';
import { search } from './search.ts';
import { openai, sharegpt } from './sharegpt.ts';
import { tables } from './tables.ts';
import { team } from './team.ts';
import { trace } from './trace.ts';
import { trlGrpo, trlSft, verl } from './trl.ts';

/** The formats of datasets, by name. */
export const formats: Readonly<Record<string, DatasetFormat>> = {
  openai,
  sharegpt,
  'trl-sft': trlSft,
  'trl-grpo': trlGrpo,
  verl,
  parquet: tables,
  atif,
  trace,
  team,
  search,
};

export { type Bound, readBound } from './bounds.ts';
export type { DatasetFormat, ExportTable, Leave } from './format.ts';
export { maskedTurns } from './masks.ts';
export { type Choice, choose, type EvalSplit, type ExportEpisode, type Filter, plays } from './plays.ts';
export type { Wording } from './words.ts';
