/**
 * @file A language model as a judge of labels that people gave: prompted, and taught on half of the labels. The other half is judged once.
 * `--model=NAME` is prompted; `--server=URL#BASE` is taught on a training server.
 */

import { areaUnderCurve } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import { type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { loadModel } from 'ludus-agents';
import { type Lesson, taught } from '../evidence/programs/_taught.ts';
import type { Figure, Flags } from './run.ts';

/** A question about a text, what most people say, and the group that is drawn again as a whole. */
export interface LabeledText {
  readonly group: number;
  readonly prompt: string;
  readonly isYes: boolean;
}

const atOnce = 64;
const [steps, rows, seeds] = [80, 16, [7001, 7002, 7003]] as const;

/** Groups with an even number are for setting the threshold and for teaching, the others for the figure. */
const isHeldOut = ({ group }: LabeledText) => group % 2 === 1;

export async function judgeLabels(name: string, texts: readonly LabeledText[], flags: Flags): Promise<readonly Figure[]> {
  const [seen, held] = [texts.filter((text) => !isHeldOut(text)), texts.filter(isHeldOut)];
  const figures: Figure[] = [];
  if (typeof flags['model'] === 'string') {
    const scores = await scoresOf(await loadModel(flags['model']), texts);
    const scoreOf = (text: LabeledText) => scores.get(text) ?? 0;
    const candidates = seen.map(scoreOf).sort((a, b) => a - b);
    const right = (at: number) => kappaOf(seen.map((text) => [scoreOf(text) >= at, text.isYes]));
    const threshold = candidates.reduce((best, at) => (right(at) > right(best) ? at : best), candidates[0] ?? 0);
    const label = `${flags['model']}, prompted: ${name}`;
    const pairsOf = (of: readonly LabeledText[]) => of.map((text): Verdict => [scoreOf(text) >= threshold, text.isYes]);
    figures.push(
      estimate(`${label}, at the best threshold of the other half`, 'kappa, chance 0', { held, of: (sample) => kappaOf(pairsOf(sample)) }),
      estimate(`${label}, yes where yes is likelier`, 'kappa, chance 0', {
        held,
        of: (sample) => kappaOf(sample.map((text) => [scoreOf(text) >= 0, text.isYes])),
      }),
      estimate(label, 'area under the curve, chance .5', { held, of: (sample) => curveOf(sample, scoreOf) }),
    );
  }
  if (typeof flags['server'] === 'string') {
    const lessons = seen.map(({ prompt, isYes }): Lesson => ({ prompt, answer: isYes ? 'yes' : 'no' }));
    for (const seed of seeds) {
      const teaching = { server: flags['server'], seed, key: name, lessons: () => lessons, steps, rows, answer: 3 };
      const answers = await (await taught(teaching)).answers(held.map(({ prompt }) => prompt));
      const verdicts = new Map(held.map((text, i) => [text, /^\W*yes/i.test(answers[i] ?? '')]));
      const of = (sample: readonly LabeledText[]) => kappaOf(sample.map((text) => [verdicts.get(text) === true, text.isYes]));
      figures.push(estimate(`${flags['server'].split('#')[1]}, taught, seed ${seed}: ${name}`, 'kappa, chance 0', { held, of }));
    }
  }
  return figures;
}

type Verdict = readonly [judge: boolean, people: boolean];

/** How much likelier yes is than no. */
async function scoresOf(model: Model, texts: readonly LabeledText[]): Promise<ReadonlyMap<LabeledText, number>> {
  const { score } = model;
  if (score === undefined) throw new Error(`${model.id} does not score answers.`);
  const scores = new Map<LabeledText, number>();
  const signal = new AbortController().signal;
  for (let at = 0; at < texts.length; at += atOnce)
    await Promise.all(
      texts.slice(at, at + atOnce).map(async (text) => {
        const { logprobs } = await score.call(model, { messages: [{ role: 'user', content: text.prompt }] }, ['yes', 'no'], signal);
        scores.set(text, (logprobs[0] ?? 0) - (logprobs[1] ?? 0));
      }),
    );
  return scores;
}

function kappaOf(verdicts: readonly Verdict[]): number {
  const share = (of: (verdict: Verdict) => boolean) => verdicts.filter(of).length / Math.max(1, verdicts.length);
  const [agreed, judge, people] = [share(([a, b]) => a === b), share(([a]) => a), share(([, b]) => b)];
  const expected = judge * people + (1 - judge) * (1 - people);
  return expected === 1 ? 0 : (agreed - expected) / (1 - expected);
}

function curveOf(sample: readonly LabeledText[], scoreOf: (text: LabeledText) => number): number {
  return areaUnderCurve(sample.filter(({ isYes }) => isYes).map(scoreOf), sample.filter(({ isYes }) => !isYes).map(scoreOf)).value;
}

interface Estimator {
  readonly held: readonly LabeledText[];
  readonly of: (sample: readonly LabeledText[]) => number;
}

function estimate(name: string, unit: string, { held, of }: Estimator): Figure {
  const dice = rng(7001, name);
  const groups = [...Map.groupBy(held, ({ group }) => group).values()];
  const draws = 1000;
  const values = Array.from({ length: draws }, () => of(groups.flatMap(() => dice.pick(groups)))).sort((a, b) => a - b);
  const [low = 0, high = 0] = [values[Math.floor(0.025 * draws)], values[Math.ceil(0.975 * draws) - 1]];
  return {
    name,
    value: of(held),
    unit,
    note: `${low.toFixed(3)} to ${high.toFixed(3)}; held-out half, ${held.length} texts, groups drawn again`,
  };
}
