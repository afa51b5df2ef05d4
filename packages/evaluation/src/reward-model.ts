/** @file Trains a reward model on the episodes of a run: labels by a rule on their scores, a held-out part, and a trust card from it. */

import { Fault, hash, type Seat, type Store } from '@ludus-agents/kernel/internal/core/index';
import { type Bound, within } from '@ludus-agents/store/internal/exports/bounds';
import { momentsOf } from './scoring/reward-model/features.ts';
import { type RewardExample, type RewardModelFile, trainedReward } from './scoring/reward-model/reward-model.ts';

export interface RewardRequest {
  readonly run: string;
  readonly name: string;
  readonly seat?: string | undefined;
  /** The rule for good episodes: a bound on the seat's return, or on one of its scores. */
  readonly bound: Bound;
  readonly seed: number;
  /** The share of episodes reserved for the card. */
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
    const wanted = seat ?? start.seats[0];
    if (!start.seats.includes(wanted))
      throw new Fault('input', `The episodes have no seat "${wanted}"; their seats are ${start.seats.join(', ')}.`);
    judged = wanted;
    environment = start.environment;
    // An episode's name determines its part, so it stays there when other episodes are added.
    const isHeldOut = Number.parseInt(hash(`${id} ${seed}`).slice(0, 8), 16) / 2 ** 32 < heldOut;
    examples.push({
      moments: momentsOf(log, wanted),
      good: within(
        bound.score === 'return' ? (end.returns[wanted] ?? 0) : await scoreOf(store, id, { name: bound.score, seat: wanted }),
        bound,
      ),
      held: isHeldOut,
    });
  }
  if (judged === null) throw new Fault('input', `The run ${run} has no finished episode. Play some first.`);
  const part = (isHeldOut: boolean) => examples.filter((example) => example.held === isHeldOut);
  const { weights, card } = trainedReward({ shown: part(false), held: part(true), seed });
  return {
    kind: 'ludus-reward-model',
    name,
    environment,
    seat: judged,
    rule: `${bound.score}${bound.is}${bound.value}`,
    weights,
    card,
  };
}

async function scoreOf(
  store: Store,
  episode: string,
  { name, seat }: { readonly name: string; readonly seat: Seat },
): Promise<number | null> {
  const matchingScore = (await store.scores(episode)).findLast((score) => score.name === name && (score.seat ?? seat) === seat);
  return matchingScore?.value ?? null;
}
