/** @file Plays the arms of an experiment in an environment on the same seeds, and gives the figures that each ended with. */

import type { AgentOf } from '@ludus-agents/agents/internal/kinds';
import type { JsonObject, Store } from '@ludus-agents/kernel/internal/core/index';
import type { Runner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { type PlannedSociety, readMeasures } from '@ludus-agents/societies/internal/surveys/society';
import type { Terminal } from '../../terminal.ts';
import { type AskOptions, askPeople } from './ask.ts';

export interface PlayedArm {
  readonly arm: string;
  readonly run: string;
  readonly measures: ReadonlyMap<number, JsonObject>;
}

/** Null where it was stopped. The hash of what was planned is kept with every run. */
export async function playArms(
  planned: PlannedSociety,
  input: {
    readonly store: Store;
    readonly perform: Runner;
    readonly make: AgentOf;
    readonly options: AskOptions;
    readonly terminal: Terminal;
  },
): Promise<readonly PlayedArm[] | null> {
  const played: PlayedArm[] = [];
  for (const { arm, run, plan } of planned.arms) {
    const report = await askPeople({ run, plan }, input);
    const notes = await input.store.notes(run, 'registration');
    await input.store.note(run, 'registration', notes.length, [{ hash: planned.hash, registration: planned.registration }]);
    if (report.stopped === 'signal') {
      input.terminal.stderr.write(`Stopped in ${played.length + 1} of ${planned.arms.length} arms. Run the same command to resume.\n`);
      return null;
    }
    played.push({ arm, run, measures: await readMeasures(input.store, run) });
  }
  return played;
}
