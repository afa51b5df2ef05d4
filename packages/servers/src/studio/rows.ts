/** @file Rows of a list page. A failing row does not hide the others; the number of omitted rows is reported with them. */

import type { Store } from '@ludus-agents/kernel/internal/core/index';

const lost = new WeakMap<Store, Map<string, string>>();

/** The rows that could be built, in order. Failures are recorded by name. */
export async function readableRows<T, U>(
  store: Store,
  items: readonly T[],
  nameOf: (item: T) => string,
  make: (item: T) => Promise<U>,
): Promise<readonly U[]> {
  const failed = lost.get(store) ?? new Map<string, string>();
  lost.set(store, failed);
  const results = await Promise.allSettled(items.map(make));
  return results.flatMap((item, i) => {
    const name = nameOf(items[i]!);
    if (item.status === 'fulfilled') {
      failed.delete(name);
      return [item.value];
    }
    failed.set(name, String((item.reason as Error)?.message ?? item.reason));
    return [];
  });
}

/** Records that lists skipped, with the error. */
export function damagedRecords(store: Store): readonly { readonly record: string; readonly problem: string }[] {
  return [...(store.unreadable ?? []), ...(lost.get(store) ?? [])].map(([record, problem]) => ({ record, problem }));
}
