/** @file Trains a reward model on the episodes of a run: labels by a rule on their scores, a part held out, and a card from that part. */

import { Fault, hash, type Seat, type Store } from '../core/index.ts';
import { momentsOf } from '../scoring/reward-model/features.ts';
import { rewardCard } from '../scoring/reward-model/reward-card.ts';
import {
  chanceOfGood,
  type RewardExample,
  type RewardModelFile,
  sparse,
  trainReward,
  withoutDecisive,
} from '../scoring/reward-model/reward-model.ts';
import type { Bound } from '../store/exports/bounds.ts';

export interface RewardRequest {
  readonly run: string;
  readonly name: string;
  readonly seat?: string | undefined;
  /** Which episodes the rule calls good: a bound on what the seat was paid, or on one of its scores. */
  readonly bound: Bound;
  readonly seed: number;
  /** The share of episodes that only the card sees. */
  readonly heldOut: number;
}

export async function rewardModelFrom(store: Store, { run, name, seat, bound, seed, heldOut }: RewardRequest): Promise<RewardModelFile> {
  const examples: (RewardExample & { readonly held: boolean })[] = [];
  let judged: Seat | null = null;
  let environment = '';
  for (const [id, status] of await store.statuses(run)) {
    if (status !== 'over' && status !== 'limit') continue;
    const log = await store.events(id);
    const [start] = log;
    const end = log.at(-1);
    if (start?.kind !== 'start' || end?.kind !== 'end') continue;
    const wanted = seat ?? start.seats[0]!;
    if (!start.seats.includes(wanted))
      throw new Fault('input', `The episodes have no seat "${wanted}"; their seats are ${start.seats.join(', ')}.`);
    judged = wanted;
    environment = start.environment;
    // The side of an episode follows from its own name, so that it stays on it whatever else is played.
    const held = Number.parseInt(hash(`${id} ${seed}`).slice(0, 8), 16) / 2 ** 32 < heldOut;
    examples.push({
      moments: momentsOf(log, wanted),
      good: meets(
        bound,
        bound.score === 'return' ? (end.returns[wanted] ?? 0) : await scoreOf(store, id, { name: bound.score, seat: wanted }),
      ),
      held,
    });
  }
  if (judged === null) throw new Fault('input', `The run ${run} has no episode that was played to its end; play some first.`);
  const shown = examples.filter(({ held }) => !held);
  const { weights, mined } = trainReward({ examples: shown, seed });
  const rest = examples.filter(({ held }) => held);
  const ratesOf = (good: boolean) => rest.filter((one) => one.good === good).map(({ moments }) => chanceOfGood(weights, moments));
  const twins = rest.filter(({ good }) => good).map(({ moments }) => chanceOfGood(weights, withoutDecisive(moments)));
  const [good, bad] = [ratesOf(true), ratesOf(false)];
  if (good.length === 0 || bad.length === 0)
    throw new Fault(
      'input',
      `Of ${rest.length} held-out episodes ${good.length} are good by the rule; the card needs both sorts: play more, or choose another rule.`,
    );
  const card = rewardCard({ good, bad, twins, mined });
  return {
    kind: 'ludus-reward-model',
    name,
    environment,
    seat: judged,
    rule: `${bound.score}${bound.is}${bound.value}`,
    weights: sparse(weights),
    card,
  };
}

/** A missing score is within no bound. */
function meets({ is, value: bound }: Bound, value: number | null): boolean {
  if (value === null) return false;
  if (is === '>=') return value >= bound;
  if (is === '<=') return value <= bound;
  if (is === '>') return value > bound;
  return is === '<' ? value < bound : value === bound;
}

async function scoreOf(
  store: Store,
  episode: string,
  { name, seat }: { readonly name: string; readonly seat: Seat },
): Promise<number | null> {
  const found = (await store.scores(episode)).findLast((score) => score.name === name && (score.seat ?? seat) === seat);
  return found?.value ?? null;
}
