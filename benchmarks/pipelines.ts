/** @file What one module of each known pipeline is worth on a task where it matters: with it and without it, on the same seeds. */

import { meanOrZero as mean } from '@ludus-agents/kernel/internal/core/mean';
import { pipelineTrials } from './_pipeline-tasks.ts';
import { playTrial } from './_pipeline-trials.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const games = sizeOf(flags, 'games', 200, 1);
  const figures: Figure[] = [];
  for (const trial of pipelineTrials) {
    const seeds = Array.from({ length: games }, (_, seed) => seed);
    const whole = await Promise.all(seeds.map((seed) => playTrial(trial, seed, [])));
    const without = await Promise.all(seeds.map((seed) => playTrial(trial, seed, [trial.module])));
    const gains = whole.map(({ paid }, i) => paid - (without[i]?.paid ?? 0));
    const gain = mean(gains);
    const half = 1.96 * Math.sqrt(mean(gains.map((otherGain) => (otherGain - gain) ** 2)) / games);
    const meanWords = (plays: typeof whole) => mean(plays.map((trialPlay) => trialPlay.words)).toFixed(1);
    figures.push({
      name: `${trial.pipeline}, gain by ${trial.module}`,
      value: gain,
      unit: 'of 1',
      note: `95 % interval ${(gain - half).toFixed(3)} to ${(gain + half).toFixed(3)}; ${mean(whole.map(({ paid }) => paid)).toFixed(3)} with it in ${meanWords(whole)} words, ${mean(without.map(({ paid }) => paid)).toFixed(3)} without it in ${meanWords(without)}`,
    });
  }
  return figures;
}
