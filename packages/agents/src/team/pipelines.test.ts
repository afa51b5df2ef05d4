/** @file Every known pipeline on a task where one of its modules matters: it wins with it, and without it does not. */

import { describe, expect, it } from 'vitest';
import { pipelineTrials } from '../../../../benchmarks/_pipeline-tasks.ts';
import { playTrial } from '../../../../benchmarks/_pipeline-trials.ts';
import { pipelineNames } from './pipelines.ts';

const seeds = Array.from({ length: 16 }, (_, seed) => seed);

describe('module of a built-in pipeline', () => {
  it('has a trial in every pipeline', () => {
    const tried = [...pipelineTrials.map(({ pipeline }) => pipeline), 'fasta'];
    expect(tried.toSorted()).toEqual([...pipelineNames].toSorted());
  });

  it.each(pipelineTrials)('matters in $pipeline: $module: $about', async (trial) => {
    const sum = async (off: readonly string[]) => {
      const plays = await Promise.all(seeds.map((seed) => playTrial(trial, seed, off)));
      return { paid: plays.reduce((all, trialPlay) => all + trialPlay.paid, 0) };
    };
    const [whole, without] = [await sum([]), await sum([trial.module])];
    // All but the first answer after a partner has changed.
    expect(whole.paid).toBeCloseTo(16 * (trial.pipeline === 'proagent' ? 7 / 8 : 1), 9);
    expect(without.paid).toBeLessThan(0.9 * whole.paid);
  });
});
