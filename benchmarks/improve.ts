/**
 * @file What each engine makes of its reflections on three grounds, next to random edits at equal cost.
 *
 * `--seeds=N` runs of each engine (10), `--calls=N` plays of each (300), `--engines=a,b` only these, `--grounds=a,b` only there. No language
 * model plays: the figures say something about engines and gates. Three engines need a ground of their own kind (values, a team, weights), so
 * that start and random edits are others there.
 */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { engineGrounds } from '@ludus-agents/learning/internal/improving/engine-grounds.cases';
import { groundReport, grounds, trialsOf } from '@ludus-agents/learning/internal/improving/grounds.cases';
import { engines } from '@ludus-agents/learning/internal/prompts/engines/index';
import { errorOf } from '@ludus-agents/learning/internal/prompts/gate';
import { sizeOf } from './_size.ts';
import { writtenFigures } from './_written-texts.ts';
import type { Figure, Flags } from './run.ts';

const baselines = ['random', 'resample'];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const [seeds, calls] = [sizeOf(flags, 'seeds', 10, 1), sizeOf(flags, 'calls', 300, 60)];
  const named = (flag: string) => (typeof flags[flag] === 'string' ? flags[flag].split(',') : null);
  // These ask a model for whole texts: a scripted writer stands in on two grounds (--grounds=written measures only those).
  const askModels = ['mipro', 'simba', 'textgrad', 'aflow', 'adas'];
  const all = named('engines') ?? Object.keys(engines).filter((name) => ![...baselines, ...askModels].includes(name));
  const wanted = all.filter((name) => !Object.hasOwn(engineGrounds, name));
  const places = named('grounds') ?? (flags['smoke'] === true ? [grounds[0].name] : null);
  const figures: Figure[] = [];
  if (named('engines') === null && (places?.includes('written') ?? true))
    figures.push(...(await writtenFigures(seeds, Math.max(calls, 420))));
  for (const ground of grounds.filter(({ name }) => places?.includes(name) ?? true)) {
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
    if (wanted.length > 0) figures.push(...baselineFigures(ground.name, starts, random));
    for (const engine of wanted)
      figures.push(...engineFigures(`${ground.name}.${engine}`, best.get(engine) as number[], over.get(engine) as number[]));
    for (const engine of all.filter((name) => Object.hasOwn(engineGrounds, name))) {
      const reports = [];
      for (let seed = 1; seed <= seeds; seed++) reports.push(await engineGrounds[engine](ground, { engine, seed, calls }));
      const name = `${ground.name}.${engine}`;
      const [ownItems, control] = [
        reports.map(({ start }) => start.report),
        reports.map(({ baselines: { random: candidateScore } }) => candidateScore.report),
      ];
      figures.push(...baselineFigures(name, ownItems, control));
      figures.push(
        ...engineFigures(
          name,
          reports.map((improveReport) => improveReport.best.report),
          reports.map((report) => report.overRandom.mean),
        ),
      );
    }
  }
  return figures;
}

function baselineFigures(name: string, starts: readonly number[], random: readonly number[]): readonly Figure[] {
  return [
    { name: `improve.${name}.start`, value: meanOrZero(starts), unit: 'score' },
    { name: `improve.${name}.random`, value: meanOrZero(random), unit: 'score', note: 'random edits, behind the same gate' },
  ];
}

function engineFigures(name: string, best: readonly number[], gains: readonly number[]): readonly Figure[] {
  const note = `± ${errorOf(gains).toFixed(3)} over seeds; ahead in ${gains.filter((gain) => gain > 0).length} of ${gains.length}`;
  return [
    { name: `improve.${name}`, value: meanOrZero(best), unit: 'score' },
    { name: `improve.${name}.over_random`, value: meanOrZero(gains), unit: 'score', goal: '> 0', note },
  ];
}
