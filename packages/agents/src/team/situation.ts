/** @file The team's situation before it talks: its memories, and whether its last move changed anything or went in a circle. */

import { hash, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

export type Situation = {
  /** What the protocol remembers: its ledger, plan, skills, notes. */
  readonly memory: JsonObject;
  /** Turns of the team before this one. */
  readonly turn: number;
  /** What the seat was told since its last move. */
  readonly observed: string;
  /** Moves in a row after which the seat was told the same as before. */
  readonly repeats: number;
  /** Moves in a row that were made before in the same situation, with the same result. */
  readonly loops: number;
  /** The latest moves, each as the hash of its situation, its text, and its result. */
  readonly trail: readonly string[];
};

/** How many moves a circle can have at most. */
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
/** What follows a number that counts what is done: "Step 2 is done", "step 2 of the plan", "3 steps were finished". */
const progress = new Set('of is are was were has have done complete completed finished worked succeeded'.split(' '));

/** A text without numbers that only say how much time has passed: "Turn 3 of 20", "17 moves left". */
export function withoutClock(text: string): string {
  const replaced = (whole: string, unit: string, next = '') => (progress.has(next.trim().toLowerCase()) ? whole : `${unit}${next}`);
  return text.replace(labeled, replaced).replace(counted, replaced);
}
