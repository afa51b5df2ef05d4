/** @file Properties of every work environment over many seeds, for a short and a long test: a script always solves it, and doing nothing never passes. */

import { type EndEvent, type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { expect } from 'vitest';
import { builtInEnvironment } from './built-in.ts';

export interface WorkPromise {
  readonly tasks: readonly Json[];
  /** The script on every seat that solves each task. */
  readonly script: string;
  /** Its return on every seed, which is the maximum under the rules. */
  readonly best: number;
  /** From here on an episode is passed; play that reads nothing stays below it on average. */
  readonly pass: number;
}

export const promises: Readonly<Record<string, WorkPromise>> = {
  memory: {
    tasks: [{}, { competency: 'range', questions: 4 }, { competency: 'learning' }, { window: 1, facts: 8 }],
    script: 'notes',
    best: 1,
    pass: 0.7,
  },
  library: {
    tasks: [{}, { vague: 3 }, { people: 20, noise: 10, contradictions: 10, turns: 100 }, { team: true, vague: 0, contradictions: 0 }],
    script: 'researcher',
    best: 1,
    pass: 0.5,
  },
  tables: {
    tasks: [{}, { level: 1, listed: false, workings: true }, { level: 3 }, { level: 4, rows: 80 }],
    script: 'analyst',
    best: 1,
    pass: 0.6,
  },
  maths: { tasks: [{}, { level: 3, tools: 0.2, workings: true }, { level: 1, listed: false }], script: 'solver', best: 1, pass: 0.6 },
  rules: {
    tasks: [{}, { kind: 'reactor', rules: 6 }, { kind: 'escape', paintings: 13 }, { kind: 'function', terms: 3 }],
    script: 'version-space',
    best: 1,
    pass: 0.6,
  },
  programs: { tasks: [{}, { mode: 'optimise' }], script: 'fixer', best: 1, pass: 0.5 },
  blocks: { tasks: [{}, { plan: 'words' }, { size: 4, moves: 80 }], script: 'mason', best: 1, pass: 0.6 },
};

/** Play that reads nothing. */
const random: Script = ({ ask, rng }) => ({ text: ask.choices === undefined ? 'hello' : rng.pick(ask.choices) });
const idle: Script = () => ({ text: '' });
const first: Script = ({ ask }) => ({ text: ask.choices?.[0] ?? '' });

/** Returns of all seats, episode by episode, after it was seen that every log ends by its own rules and some replay. */
async function returnsOf(name: string, task: Json, script: Script, seeds: readonly number[]): Promise<readonly number[]> {
  const environment = await builtInEnvironment(name);
  const policies = Object.fromEntries(
    environment
      .seats(environment.task(task))
      .map((seat: string) => [
        seat,
        scriptedPolicy(
          seat,
          (script === random || script === idle || script === first ? undefined : environment.scripts?.[seat]) ?? script,
        ),
      ]),
  );
  const logs = await rollout(environment, policies, { seeds: [...seeds], task });
  expect(replay(environment, logs[0] ?? [])).toBeNull();
  return logs.map((log) => {
    const { reason, returns, fault } = log.at(-1) as EndEvent;
    expect({ reason, fault }).toEqual({ reason: 'over' });
    const rewards = Object.values(returns);
    for (const value of rewards) expect(Number.isFinite(value)).toBe(true);
    return Math.max(...rewards);
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Checks that the script gets the maximum return on every seed, on both sides of the split, and that random play, silence, and the first
 * choice do not pass.
 */
export async function keepsPromise(name: string, seeds: number): Promise<void> {
  const { tasks, script, best, pass } = promises[name]!;
  const environment = await builtInEnvironment(name);
  const solve = environment.scripts?.[script] as Script;
  const subset = Array.from({ length: seeds }, (_, i) => i);
  for (const task of tasks) {
    for (const payment of await returnsOf(name, task, solve, subset)) expect(payment).toBeCloseTo(best, 9);
    expect(mean(await returnsOf(name, task, random, subset))).toBeLessThan(pass);
    for (const payment of await returnsOf(name, task, idle, subset.slice(0, 10))) expect(payment).toBeLessThanOrEqual(0);
    expect(mean(await returnsOf(name, task, first, subset.slice(0, 10)))).toBeLessThan(pass);
  }
  const [task] = tasks;
  for (const split of ['train', 'held-out']) {
    const returns = await returnsOf(name, { ...(task as object), split }, solve, subset.slice(0, 3));
    expect(mean(returns)).toBeCloseTo(best, 9);
  }
}
