/**
 * @file The gain of a helped partner (RLHG, 2401.16444): the other seats' return with the learner's help minus their return with a passive
 * agent in its place. Partners that win alone earn the helper nothing.
 */

import { Fault, type Policy, rng, type Seat, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { EpisodeJudge } from '../rl/judging.ts';
import { humanGain } from '../rl/rewards.ts';
import type { GainGround } from './gain.ts';

/** The number of episodes without help, the baseline of the gain. */
const episodes = 64;

/** A judge that rewards the last turn with the gain of the partners, the seats played by others. */
export function helpedGain({ environment, tasks, mine, others, seed }: GainGround, unhelped: Policy): EpisodeJudge {
  const partners = Object.keys(others);
  if (partners.length === 0) throw new Fault('input', `${environment.id} has no other player to help. Assign a seat to a partner.`);
  let alone: Promise<readonly number[]> | null = null;
  const partnerReturn = (returns: Readonly<Record<Seat, number>>) => meanOrZero(partners.map((seat) => returns[seat] ?? 0));
  return async ({ log, sample }) => {
    alone ??= playAlone({ environment, tasks, mine, others, seed }, unhelped, partnerReturn);
    const end = log.at(-1);
    const [gain = 0] = humanGain([end?.kind === 'end' ? partnerReturn(end.returns) : 0], await alone);
    return sample.turns.map((_, i) => (i === sample.turns.length - 1 ? gain : 0));
  };
}

async function playAlone(
  { environment, tasks, mine, others, seed }: GainGround & { readonly seed: Seed },
  unhelped: Policy,
  returnOf: (returns: Readonly<Record<Seat, number>>) => number,
): Promise<readonly number[]> {
  const dice = rng(seed, 'alone');
  const cast = { ...others, ...Object.fromEntries(mine.map((seat) => [seat, unhelped])) };
  const out: number[] = [];
  for (const task of tasks) {
    const seeds = Array.from({ length: Math.ceil(episodes / tasks.length) }, () => dice.int(2 ** 32));
    for (const log of await rollout(environment, cast, { seeds, task })) {
      const end = log.at(-1);
      out.push(end?.kind === 'end' ? returnOf(end.returns) : 0);
    }
  }
  return out;
}
