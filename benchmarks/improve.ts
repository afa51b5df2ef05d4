/**
 * @file What each engine makes of its reflections on three grounds, beside random edits at equal cost.
 *
 * `--seeds=N` runs of each engine (10), `--calls=N` plays of each (300), `--engines=a,b` only these. No language model plays: the figures say
 * something about engines and gates.
 */

import { meanOrZero } from '../src/core/mean.ts';
import { groundReport, grounds, trialsOf } from '../src/improving/grounds.cases.ts';
import { engines } from '../src/learning/prompts/engines/index.ts';
import { errorOf } from '../src/learning/prompts/gate.ts';
import type { Figure, Flags } from './run.ts';

/** Baselines, and engines that need values or weights that these grounds do not have. */
const others = ['random', 'resample', 'sweep', 'together'];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const [seeds, calls] = [Number(flags['seeds'] ?? 10), Number(flags['calls'] ?? 300)];
  const wanted =
    typeof flags['engines'] === 'string' ? flags['engines'].split(',') : Object.keys(engines).filter((name) => !others.includes(name));
  const figures: Figure[] = [];
  for (const ground of grounds) {
    const over = new Map<string, number[]>(wanted.map((name) => [name, []]));
    const best = new Map<string, number[]>(wanted.map((name) => [name, []]));
    const [starts, random]: [number[], number[]] = [[], []];
    for (let seed = 1; seed <= seeds; seed++) {
      // What one engine has played, another need not play again.
      const trials = trialsOf(ground);
      for (const engine of wanted) {
        const report = await groundReport(ground, { engine, seed, calls, trials });
        over.get(engine)?.push(report.overRandom.mean);
        best.get(engine)?.push(report.best.report);
        if (engine !== wanted[0]) continue;
        starts.push(report.start.report);
        random.push(report.baselines.random.report);
      }
    }
    figures.push({ name: `improve.${ground.name}.start`, value: meanOrZero(starts), unit: 'score' });
    figures.push({
      name: `improve.${ground.name}.random`,
      value: meanOrZero(random),
      unit: 'score',
      note: 'random edits, behind the same gate',
    });
    for (const engine of wanted) {
      const gains = over.get(engine) as number[];
      figures.push({ name: `improve.${ground.name}.${engine}`, value: meanOrZero(best.get(engine) as number[]), unit: 'score' });
      const note = `± ${errorOf(gains).toFixed(3)} over seeds; ahead in ${gains.filter((gain) => gain > 0).length} of ${gains.length}`;
      figures.push({ name: `improve.${ground.name}.${engine}.over_random`, value: meanOrZero(gains), unit: 'score', goal: '> 0', note });
    }
  }
  return figures;
}
