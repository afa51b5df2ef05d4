/** @file Waits until no job of a run is waiting or leased any more. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';

/** Throws when a job of the run has died, with its reason. */
export async function waitForRun({ jobs }: SharedStore, run: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { waiting, leased, dead } = await jobs.standing(run);
    if (dead > 0) throw new Fault('agent', `A worker could not do its part for ${run}: ${(await jobs.dead(run))[0]?.reason}`);
    if (waiting + leased === 0) return;
    await jobs.wait(100, signal);
  }
}
