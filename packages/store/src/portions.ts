/** @file Reads many episodes in portions, so memory use does not grow with the store, and skips damaged ones. */

import { isFault, sentenceOf } from '@ludus-agents/kernel/internal/core/fault';

/** Hears of an episode that cannot be read, and why. */
export type OnDamaged = (episode: string, problem: string) => void;

/** The result of `read` for the episodes; if it fails, halves are read separately, down to the damaged episode. */
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

const mostEpisodes = 100;
const mostEvents = 1000;

/** Portions in the order of the items; an episode longer than a portion is one by itself. */
export function* portionsOf<T extends { readonly events: number }>(items: Iterable<T>): Generator<readonly T[], void, undefined> {
  let [subset, events]: [T[], number] = [[], 0];
  for (const item of items) {
    if (subset.length > 0 && (subset.length >= mostEpisodes || events + item.events > mostEvents)) {
      yield subset;
      [subset, events] = [[], 0];
    }
    subset.push(item);
    events += item.events;
  }
  if (subset.length > 0) yield subset;
}
