/** @file Logs and a plan for the tests of stores, and how a refusal reads. */

import { type EpisodeEvent, Fault, type Plan, type StartEvent } from '@ludus-agents/kernel/internal/core/index';
import { expect } from 'vitest';

export function start(changes: Partial<StartEvent> = {}): StartEvent {
  return { kind: 'start', environment: 'duel@1', task: {}, seed: 7, seats: ['a', 'b'], cast: { a: 'ann', b: 'bob' }, ...changes };
}

/** A log of `turns` turns, ended unless set otherwise. */
export function log(turns: number, changes: Partial<StartEvent> = {}, end: 'over' | 'error' | 'running' = 'over'): EpisodeEvent[] {
  const events: EpisodeEvent[] = [start(changes)];
  for (let i = 0; i < turns; i++) {
    events.push({ kind: 'turn', asks: [{ seat: 'a', choices: ['[yes]', '[no]'] }] });
    events.push({ kind: 'action', seat: 'a', action: { text: `[yes] ${i}` }, mind: { plan: 'win', count: i } });
    events.push({ kind: 'message', to: ['a', 'b'], text: `a says yes for the ${i}th time.`, from: 'a' });
  }
  if (end === 'running') return events;
  events.push({ kind: 'reward', rewards: { a: 1, b: -1 } });
  events.push({ kind: 'end', reason: end, returns: { a: 1, b: -1 }, penalties: { a: 0, b: 0 }, turns });
  return events;
}

/** A plan of four episodes. */
export const plan: Plan = {
  environments: [{ environment: 'duel@1', tasks: [{}] }],
  seeds: { from: 0, count: 4 },
  casts: [{ '*': 'random' }],
};

/** The sentence of the fault that a promise is refused with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<string> {
  const thrown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(Fault);
  expect((thrown as Fault).message).toMatch(/^[^\n]+\.$/);
  return (thrown as Fault).message;
}
