/** @file The formats of datasets by name, each with one line about it. */

import { formats } from '@ludus-agents/store/internal/exports/index';

/** Formats that this package derives from episodes, not the store. */
export const preferences: Readonly<Record<string, string>> = {
  'trl-dpo': 'TRL preference rows: the better and the worse of two messages after the same prompt',
  'trl-kto': 'TRL rows with a label: one per message of a seat, good or bad by the result of its episode',
};

/** Every format whose rows can be written line by line or as parquet. */
export const rowFormats: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(formats).map(([name, { about }]) => [name, about])),
  ...preferences,
};

/** Formats that are one text, not rows. */
export const textFormats: Readonly<Record<string, string>> = {
  csv: 'a spreadsheet of episodes: returns, costs, and scores, one seat per row',
  inspect: 'a log for Inspect (.json): one sample per seat of each episode',
};

/** Every format of an export: datasets, a complete backup, and monitoring data. */
export const exportFormats: Readonly<Record<string, string>> = {
  jsonl: 'everything, for import: runs, agents, logs, and scores',
  otel: 'OpenTelemetry spans, sent to the OTLP address in -o',
  states: 'states at every step as arrays (NPY) with labels (Parquet), by environment and split, in the folder -o',
  tensorboard: 'an event file in the folder -o, with the metrics of a run, or its episodes in order',
  ...rowFormats,
  ...textFormats,
};
