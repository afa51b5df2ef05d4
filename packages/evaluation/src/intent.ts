/** @file Whether the user of an episode means harm: stated by the task, or read from it by the package that owns the environment. */

import type { EpisodeRecord } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

export const intents = ['malicious', 'benign'] as const;
export type Intent = (typeof intents)[number];
type PlayedTask = Pick<EpisodeRecord, 'environment' | 'task'>;
type IntentReader = (played: PlayedTask) => Promise<Intent | null>;

const readers: IntentReader[] = [];

/** Adds a reader for tasks that imply an intent without stating it. */
export function addIntentReader(read: IntentReader): void {
  readers.push(read);
}

/** The intent of the user in an episode; null if its task does not say. */
export async function readIntent(played: PlayedTask): Promise<Intent | null> {
  const { task } = played;
  const stated = isObject(task) ? intents.find((intent) => intent === task['intent']) : undefined;
  if (stated !== undefined) return stated;
  for (const read of readers) {
    const intent = await read(played);
    if (intent !== null) return intent;
  }
  return null;
}
