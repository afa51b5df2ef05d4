/** @file How fast the transformer learns Kuhn poker through text. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import { kuhnLm } from '@ludus-agents/learning/internal/rl/recipes/language';
import { train } from '@ludus-agents/learning/internal/training/train';
import { sizeOf } from './_size.ts';
import { noRuntime } from './_training-steps.ts';
import type { Figure, Flags } from './run.ts';

/** The first of the seeds that no setting was chosen on. */
const firstSeed = 501;

/** How Kuhn poker is learned through text. */
export async function kuhnThroughText(flags: Flags): Promise<readonly Figure[]> {
  return hasRuntime() ? kuhn(flags) : noRuntime(['kuhn_lm.seconds_to_0.05', 'kuhn_lm.sampled_tokens_per_s']);
}

/**
 * Seconds until exploitability is told below 0.05 for good, the slowest of three seeds; and how they end. CPU-seconds, since other work on
 * the machine is no part of it; one thread.
 */
async function kuhn(flags: Flags): Promise<readonly Figure[]> {
  const seeds = Array.from({ length: sizeOf(flags, 'text-seeds', 3, 1) }, (_, i) => firstSeed + i);
  const { training } = kuhnLm;
  const [games, steps] = [sizeOf(flags, 'text-games', training.games, training.batch), sizeOf(flags, 'warm', training.warmUp!.steps, 1)];
  const recipe = { ...kuhnLm, training: { ...training, games, warmUp: { ...training.warmUp!, steps } } };
  const runs: { reached: number; end: number; invalid: number; seconds: number; tokens: number; speed: number }[] = [];
  for (const seed of seeds) {
    const clock = process.cpuUsage();
    const spent = () => (process.cpuUsage(clock).user + process.cpuUsage(clock).system) / 1e6;
    let reached = Number.POSITIVE_INFINITY;
    const report = await train(
      { recipe, seed },
      {
        trust: Trust.commandLine,
        cwd: process.cwd(),
        folder: null,
        tell: ({ exploitability }) => {
          // A policy that is mostly illegal has no exploitability.
          if ((exploitability ?? Number.POSITIVE_INFINITY) >= 0.05) reached = Number.POSITIVE_INFINITY;
          else reached = Math.min(reached, spent());
        },
      },
    );
    if (report === null) throw new Error('Nobody stopped it, and yet there is no report.');
    const { exploitability, invalid, tokens } = report;
    runs.push({ reached, end: exploitability ?? Number.POSITIVE_INFINITY, invalid, seconds: spent(), tokens, speed: tokens / spent() });
  }
  const worst = (of: keyof (typeof runs)[number]) => Math.max(...runs.map((run) => run[of]));
  const ends = runs.map(({ end }) => end.toFixed(4)).join(', ');
  return [
    {
      name: 'kuhn_lm.seconds_to_0.05',
      value: worst('reached'),
      unit: 's',
      goal: '≤ 120',
      note: `slowest of seeds ${seeds.join(', ')}; they end at ${ends} after ${Math.round(worst('seconds'))} s, invalid ≤ ${(100 * worst('invalid')).toFixed(2)} %`,
    },
    {
      name: 'kuhn_lm.sampled_tokens_per_s',
      value: Math.min(...runs.map(({ speed }) => speed)),
      unit: 'tokens',
      note: 'training included; texts that are alike are read once',
    },
  ];
}
