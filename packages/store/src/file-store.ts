/** @file Which stores other threads can read as well: those in a file of this machine. */

import type { Store } from '@ludus-agents/kernel/internal/core/index';

/** The file of a store, or null where only this thread has it, or where it is not known that it is a file. */
export function fileOf(store: Store): string | null {
  return 'file' in store && typeof store.file === 'string' ? store.file : null;
}
