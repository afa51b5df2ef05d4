/**
 * @file The number of jobs that a worker claims. The last jobs of a queue are divided evenly among the workers; otherwise a worker that
 * waits for a free slot would play its jobs alone at the end.
 */

import type { Claim } from '@ludus-agents/kernel/internal/core/index';
import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** Jobs are few where at most this many wait for each that a worker may take beyond its limit. */
const few = 8;

/** The limit of a claim with its share of the extra amount; 0 if nothing waits. */
export async function fairLimit(
  db: Kysely<Tables>,
  { worker, limit, spare }: Pick<Claim, 'worker' | 'limit'> & { readonly spare: number },
): Promise<number> {
  const builder = db
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', 'waiting')
    .limit(few * spare + 1);
  const { length: waiting } = await builder.execute();
  if (waiting === 0) return 0;
  if (spare === 0 || waiting > few * spare) return limit;
  return limit + Math.max(0, Math.min(spare, (await fairPart(db, worker, waiting)) - limit));
}

/** The number of waiting jobs that a worker should claim, among workers with leases; negative if it has more than others. */
async function fairPart(db: Kysely<Tables>, worker: string, waiting: number): Promise<number> {
  const rows = await db
    .selectFrom('jobs')
    .select((row) => ['worker', row.fn.countAll().as('jobs')] as const)
    .where('state', '=', 'leased')
    .groupBy('worker')
    .execute();
  const current = new Map(rows.map((row) => [row.worker, Number(row.jobs)]));
  const workers = current.size + (current.has(worker) ? 0 : 1);
  const all = [...current.values()].reduce((sum, jobs) => sum + jobs, waiting);
  return Math.ceil(all / workers) - (current.get(worker) ?? 0);
}
