/**
 * @file What self-play has brought. A mean return says nothing where what one seat wins the others lose, so the learner is held there
 * against itself as it began, from every seat in turn. Where seats can win together they are played by the learner together.
 */

import { type EndEvent, type Policy, rng, type Seat } from '../core/index.ts';
import { meanOrZero } from '../core/mean.ts';
import { rollout } from '../engine/rollout.ts';
import { type FreshEpisode, type FreshReturns, freshEpisodes, type GainGround } from './gain.ts';

export class SelfPlayGain {
  readonly #ground: Omit<GainGround, 'others'>;
  readonly #freeze: () => Promise<Policy>;
  /** Whether the seats are always paid the same together, so that one wins what the others lose. */
  readonly constantSum: boolean;
  #first: Policy | null = null;

  private constructor(ground: Omit<GainGround, 'others'>, freeze: () => Promise<Policy>, constantSum: boolean) {
    this.#ground = ground;
    this.#freeze = freeze;
    this.constantSum = constantSum;
  }

  /** `freeze` gives the learner as it plays now, in a copy that plays so from then on. */
  static async create(ground: Omit<GainGround, 'others'>, freeze: () => Promise<Policy>): Promise<SelfPlayGain> {
    const fresh = await playFresh(ground, seated(ground.mine, await freeze()));
    const sums = fresh.map(({ returns }) => ground.mine.reduce((sum, seat) => sum + (returns[seat] ?? 0), 0));
    const isDecided = fresh.some(({ returns }) => ground.mine.some((seat) => returns[seat] !== returns[ground.mine[0]!]));
    return new SelfPlayGain(ground, freeze, isDecided && sums.every((sum) => Math.abs(sum - sums[0]!) < 1e-9));
  }

  /** The first time it is what the learner begins with, on every seat. */
  async measure(now: Policy): Promise<FreshReturns> {
    const { mine } = this.#ground;
    const isFirst = this.#first === null;
    this.#first ??= await this.#freeze();
    const first = this.#first;
    if (!this.constantSum) {
      const fresh = await playFresh(this.#ground, seated(mine, isFirst ? first : now));
      return { against: 'nobody', episodes: fresh.map((episode) => freshOf(mine, episode)) };
    }
    const rows: FreshEpisode[] = [];
    for (const own of mine) {
      const fresh = await playFresh(this.#ground, { ...seated(mine, first), ...(!isFirst && { [own]: now }) });
      rows.push(...fresh.map((episode) => freshOf([own], episode)));
    }
    return { against: 'first self', episodes: rows };
  }
}

function seated(seats: readonly Seat[], policy: Policy): Readonly<Record<Seat, Policy>> {
  return Object.fromEntries(seats.map((seat) => [seat, policy]));
}

interface Ended extends Pick<EndEvent, 'returns' | 'penalties'> {
  /** The number of its task. */
  readonly task: number;
}

/** How fresh episodes end: the same seeds every time. */
async function playFresh(
  { environment, tasks, seed, mine }: Omit<GainGround, 'others'>,
  cast: Readonly<Record<Seat, Policy>>,
): Promise<readonly Ended[]> {
  const dice = rng(seed, 'fresh');
  const out: Ended[] = [];
  for (const [number, task] of tasks.entries()) {
    const seeds = Array.from({ length: Math.ceil(freshEpisodes / tasks.length / mine.length) }, () => dice.int(2 ** 32));
    for (const log of await rollout(environment, cast, { seeds, task })) {
      const end = log.at(-1);
      const { returns, penalties } = end?.kind === 'end' ? end : { returns: {}, penalties: {} };
      out.push({ returns, penalties, task: number });
    }
  }
  return out;
}

/** What some seats are paid on average, penalties taken off. */
function freshOf(seats: readonly Seat[], { returns, penalties, task }: Ended): FreshEpisode {
  const paid = meanOrZero(seats.map((seat) => (returns[seat] ?? 0) - (penalties[seat] ?? 0)));
  return { paid, passed: paid > 0, task };
}
