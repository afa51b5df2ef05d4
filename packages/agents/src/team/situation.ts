/** @file The team's situation before a discussion: its memories, and whether its last move changed anything or repeated a loop. */

import { hash, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

export type Situation = {
  /** The memory of the protocol: its ledger, plan, skills, notes. */
  readonly memory: JsonObject;
  /** The number of earlier turns of the team. */
  readonly turn: number;
  /** The messages to the seat since its last move. */
  readonly observed: string;
  /** The number of moves in a row after which the observation stayed the same. */
  readonly repeats: number;
  /** The number of moves in a row that were made before in the same situation, with the same result. */
  readonly loops: number;
  /** The latest moves, each as the hash of its situation, its text, and its result. */
  readonly trail: readonly string[];
};

/** The longest detected loop, in moves. */
const longestCircle = 8;

export const firstSituation: Situation = { memory: {}, turn: 0, observed: '', repeats: 0, loops: 0, trail: [] };

/** The situation after a move. */
export function nextSituation(before: Situation, move: string, observed: string): Situation {
  const [earlier, now] = [withoutClock(before.observed), withoutClock(observed)];
  const step = hash([earlier, move, now]).slice(0, 12);
  const isSame = observed !== '' && now === earlier;
  const isLoop = observed !== '' && before.trail.includes(step);
  return {
    memory: before.memory,
    turn: before.turn + 1,
    observed,
    repeats: isSame ? before.repeats + 1 : 0,
    loops: isLoop ? before.loops + 1 : 0,
    trail: [...before.trail, step].slice(-longestCircle),
  };
}

const units = 'turns?|steps?|moves?|ticks?|rounds?|days?|hours?|minutes?|seconds?|time|clock';
const labeled = linear(new RegExp(`\\b(${units})[ :=#]{1,3}\\d[\\d.:]*(?:(?: of |/)\\d+)?( [a-z]+)?`, 'gi'));
const counted = linear(new RegExp(`\\b\\d+ (?:more )?(${units})\\b( [a-z]+)?`, 'gi'));
/** Words after a number that show progress: "Step 2 is done", "step 2 of the plan", "3 steps were finished". */
const progress = new Set('of is are was were has have done complete completed finished worked succeeded'.split(' '));

/** A text without numbers that only count elapsed time: "Turn 3 of 20", "17 moves left". */
export function withoutClock(text: string): string {
  const replaced = (whole: string, unit: string, next = '') => (progress.has(next.trim().toLowerCase()) ? whole : `${unit}${next}`);
  return text.replace(labeled, replaced).replace(counted, replaced);
}
