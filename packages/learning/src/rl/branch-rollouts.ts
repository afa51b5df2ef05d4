/**
 * @file Episodes that branch where the policy is uncertain (ARPO, 2507.19849): a few are played to the end, and forks of them start at
 * turns that were less certain than the first, until the group is full. Each branch's log contains the shared prefix, with the same masks.
 */

import type { Agent, AnyEnvironment, EpisodeEvent, Policy, Reply, Rng, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { type BranchRule, branchChance, freshShare } from './branching.ts';

export interface Branching {
  readonly environment: AnyEnvironment;
  readonly policies: Readonly<Record<Seat, Policy>>;
  /** The learner's seats, whose uncertainty decides where to branch. */
  readonly seats: readonly Seat[];
  readonly rule: BranchRule;
  /** The number of logs in total, including those played to the end. */
  readonly size: number;
  readonly dice: Rng;
}

/** Returns the trunk's logs followed by as many branches as fit; a trunk without surprises may leave the group incomplete. */
export async function branchRollouts(
  trunk: readonly (readonly EpisodeEvent[])[],
  options: Branching,
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const { environment, policies, seats, rule, size, dice } = options;
  const agents = Object.fromEntries(Object.entries(policies).map(([seat, policy]) => [seat, agentOf(policy)]));
  const out = [...trunk];
  for (const log of trunk) {
    let inARow = 0;
    for (const { at, rise } of surprises(log, seats)) {
      if (out.length >= size) return out;
      if (dice.next() >= branchChance(rule, rise, inARow)) {
        inARow = 0;
        continue;
      }
      inARow++;
      const branch: EpisodeEvent[] = [];
      const seed: Seed = dice.int(2 ** 32);
      for await (const event of fork(environment, log, at, agents, { seed })) branch.push(event);
      out.push(branch);
    }
  }
  return out;
}

/**
 * How many of a group's episodes start from the beginning, by the probe's uncertainty at first turns and at later ones; at least the probe
 * itself.
 */
export function freshStarts(probe: readonly (readonly EpisodeEvent[])[], seats: readonly Seat[], size: number): number {
  const rises = probe.map((log) => surprises(log, seats).map(({ rise }) => rise));
  const later = rises.flatMap((list) => list.slice(1));
  const rise = later.reduce((sum, value) => sum + value, 0) / Math.max(1, later.length);
  return Math.max(probe.length, Math.min(size, Math.round(freshShare(size, 0, rise))));
}

/** Where a seat of the learner was asked, and how much less certain it was there than at its first turn. */
function surprises(log: readonly EpisodeEvent[], seats: readonly Seat[]): readonly { readonly at: number; readonly rise: number }[] {
  const first = new Map<Seat, number>();
  return log.flatMap((event, at) => {
    if (event.kind !== 'action' || !seats.includes(event.seat)) return [];
    const logprobs = event.calls?.flatMap((call) => call.logprobs ?? []) ?? [];
    // The mean negative log-probability of sampled tokens estimates the entropy.
    const entropy = logprobs.length === 0 ? 0 : -logprobs.reduce((sum, value) => sum + value, 0) / logprobs.length;
    const before = first.get(event.seat);
    if (before === undefined) first.set(event.seat, entropy);
    return [{ at, rise: before === undefined ? 0 : entropy - before }];
  });
}

function agentOf(policy: Policy): Agent {
  return {
    name: policy.name,
    async act(turn): Promise<Reply> {
      return (await policy.act([turn]))[0];
    },
  };
}
