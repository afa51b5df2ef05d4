/**
 * @file One hash of a run: of the ids of its episodes with the hashes of their logs, in the order of the ids. Two runs are equal if their
 * hashes are.
 */

import { createHash } from 'node:crypto';
import { canonical, type Json, type Store } from '../core/index.ts';

export async function digestOf(store: Store, run: string): Promise<string> {
  const whole = createHash('sha256');
  for (const id of [...(await store.statuses(run)).keys()].sort()) {
    const log = createHash('sha256').update(canonical((await store.events(id)) as unknown as Json));
    whole.update(`${id} ${log.digest('hex')}\n`);
  }
  return whole.digest('hex');
}
