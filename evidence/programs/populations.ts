/**
 * @file Distance of sampled populations from the joint tables they are drawn from. Options: by ("joint": every margin is met; "draws":
 * draws from the joint tables; "margins": drawn independently), n, seed.
 */

import { customers } from '@ludus-agents/agents/internal/personas/gallery/customers';
import { sampleAttributes } from '@ludus-agents/agents/internal/personas/population/sample';
import { readSpecification } from '@ludus-agents/agents/internal/personas/population/specification';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { found } from './_values.ts';

export default function run({ by = 'joint', n = 200, seed = 1 }: ProgramOptions): Json {
  const population = readSpecification(customers);
  const rows =
    by === 'margins'
      ? independent(population, Number(n), Number(seed))
      : sampleAttributes(population, Number(n), Number(seed), { exact: by === 'joint' });
  let distance = 0;
  for (const { of, cells } of population.margins) {
    const total = cells.reduce((sum, { share }) => sum + share, 0);
    const gap = cells.reduce((sum, { values, share }) => {
      const count = rows.filter((row) => of.every((name, i) => row[name] === values[i])).length;
      return sum + Math.abs(count / rows.length - share / total);
    }, 0);
    distance += gap / 2 / population.margins.length;
  }
  return { distance };
}

/** Every attribute drawn by itself, from its own shares. */
function independent(
  { values, margins }: ReturnType<typeof readSpecification>,
  n: number,
  seed: number,
): readonly Readonly<Record<string, string>>[] {
  const random = rng(seed, 'independent');
  const shares = new Map(
    [...values].map(([name, options]) => {
      const margin = found(margins.find(({ of }) => of.includes(name)));
      const place = margin.of.indexOf(name);
      return [name, options.map((option) => margin.cells.reduce((sum, cell) => sum + (cell.values[place] === option ? cell.share : 0), 0))];
    }),
  );
  return Array.from({ length: n }, () =>
    Object.fromEntries([...values].map(([name, options]) => [name, options[random.weighted(found(shares.get(name)))]])),
  );
}
