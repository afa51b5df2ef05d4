/**
 * @file Generalized advantage estimation over tokens, over turns, and over both (RAGEN's two levels), skipping tokens that the policy did
 * not write.
 */

export interface Trace {
  readonly rewards: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  /** 1 where the policy acted; values pass through the rest unchanged. All 1 by default. */
  readonly mask?: ArrayLike<number>;
  readonly discount: number;
  readonly trace: number;
  /** The value of the state at which an episode was truncated; 0 if it ended. */
  readonly beyond?: number;
}

/** One advantage for each position; 0 at masked ones. */
export function gae({ rewards, values, mask, discount, trace, beyond = 0 }: Trace): Float64Array {
  const out = new Float64Array(rewards.length);
  let [next, last] = [beyond, 0];
  for (let i = rewards.length - 1; i >= 0; i--) {
    if (mask?.[i] === 0) continue;
    const value = values[i];
    last = rewards[i] + discount * next - value + discount * trace * last;
    next = value;
    out[i] = last;
  }
  return out;
}

/** The trace depending on an episode's length (VAPO, UI-TARS-2): closer to 1 for longer ones; never below 0. */
export function lengthTrace(alpha: number, length: number): number {
  return length === 0 ? 0 : Math.max(0, 1 - 1 / (alpha * length));
}

export interface TwoLevels extends Omit<Trace, 'mask' | 'beyond'> {
  /** 1 at the last token of each turn, given explicitly, because a turn may have no reward. */
  readonly ends: ArrayLike<number>;
  readonly turnDiscount: number;
}

/** First over turns, then over the tokens of each turn, whose reward is the return of the first level. */
export function twoLevelGae({ rewards, values, ends, discount, trace, turnDiscount }: TwoLevels): Float64Array {
  const turns = gae({ rewards, values, mask: ends, discount: turnDiscount, trace });
  const out = new Float64Array(rewards.length);
  let [next, last] = [0, 0];
  for (let i = rewards.length - 1; i >= 0; i--) {
    const value = values[i];
    const end = ends[i] === 1;
    if (end) [next, last] = [0, 0];
    const reward = end ? turns[i] + value : rewards[i];
    last = reward + discount * next - value + discount * trace * last;
    next = value;
    out[i] = last;
  }
  return out;
}
