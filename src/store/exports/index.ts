/** @file The formats of datasets that are tables, by name: one file and one line each. */

import { atif } from './atif.ts';
import type { Format } from './format.ts';
import { openai } from './openai.ts';
import { sharegpt } from './sharegpt.ts';
import { tables } from './tables.ts';
import { trace } from './trace.ts';
import { trlGrpo, trlSft } from './trl.ts';
import { verl } from './verl.ts';

export const formats: Readonly<Record<string, Format>> = {
  openai,
  sharegpt,
  'trl-sft': trlSft,
  'trl-grpo': trlGrpo,
  verl,
  parquet: tables,
  atif,
  trace,
};

export type { Format, Leave, Table } from './format.ts';
export { type Bound, type Choice, choose, ended, type Filter, type Play, plays, type Split } from './plays.ts';
export type { Wording } from './words.ts';
