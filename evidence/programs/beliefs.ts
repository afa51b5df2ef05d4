/**
 * @file A hidden brief of 8 attributes with uneven beliefs; five questions may be asked and the rest is guessed. The belief structure names
 * which question would settle most. Options: ask ("beliefs", "random" or "none"), seed. Gives the share of the brief that is met.
 */

import { knowledgeOf } from '@ludus-agents/agents/internal/mind/knowledge';
import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const attributes = ['color', 'size', 'place', 'light', 'mood', 'style', 'season', 'animal'];
const values = ['one', 'two', 'three', 'four'];
const briefs = 100;
const questions = 4;

export default function run({ ask = 'beliefs', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'briefs');
  let met = 0;
  let named = 0;
  for (let brief = 0; brief < briefs; brief++) {
    const chances = attributes.map(() => {
      const sharpness = 1 + 6 * random.next();
      const weights = values.map(() => random.next() ** sharpness);
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return weights.map((weight) => Math.max(1, Math.round((100 * weight) / sum)));
    });
    const truth = chances.map((weights) => random.weighted(weights));
    const settled = new Set<number>();
    for (let turn = 0; turn < questions && ask !== 'none'; turn++) {
      const records = attributes.map((name, i) =>
        beliefRecord(name, settled.has(i) ? [[values[truth[i]], 100]] : values.map((value, v) => [value, chances[i][v]])),
      );
      const [recalled] = knowledgeOf({ names: ['beliefs'], records, words: '', count: (text) => text.length });
      const wanted = /settle most is (\w+)/.exec(recalled?.text ?? '')?.[1];
      const left = attributes.map((_, i) => i).filter((i) => !settled.has(i));
      if (ask === 'beliefs' && wanted !== undefined) named++;
      settled.add(ask === 'beliefs' && wanted !== undefined ? attributes.indexOf(wanted) : random.pick(left));
    }
    met += truth.filter((value, i) => settled.has(i) || chances[i].indexOf(Math.max(...chances[i])) === value).length / attributes.length;
  }
  return { met: met / briefs, named };
}

function beliefRecord(name: string, options: readonly (readonly [string, number])[]): MemoryRecord {
  const text = options.map(([value, chance]) => `${value} ${chance}`).join(', ');
  return { id: name, key: `belief.${name}`, text: `belief.${name}: ${text}`, recordedAt: 1 } as unknown as MemoryRecord;
}
