/** @file Checks whether a finished run did worse than the newest earlier run of the same tasks, with the comparison of the page Compare. */

import type { RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import type { ReportDesk } from './report-desk.ts';

/** A run that is worse than an earlier one by more than chance explains. */
export interface Regression {
  /** The earlier run. */
  readonly than: string;
  readonly words: string;
}

export async function findRegression(
  { store, reports }: { readonly store: Store; readonly reports: Pick<ReportDesk, 'comparison'> },
  id: string,
): Promise<Regression | null> {
  const run = await store.run(id);
  if (run === null) return null;
  const before = await runBefore(store, run);
  if (before === null) return null;
  const { better, difference, words } = await reports.comparison({ compare: { a: id, b: before.id } });
  return better !== null && difference < 0 ? { than: before.id, words } : null;
}

/** Trainings and optimizations have no tasks to compare. */
async function runBefore(store: Store, run: RunRecord): Promise<RunRecord | null> {
  const { environments } = run.plan;
  if (run.work !== undefined || environments.length === 0) return null;
  const tasks = JSON.stringify(environments);
  const times = await store.catalog?.runTimes();
  const created = ({ id }: RunRecord) => times?.get(id)?.created ?? 0;
  const earlier = (await store.runs()).filter(
    (other) =>
      other.id !== run.id &&
      other.work === undefined &&
      JSON.stringify(other.plan.environments) === tasks &&
      created(other) <= created(run),
  );
  return earlier.toSorted((a, b) => created(a) - created(b)).at(-1) ?? null;
}
