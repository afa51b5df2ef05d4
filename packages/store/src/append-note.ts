/** @file One more entry at the end of a journal that several processes may write to. */

import type { Json, Store } from '@ludus-agents/kernel/internal/core/index';

/** Appends; where somebody else was quicker, appends after them. */
export async function appendNote(store: Store, run: string, journal: string, entry: Json): Promise<void> {
  for (let length = -1; ; ) {
    const { [journal]: count = 0 } = await store.journals(run);
    try {
      return await store.note(run, journal, count, [entry]);
    } catch (thrown) {
      // Refused for another reason than a journal that has grown meanwhile.
      if (count === length) throw thrown;
      length = count;
    }
  }
}
