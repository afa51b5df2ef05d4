/** @file Opens a store together with a way to play plans into it: in this process, or by workers. */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Place, type StoreOptions, whereOf, writing } from '../company/stores.ts';
import type { Plan, Store } from '../core/index.ts';
import { type RunOptions, type RunReport, run } from '../engine/run.ts';
import { openPremises, type Premises } from '../store/index.ts';
import { type Crew, hire } from './crew.ts';
import { runByWorkers } from './run.ts';

export type Perform = (plan: Plan, options: RunOptions) => Promise<RunReport>;

export interface PerformingOptions extends StoreOptions {
  /** Workers to start; 0 leaves everything to workers that run elsewhere; without it plans are played here. */
  readonly workers?: number;
}

export function performing<T>(place: Place, options: PerformingOptions, use: (store: Store, perform: Perform) => Promise<T>): Promise<T> {
  const { workers } = options;
  if (workers === undefined) return writing(place, options, (store) => use(store, run));
  return sharing(place, options, (premises, where) =>
    employing({ where, cwd: place.cwd, workers }, (hired) => {
      const perform: Perform = (plan, { environment, concurrency, budget, signal, retry, onProgress }) =>
        runByWorkers(plan, {
          ...{ premises, environment, budget, signal, retry, onProgress },
          crew: workers === 0 ? null : () => hired(concurrency),
        });
      return use(premises.store, perform);
    }),
  );
}

/** A crew that is hired when it is first needed, once for all: a thread takes a moment to begin. It is dismissed after `use`. */
export async function employing<T>(
  { where, cwd, workers }: { readonly where: string; readonly cwd: string; readonly workers: number },
  use: (hired: (concurrency?: number) => Crew) => Promise<T>,
): Promise<T> {
  let crew: Crew | null = null;
  const hired = (concurrency = 16) => {
    crew ??= hire(workers, { where, cwd, concurrency });
    return crew;
  };
  try {
    return await use(hired);
  } finally {
    await (crew as Crew | null)?.dismiss();
  }
}

/** Opens the premises that are meant, and closes them after `use`. */
export async function sharing<T>(place: Place, options: StoreOptions, use: (premises: Premises, where: string) => Promise<T>): Promise<T> {
  const where = whereOf(place, options);
  if (!where.includes('://') && where !== 'memory:') mkdirSync(dirname(where), { recursive: true });
  const premises = await openPremises(where);
  try {
    return await use(premises, where);
  } finally {
    await premises.close();
  }
}
