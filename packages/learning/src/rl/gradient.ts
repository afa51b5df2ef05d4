/**
 * @file Computes one gradient from episodes with their advantages, for every family of losses. All of them reduce to weights of
 * log-probabilities, which every learner supports.
 */

import { Fault, type Learner, type Rng, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { membersOf } from './baselines/group.ts';
import type { PastEntropy } from './losses/band.ts';
import { imitation, imitationShare } from './losses/imitation.ts';
import { episodeLogRatio, sppo } from './losses/preference.ts';
import { canStep, gamesOf, mergedRows, mergesAnswers } from './merged-rows.ts';
import { preferGood, preferPairs } from './preference-training.ts';
import type { Recipe } from './recipe.ts';
import { winRates } from './rewards.ts';
import { type EpisodeSample, rowOfTurn, rowsOf, type TurnAdvantage } from './samples.ts';
import { computeTokenWeights, pulls } from './token-weights.ts';

export interface GradientBatch {
  readonly learner: Learner;
  readonly recipe: Recipe;
  readonly episodes: readonly EpisodeSample[];
  readonly advantages: readonly ArrayLike<TurnAdvantage>[];
  /** Remembered rows with their own advantages. */
  readonly recalled: readonly TokenRow[];
  /** Demonstrated rows, to be imitated. */
  readonly shown: readonly TokenRow[];
  /** Rows with their own weights, added to the loss unchanged: the teachers' answers. */
  readonly terms?: readonly TokenRow[];
  readonly update: number;
  readonly done: number;
  readonly past: PastEntropy;
}

export interface Gradient {
  readonly measured: Readonly<Record<string, number>>;
  readonly clipped: number;
  /** Whether the step was applied together with the gradient. */
  readonly applied?: boolean;
}

/** The settings of the optimizer's step. */
export type OptimiserStep = Readonly<Record<string, number>>;

/**
 * Splits an update into parts: each epoch shuffles the prompts and keeps them whole. Remembered and demonstrated rows are in the first
 * part.
 */
export function minibatchesOf(batch: GradientBatch, dice: Rng): readonly GradientBatch[] {
  const { epochs = 1, minibatches = 1 } = batch.recipe.loss;
  if (epochs === 1 && minibatches === 1) return [batch];
  const prompts = [...Map.groupBy(batch.episodes.keys(), (i) => batch.episodes[i].prompt).values()];
  // If no group is worth learning from, only remembered and demonstrated rows are left.
  if (prompts.length === 0) return [batch];
  const size = Math.ceil(prompts.length / minibatches);
  return Array.from({ length: epochs }, () => {
    const order = minibatches === 1 ? prompts : dice.shuffle(prompts);
    return Array.from({ length: Math.ceil(order.length / size) }, (_, i) => order.slice(i * size, (i + 1) * size).flat());
  })
    .flat()
    .map((members, i) => ({
      ...batch,
      episodes: members.map((at) => batch.episodes[at]),
      advantages: members.map((at) => batch.advantages[at]),
      ...(i > 0 && { recalled: [], shown: [], terms: [] }),
    }));
}

/** Whether gradient and step are one call to the learner. */
export function isFused(parts: readonly GradientBatch[]): boolean {
  return parts.length === 1 && mergesAnswers(parts[0]);
}

/**
 * Makes a step after each part except the last. The last step is left to the caller, unless no games run meanwhile (`alone`) and the
 * learner combines gradient and step. Figures are means over the parts; tokens are those of one epoch.
 */
export async function descend(parts: readonly GradientBatch[], step: OptimiserStep, alone: boolean): Promise<Gradient> {
  if (alone && isFused(parts)) return fuseStep(parts[0], step);
  const gradients: Gradient[] = [];
  for (const [i, part] of parts.entries()) {
    if (i > 0) await part.learner.optimStep(step);
    gradients.push(await gradientOf(part));
  }
  if (gradients.length === 1) return gradients[0];
  const { epochs = 1 } = parts[0].recipe.loss;
  const names = new Set(gradients.flatMap(({ measured }) => Object.keys(measured)));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const measured = Object.fromEntries(
    [...names].map((name) => {
      const values = gradients.map((gradient) => gradient.measured[name] ?? 0);
      return [name, name === 'tokens' ? (mean(values) * values.length) / epochs : mean(values)];
    }),
  );
  return { measured, clipped: mean(gradients.map(({ clipped }) => clipped)) };
}

/** Adds the gradient of the recipe's loss to the learner's pending gradient. */
async function gradientOf(lessons: GradientBatch): Promise<Gradient> {
  const { learner, recipe, shown } = lessons;
  switch (recipe.loss.kind) {
    case 'preference':
      return toGradient(lessons, await preferPairs(learner, extremes(lessons), recipe.loss.beta));
    case 'desirability': {
      const judged = goodAndBad(lessons);
      // The episodes are the policy's own, so their mean log-ratio measures its distance from the reference: the level that mismatched
      // pairs estimate.
      return toGradient(lessons, await preferGood(learner, judged, { ...betaOf(recipe), mismatched: judged.map(({ side }) => side) }));
    }
    case 'squared':
      return fitSquares(lessons);
    case 'imitation':
      return { measured: await learner.forwardBackward(imitation(shown), 'cross_entropy'), clipped: 0 };
    default:
      return reinforce(lessons);
  }
}

/** One graph for gradient and step, and one row for all identical answers. */
async function fuseStep({ learner, recipe, episodes, advantages, done, past }: GradientBatch, step: OptimiserStep): Promise<Gradient> {
  const rows = mergedRows(episodes, advantages as readonly ArrayLike<number>[]);
  const settings = pulls(recipe, { done, past });
  if (!canStep(learner)) throw new Fault('input', `${learner.id} cannot combine gradient and step.`);
  return { measured: await learner.step(rows, 'cross_entropy', { ...settings, ...step }), clipped: 0, applied: true };
}

async function reinforce({
  learner,
  recipe,
  episodes,
  advantages,
  recalled,
  shown,
  terms = [],
  update,
  done,
  past,
}: GradientBatch): Promise<Gradient> {
  const rows = [...episodes.flatMap(({ turns }, i) => rowsOf(turns, advantages[i])), ...recalled];
  const { weighted, settings, clipped } = await computeTokenWeights(rows, { learner, recipe, done, past, games: gamesOf(episodes) });
  const { imitation: mix } = recipe.loss;
  if (mix === undefined) return { measured: await learner.forwardBackward([...weighted, ...terms], 'cross_entropy', settings), clipped };
  const share = imitationShare(update, mix);
  const ownItems = weighted.map((row) => ({ ...row, weights: Float64Array.from(row.weights ?? [], (weight) => (1 - share) * weight) }));
  return {
    measured: await learner.forwardBackward([...ownItems, ...imitation(shown, share), ...terms], 'cross_entropy', settings),
    clipped,
  };
}

interface Unit {
  readonly rows: readonly TokenRow[];
  /** The target log-ratio of its tokens. */
  readonly target: number;
}

/**
 * Half the squared distance of log-ratios from targets: for whole episodes by their win rate (SPPO), for turns by their advantage (WebRL).
 */
async function fitSquares(lessons: GradientBatch): Promise<Gradient> {
  const { learner, recipe, episodes, advantages, recalled } = lessons;
  const beta = recipe.loss.beta ?? 1;
  const turnUnits = (rows: readonly TokenRow[]): readonly Unit[] =>
    rows.map((row) => ({ rows: [row], target: (row.advantages?.[row.mask.length - 1] ?? 0) / beta }));
  const units: readonly Unit[] =
    recipe.assignment.kind === 'win-rate'
      ? bestAndWorst(lessons, 1 / beta)
      : [...episodes.flatMap(({ turns }, i) => turnUnits(rowsOf(turns, advantages[i]))), ...turnUnits(recalled)];
  const rows = units.flatMap((unit) => unit.rows);
  const [now, reference] = [await learner.logprobs(rows), await learner.logprobs(rows, 'reference')];
  let at = 0;
  const weighted = units.flatMap((unit) => {
    const first = at;
    const ratio = unit.rows.reduce((sum, { mask }) => sum + episodeLogRatio(now[at], reference[at++], mask), 0);
    const { slope } = sppo(ratio, unit.target + 0.5, 1);
    return unit.rows.map((_, i) => {
      const row = rows[first + i];
      return { ...row, weights: Array.from(row.mask, () => -slope / units.length) };
    });
  });
  return { measured: await learner.forwardBackward(weighted, 'cross_entropy'), clipped: 0 };
}

function bestAndWorst({ episodes, advantages }: GradientBatch, eta: number): readonly Unit[] {
  return groupsOf(episodes).flatMap((members) => {
    const rates = winRates(members.map((i) => episodes[i].returned));
    const wins = members.map((i, m) => episodes[i].won ?? rates[m]);
    const ranked = members.map((i, m) => ({ i, wins: wins[m] })).toSorted((a, b) => b.wins - a.wins);
    const [best, worst] = [ranked[0], ranked.at(-1)];
    if (best === undefined || worst === undefined || best === worst) return [];
    return [best, worst].map(({ i, wins: won }) => ({
      rows: rowsOf(episodes[i].turns, advantages[i]),
      target: eta * (won - 0.5),
    }));
  });
}

/** The best against the worst of each group; pairs with equal scores or equal texts teach nothing. */
function extremes({ episodes, advantages }: GradientBatch): Parameters<typeof preferPairs>[1] {
  return groupsOf(episodes).flatMap((members) => {
    const ranked = members.map((i) => ({ sample: episodes[i], worth: worthOf(advantages[i]) })).toSorted((a, b) => b.worth - a.worth);
    const [best, worst] = [ranked[0], ranked.at(-1)];
    if (best === undefined || worst === undefined || best.worth <= worst.worth || transcriptOf(best.sample) === transcriptOf(worst.sample))
      return [];
    return [{ chosen: sideOf(best.sample), rejected: sideOf(worst.sample) }];
  });
}

/** Above the mean of its group is good, below it bad; both have equal total weight. */
function goodAndBad({ episodes, advantages }: GradientBatch): Parameters<typeof preferGood>[1] {
  const judged = groupsOf(episodes).flatMap((members) => {
    const worths = members.map((i) => worthOf(advantages[i]));
    const mean = meanOrZero(worths);
    return members.flatMap((i, m) => {
      const gap = worths[m] - mean;
      return gap === 0 ? [] : [{ side: sideOf(episodes[i]), good: gap > 0 }];
    });
  });
  const count = (good: boolean) => judged.filter((item) => item.good === good).length;
  const most = Math.max(count(true), count(false));
  return judged.map((item) => ({ ...item, weight: most / count(item.good) }));
}

function groupsOf(episodes: readonly EpisodeSample[]): readonly (readonly number[])[] {
  const numbers = new Map<string, number>();
  return membersOf(
    episodes.map(({ prompt, seat }) => {
      const key = `${prompt}/${seat}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    }),
  );
}

/** Without a baseline, the advantage of the first turn is the return of the whole episode. */
function worthOf(advantages: ArrayLike<TurnAdvantage>): number {
  const first = advantages[0] ?? 0;
  return typeof first === 'number' ? first : (first[0] ?? 0);
}

function sideOf({ turns, prompt, seat }: EpisodeSample) {
  return { from: `game ${prompt} of ${seat}`, rows: turns.map(rowOfTurn) };
}

function transcriptOf({ turns }: EpisodeSample): string {
  return turns.map(({ read, written }) => `${read.join(' ')} ${written.join(' ')}`).join('/');
}

function betaOf({ loss }: Recipe): { readonly beta?: number } {
  return loss.beta === undefined ? {} : { beta: loss.beta };
}

function toGradient({ episodes }: GradientBatch, { loss }: { readonly loss: number }): Gradient {
  const tokens = episodes.reduce((sum, { turns }) => sum + turns.reduce((turn, { written }) => turn + written.length, 0), 0);
  return { measured: { loss, tokens }, clipped: 0 };
}
