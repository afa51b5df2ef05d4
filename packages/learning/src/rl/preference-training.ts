/**
 * @file One gradient of preferences (multi-turn DPO and KTO) for any learner: the losses are expressed as weights of log-probabilities, so
 * that local and remote learners need no extra code.
 */

import { Fault, type Learner, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { dpo, episodeLogRatio, kto, ktoBase } from './losses/preference.ts';
import type { PreferenceSide } from './preference-pairs.ts';

/** The part of a side used for training. */
type Words = Pick<PreferenceSide, 'from'> & { readonly rows?: readonly Pick<TokenRow, 'tokens' | 'mask'>[] };

export interface Preferred {
  readonly loss: number;
  /** The share of pairs that the policy already ranks correctly. */
  readonly accuracy: number;
  /** Mean log-ratio to the reference: chosen minus rejected, or good minus bad. */
  readonly margin: number;
}

/** Adds the gradient of the mean DPO loss of pairs. */
export async function preferPairs(
  learner: Learner,
  pairs: readonly { readonly chosen: Words; readonly rejected: Words }[],
  beta = 0.1,
): Promise<Preferred> {
  const sides = pairs.flatMap(({ chosen, rejected }) => [chosen, rejected]);
  const ratios = await logRatios(learner, sides);
  const observations = pairs.map((_, i) => {
    const [choice, rejected] = [ratios[2 * i], ratios[2 * i + 1]];
    return { ...dpo(choice, rejected, beta), gap: choice - rejected };
  });
  const weights = observations.flatMap(({ slope }) => [-slope / pairs.length, slope / pairs.length]);
  await learner.forwardBackward(weightRows(sides, weights), 'cross_entropy');
  return {
    loss: meanOrZero(observations.map(({ loss }) => loss)),
    accuracy: meanOrZero(observations.map(({ gap }) => (gap > 0 ? 1 : 0))),
    margin: meanOrZero(observations.map(({ gap }) => gap)),
  };
}

/** Adds the gradient of the mean KTO loss. Its base level is estimated from `mismatched` sides: replies paired with other prompts. */
export async function preferGood(
  learner: Learner,
  judged: readonly { readonly side: Words; readonly good: boolean; readonly weight: number }[],
  { beta = 0.1, mismatched = [] }: { readonly beta?: number; readonly mismatched?: readonly Words[] } = {},
): Promise<Preferred> {
  const sides = judged.map(({ side }) => side);
  const ratios = await logRatios(learner, sides);
  const base = mismatched.length === 0 ? 0 : ktoBase(await logRatios(learner, mismatched));
  const observations = judged.map(({ good, weight }, i) => {
    const { loss, slope } = kto(ratios[i], good, { beta, base });
    return { loss: weight * loss, slope: weight * slope, good, ratio: ratios[i] };
  });
  await learner.forwardBackward(
    weightRows(
      sides,
      observations.map(({ slope }) => -slope / judged.length),
    ),
    'cross_entropy',
  );
  const ratioOf = (wanted: boolean) => meanOrZero(observations.filter(({ good }) => good === wanted).map(({ ratio }) => ratio));
  return {
    loss: meanOrZero(observations.map(({ loss }) => loss)),
    accuracy: meanOrZero(observations.map(({ good, ratio }) => (ratio > base === good ? 1 : 0))),
    margin: ratioOf(true) - ratioOf(false),
  };
}

/** The log-ratio of each side's own tokens to the reference, summed over its rows. */
async function logRatios(learner: Learner, sides: readonly Words[]): Promise<readonly number[]> {
  const rows = sides.map(rowsOf);
  const flat = rows.flat();
  const [now, reference] = [await learner.logprobs(flat), await learner.logprobs(flat, 'reference')];
  let next = 0;
  return rows.map((row) =>
    row.reduce((sum, { mask }) => {
      const at = next++;
      return sum + episodeLogRatio(now[at], reference[at], mask);
    }, 0),
  );
}

function weightRows(sides: readonly Words[], weights: readonly number[]): readonly TokenRow[] {
  return sides.flatMap((side, i) =>
    rowsOf(side).map(({ tokens, mask }) => ({ tokens, mask, weights: Array.from(mask, () => weights[i]) })),
  );
}

function rowsOf(side: Words) {
  if (side.rows === undefined)
    throw new Fault('input', `The log of ${side.from} has no tokens to learn from. Play with a model that returns token ids.`);
  return side.rows;
}
