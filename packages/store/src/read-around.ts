/** @file Reads many episodes, and passes over those that are damaged, so that one bad log does not keep the others from being exported. */

import { isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/fault';

/** Hears of an episode that cannot be read, and why. */
export type OnDamaged = (episode: string, problem: string) => void;

/** What `read` gives for the episodes; where it fails, half of them are read at a time, down to the damaged one. */
export async function readAround<T>(
  episodes: readonly string[],
  read: (episodes: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  onDamaged: OnDamaged | undefined,
): Promise<ReadonlyMap<string, T>> {
  try {
    return await read(episodes);
  } catch (thrown) {
    if (onDamaged === undefined || !isFault(thrown) || thrown.boundary !== 'store' || thrown.transient) throw thrown;
    if (episodes.length === 1) {
      onDamaged(episodes[0]!, sentenceOf(thrown));
      return new Map();
    }
    const middle = Math.ceil(episodes.length / 2);
    const first = await readAround(episodes.slice(0, middle), read, onDamaged);
    return new Map([...first, ...(await readAround(episodes.slice(middle), read, onDamaged))]);
  }
}
