/** @file Formats of imported conversations, detected from the file: one file and one line each. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { openai, sharegpt } from './sharegpt.ts';
import { sotopia } from './sotopia.ts';
import { simulationsIn, tau1, tau2 } from './tau.ts';
import { atif, langfuse, langfuseItems, otel, otelItems } from './traces.ts';
import type { TranscriptReader } from './transcript.ts';

/** The more particular first: a simulation of τ² has messages, too. */
export const readers: readonly TranscriptReader[] = [tau2, tau1, sotopia, sharegpt, atif, otel, langfuse, openai];

/** The format of an item, or null. */
export function readerOf(item: JsonObject): TranscriptReader | null {
  return readers.find((reader) => reader.fits(item)) ?? null;
}

/** The items of a whole document: those of a list, the simulations of a τ² file, the conversations in traces, or the one it is. */
export function itemsIn(document: Json): readonly Json[] {
  const traces = langfuseItems(document);
  if (traces !== null) return traces;
  if (Array.isArray(document)) return document;
  return isObject(document) ? (otelItems(document) ?? simulationsIn(document) ?? [document]) : [document];
}

export type { Transcript, TranscriptLine, TranscriptReader } from './transcript.ts';
