/**
 * @file Skirmishes of two clumsy commanders are exported as arrays (`ludus data export --format states`), and a logistic regression on
 * the exported layers predicts the winner from single states.
 *
 * Options: labels ("true", or "shuffled" among episodes), episodes, seed. Prints the share of held-out states whose winner is
 * predicted, the share of the more frequent winner, and the number of states.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skirmish } from '@ludus-agents/environments/internal/skirmish/skirmish';
import { type AnyEnvironment, type Json, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { run as performPlan } from '@ludus-agents/kernel/internal/engine/run';
import { writeStates } from '@ludus-agents/learning/internal/datasets/states';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { parquetReadObjects } from 'hyparquet';
import type { ProgramOptions } from '../arms.ts';
import { mixed, scriptOf } from './_play.ts';

interface Row {
  readonly episode: string;
  readonly features: Float64Array;
  readonly won: boolean;
}

export default async function run({ labels = 'true', episodes = 160, seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = skirmish as AnyEnvironment;
  const random = rng(Number(seed), 'exports');
  const store = memoryStore();
  const clumsy = (name: string) => scripted('clumsy', mixed(scriptOf(environment, name), scriptOf(environment, 'random'), 0.5));
  await performPlan(
    {
      environments: [
        {
          environment: 'skirmish',
          tasks: [
            { steps: 40, units: 3, enemies: 3 },
            { steps: 40, units: 4, enemies: 4 },
          ],
        },
      ],
      seeds: { from: Number(seed) * 1000, count: Math.round(Number(episodes) / 4) },
      casts: [
        { commander: 'focus', rival: 'spread' },
        { commander: 'spread', rival: 'focus' },
      ],
    },
    { store, environment: async () => environment, agent: async (spec) => clumsy(String(spec)) },
  );
  const folder = mkdtempSync(join(tmpdir(), 'ludus-exports-'));
  try {
    const request = { store, format: 'states', filter: {}, split: { evalShare: 0.3, seed: Number(seed) }, preference: { score: 'return' } };
    await writeStates({ ...request, at: new Date(0), version: '0' }, join(folder, 'out'), { rules: async () => environment });
    const sides = { train: await rowsIn(folder, 'train'), eval: await rowsIn(folder, 'eval') };
    const all = [...sides.train, ...sides.eval];
    const wonBy = new Map(all.map(({ episode, won }) => [episode, won]));
    const shuffled = random.shuffle([...wonBy.values()]);
    const names = [...wonBy.keys()];
    const relabel = (rows: readonly Row[]) =>
      rows.map((row) => ({ ...row, won: labels === 'true' ? row.won : shuffled[names.indexOf(row.episode)] }));
    const [train, test] = [relabel(sides.train), relabel(sides.eval)];
    const weights = fitWeights(train);
    const right = test.filter(({ features, won }) => scoreOf(weights, features) > 0 === won).length / test.length;
    const wins = test.filter(({ won }) => won).length / test.length;
    return { right, majority: Math.max(wins, 1 - wins), states: all.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The states of a side of the split that belong to a decided game; strengths by owner are what the model sees of each cell. */
async function rowsIn(folder: string, side: string): Promise<readonly Row[]> {
  const base = join(folder, 'out', 'data', 'skirmish', side);
  const bytes = readFileSync(`${base}-layers.npy`);
  const values = bytes.subarray(10 + bytes.readUInt16LE(8));
  const file = readFileSync(`${base}-labels.parquet`);
  const labels = await parquetReadObjects({ file: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer });
  const rows: Row[] = [];
  const returns = new Map<string, number>();
  for (const { episode, seat, return: value } of labels) if (seat !== '') returns.set(`${episode} ${seat}`, Number(value));
  for (const { row, episode, seat } of labels) {
    const gap = (returns.get(`${episode} commander`) ?? 0) - (returns.get(`${episode} rival`) ?? 0);
    if (seat !== 'commander' || gap === 0) continue;
    const features = new Float64Array(129);
    for (let cell = 0; cell < 64; cell++) {
      const at = 192 * Number(row) + cell;
      const owner = values[at + 64];
      if (owner > 0) features[64 * (owner - 1) + cell] = values[at + 128] / 10;
    }
    features[128] = 1;
    rows.push({ episode: String(episode), features, won: gap > 0 });
  }
  return rows;
}

/** Logistic regression with a small penalty, by 40 steps of Adagrad along the whole gradient. */
function fitWeights(rows: readonly Row[]): Float64Array {
  const weights = new Float64Array(129);
  const squares = new Float64Array(129);
  for (let step = 0; step < 40; step++) {
    const gradient = weights.map((weight) => -0.001 * weight);
    for (const { features, won } of rows) {
      const error = (won ? 1 : 0) - 1 / (1 + Math.exp(-scoreOf(weights, features)));
      for (let i = 0; i < features.length; i++) if (features[i] !== 0) gradient[i] += (error * features[i]) / rows.length;
    }
    for (let i = 0; i < weights.length; i++) {
      squares[i] += gradient[i] ** 2;
      weights[i] += (0.2 * gradient[i]) / (1e-9 + Math.sqrt(squares[i]));
    }
  }
  return weights;
}

function scoreOf(weights: Float64Array, features: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < features.length; i++) sum += weights[i] * features[i];
  return sum;
}
