/**
 * @file Experiments on simulated people with a planted effect, answers clustered by person: how often the 95% interval holds the truth.
 * Options: by ("clusters" or "answers"), seed. Gives the distance of coverage from 95%.
 */

import { clusteredMean, meanOf } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const experiments = 200;
const people = 30;
const answers = 5;
const truth = 0.3;

export default function run({ by = 'clusters', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'people');
  let covered = 0;
  for (let i = 0; i < experiments; i++) {
    const items = Array.from({ length: people }, (_, person) => {
      const level = bell(random);
      return Array.from({ length: answers }, () => ({ value: truth + level + bell(random), cluster: String(person) }));
    }).flat();
    const { interval } = by === 'clusters' ? clusteredMean(items) : meanOf(items.map(({ value }) => value));
    if (interval[0] <= truth && truth <= interval[1]) covered++;
  }
  return { miss: Math.abs(covered / experiments - 0.95), coverage: covered / experiments };
}

function bell(random: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
