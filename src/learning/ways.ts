/** @file How a recipe can be trained: on a whole game tree, by rollout, or only with parts that somebody else brings. */

import type { Recipe } from './recipe.ts';

/** What a recipe asks for that play on a tree has no room for, or null: there are no turns, no tokens, no texts on a tree. */
export function beyondTree({ assignment, baseline, loss, rollout, replay, curriculum, importance }: Recipe): string | null {
  if (assignment.kind !== 'outcome') return `pays turns by ${assignment.kind}`;
  if (baseline.kind === 'value') return 'has a critic';
  if (baseline.kind !== 'none' && baseline.key.some((field) => field === 'turn' || field === 'state')) return 'compares turns or states';
  if (baseline.kind === 'group' && baseline.plus !== undefined) return 'compares turns or states';
  if (loss.kind !== 'policy-gradient' && loss.kind !== 'clipped') return `learns by ${loss.kind}`;
  if (loss.band !== undefined || loss.imitation !== undefined || importance !== null) return 'weighs tokens one by one';
  if (rollout.kind === 'branch' || rollout.kind === 'resample' || replay.kind !== 'none') return 'branches, resamples or replays';
  if (curriculum.kind !== 'uniform' && curriculum.kind !== 'opening') return `chooses tasks (${curriculum.kind})`;
  return null;
}

const tokenLosses = ['policy-gradient', 'clipped', 'log-clipped', 'kept-gradient'];
const judged = ['information-gain', 'checklist', 'win-rate', 'human-gain'];
const selections = ['uniform', 'mixed', 'spread', 'horizon'];

/** What a recipe asks for that the loop does not do, or null. `judge`: somebody tells what turns are worth. */
export function beyondLoop({ assignment, baseline, loss, rollout, replay, curriculum }: Recipe, judge = false): string | null {
  if (judged.includes(assignment.kind) && !judge) return `pays turns by ${assignment.kind}, which a judge must tell`;
  if (baseline.kind === 'value' && baseline.level !== 'turn') return 'has a critic of tokens, which a learner must bring';
  if (!tokenLosses.includes(loss.kind)) return `learns by ${loss.kind}, from pairs or demonstrations instead of play`;
  if (loss.imitation !== undefined) return 'mixes in demonstrations';
  if (rollout.kind === 'even') return 'spreads deals evenly, which takes a tree';
  if (replay.kind === 'band') return 'replays steps by how likely they are now';
  if (!selections.includes(curriculum.kind)) return `chooses tasks (${curriculum.kind})`;
  return null;
}
