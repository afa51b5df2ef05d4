/** @file Plays the interviews of a survey, within a budget and until Ctrl-C; what was answered before is not asked again. */

import type { AgentOf } from '@ludus-agents/agents/internal/kinds';
import { loadEnvironment } from '@ludus-agents/agents/internal/workspace/loaders';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';
import type { Runner } from '@ludus-agents/servers/internal/fleet/with-runner';
import type { SurveyPlan } from '@ludus-agents/societies/internal/surveys/plan';
import { progressLine } from '../../render/progress.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { interruptible, type Terminal } from '../../terminal.ts';

export interface AskOptions extends SpendingOptions {
  readonly concurrency?: number;
  readonly retry?: boolean;
}

export async function askPeople(
  { plan, run }: Pick<SurveyPlan, 'plan' | 'run'>,
  {
    store,
    perform,
    make,
    options,
    terminal,
  }: { readonly store: Store; readonly perform: Runner; readonly make: AgentOf; readonly options: AskOptions; readonly terminal: Terminal },
): Promise<RunReport> {
  const line = progressLine(terminal);
  const { controller, release } = interruptible(terminal, line.note);
  try {
    const report = await perform(plan, {
      store,
      environment: (name) => loadEnvironment(name, terminal.cwd, terminal.trust),
      agent: make,
      signal: controller.signal,
      budget: budgetOf(options),
      retry: options.retry === true,
      onProgress: line.tell,
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    });
    if (report.ends.error > 0) line.note(`${count(report.ends.error, 'interview')} failed: ${printable(await causeIn(store, run))}`);
    return report;
  } finally {
    line.done();
    release();
  }
}

/** The sentence with which an interview failed. */
async function causeIn(store: Store, run: string): Promise<string> {
  for (const [episode, status] of await store.statuses(run)) {
    if (status !== 'error') continue;
    const end = (await store.events(episode)).at(-1);
    if (end?.kind === 'end' && end.fault !== undefined) return end.fault.message;
  }
  return 'the logs do not give a reason.';
}
