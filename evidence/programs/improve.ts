/**
 * @file Improves a scripted agent with an engine, and runs the control at equal cost (random edits, which every improvement also runs).
 * Options: target, engine, budget, read ("best" or "random"), seed. Both readings of a seed share one run.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type ProgramOptions, runCommand } from '../arms.ts';

const runs = new Map<string, Promise<Json>>();

export default async function run({
  target = 'instruction-demo',
  engine = 'gepa',
  budget = 200,
  read = 'best',
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const command = `ludus improve ${target} --engine ${engine} --budget ${budget} --tasks 12,12,96 --seed {seed} --name run --json`;
  const key = `${command} ${seed}`;
  const running = runs.get(key) ?? runCommand(command, Number(seed));
  runs.set(key, running);
  const report = (await running) as JsonObject;
  const { made: proposals = 0 } = (report['candidates'] ?? {}) as { readonly made?: number };
  return { score: report[String(read)] as number, proposals: read === 'best' ? proposals : 0 };
}
