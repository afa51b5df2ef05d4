/** @file Reproduce a result: a simulation with seeds, the interval in which another run must lie, and what is given at three levels. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { runScript } from '../interpreter/interpreter.ts';

/** Student's t at 0.975, for 1 to 9 degrees of freedom. */
const quantiles = [12.706204736, 4.30265273, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135, 2.262157163];

/** Where one more run lies in 95 of 100 cases: mean ± t·s·√(1 + 1/n), and no narrower than a millionth of the mean. */
export function predictionInterval(runs: readonly number[]): readonly [number, number] {
  const n = runs.length;
  const mean = runs.reduce((sum, value) => sum + value, 0) / n;
  const deviation = Math.sqrt(runs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  const half = Math.max(quantiles[n - 2] * deviation * Math.sqrt(1 + 1 / n), 1e-6 * Math.abs(mean));
  return [mean - half, mean + half];
}

export type Study = {
  readonly files: Readonly<Record<string, string>>;
  readonly ask: string;
  readonly entry: string;
  readonly interval: readonly [number, number];
};

const dice = `export function dice(seed) {
  let state = (seed * 7919 + 12345) % 233280;
  return () => { state = (state * 9301 + 49297) % 233280; return state / 233280; };
}
`;

const studies: Readonly<Record<string, (size: number) => { readonly code: string; readonly about: string }>> = {
  walk: (size) => ({
    about: `the mean distance from the start after ${size} random steps`,
    code: `import { dice } from './dice.js';
let total = 0;
const roll = dice(seed);
for (let i = 0; i < 60; i++) { let at = 0; for (let s = 0; s < ${size}; s++) at += roll() < 0.5 ? -1 : 1; total += Math.abs(at); }
total / 60;
`,
  }),
  queue: (size) => ({
    about: `the mean wait of ${size * 40} customers`,
    code: `import { dice } from './dice.js';
const roll = dice(seed);
let wait = 0;
let total = 0;
for (let i = 0; i < ${size * 40}; i++) { total += wait; wait = Math.max(0, wait + roll() * 2 - roll() * 3); }
total / ${size * 40};
`,
  }),
};

/** One study that is asked for and one that is not; five runs of the first give the interval. */
export function makeStudy(level: string, rng: Rng): Study | null {
  const names = rng.shuffle(Object.keys(studies));
  const [wanted, other] = names.map((name) => ({ name, ...studies[name](8 + rng.int(8)) })) as [
    { name: string; code: string; about: string },
    { name: string; code: string; about: string },
  ];
  const code: Record<string, string> = { 'dice.js': dice, [`${wanted.name}.js`]: wanted.code, [`${other.name}.js`]: other.code };
  const entry = `${wanted.name}.js`;
  const seeds = rng.shuffle(Array.from({ length: 40 }, (_, i) => i + 1)).slice(0, 5);
  const runs = seeds.map((seed) => runStudy(code, entry, seed));
  if (runs.some((run) => run === null)) return null;
  const results = `Runs of ${entry}: ${runs.map((run) => run!.toFixed(4)).join(', ')}\n`;
  const instructions = `Run ${entry} with a seed for ${wanted.about}, and ${other.name}.js for ${other.about}.\n`;
  const files = {
    ...code,
    ...(level === 'easy' ? { 'results.txt': results } : {}),
    ...(level === 'hard' ? {} : { 'README.md': instructions }),
  };
  return { files, ask: `What is ${wanted.about}, by the code of this repository?`, entry, interval: predictionInterval(runs as number[]) };
}

const retained = new Map<string, number | null>();

/** What a run gives, remembered: it is the same for the same code and seed. */
export function runStudy(files: Readonly<Record<string, string>>, entry: string, seed: number): number | null {
  const key = `${seed} ${files['dice.js']}${files[entry]}`;
  const before = retained.get(key);
  if (before !== undefined) return before;
  const { ok, value } = runScript(files, entry, { given: { seed } });
  const found = ok && typeof value === 'number' ? value : null;
  if (retained.size > 2000) retained.clear();
  retained.set(key, found);
  return found;
}
