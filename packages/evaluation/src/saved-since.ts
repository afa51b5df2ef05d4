/** @file Files of a run that were saved after it was last played: its figures are about what they were then. Nothing in them is run. */

import { statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';

/** Names the programs of a run, as its plan names them, that were saved after its last episode. Only files in the folder are looked at. */
export async function savedSince(store: Pick<Store, 'catalog'>, { id, plan }: RunRecord, cwd: string): Promise<readonly string[]> {
  const last = (await store.catalog?.runTimes())?.get(id)?.last ?? null;
  if (last === null) return [];
  const kinds = plan.casts.flatMap((cast) => Object.values(cast).map((spec) => (typeof spec === 'string' ? spec : spec.kind)));
  const names = new Set([...plan.environments.map(({ environment }) => environment), ...kinds]);
  return [...names].filter((name) => {
    const file = resolve(cwd, name.replace(/^\w+:/, ''));
    const inside = relative(cwd, file);
    if (!/\.[cm]?[jt]s$/.test(file) || inside === '' || inside.split(sep)[0] === '..') return false;
    return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > last;
  });
}

/** The same as a sentence; null where there are none. */
export async function savedSinceText(store: Pick<Store, 'catalog'>, run: RunRecord, cwd: string): Promise<string | null> {
  const files = await savedSince(store, run, cwd);
  if (files.length === 0) return null;
  const names = files.length === 1 ? files[0] : `${files.slice(0, -1).join(', ')} and ${files.at(-1)}`;
  return `${names} ${files.length === 1 ? 'was' : 'were'} saved after ${run.id} was last played. Play it again for current results.`;
}
