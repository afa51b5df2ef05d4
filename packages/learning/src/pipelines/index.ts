/** @file The pipelines of `ludus data make`, by name. */

import { ditto } from './ditto.ts';
import { mmat } from './mmat.ts';
import { mpa } from './mpa.ts';
import type { Pipeline } from './pipeline.ts';
import { selfPromptTuning } from './self-prompt-tuning.ts';

export const pipelines: Readonly<Record<string, { readonly about: string; load(): Pipeline }>> = Object.fromEntries(
  [ditto, selfPromptTuning, mmat, mpa].map((pipeline) => [pipeline.name, { about: pipeline.about, load: () => pipeline }]),
);
