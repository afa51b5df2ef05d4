/** @file Every recipe differs from every other in a choice, and the newer ones name the test of their own figure. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonical, type Json } from '../../../core/index.ts';
import type { Recipe } from '../recipe.ts';
import { recipes } from './index.ts';

/** All that a training goes by, without what is said of it. */
function choices({ name: _, method, source, differs, omits, ...rest }: Recipe): string {
  return canonical(rest as unknown as Json);
}

/** Where a figure of its own is asserted: the file below src, and words of the test. */
const figures: Readonly<Record<string, readonly [string, string]>> = {
  supo: ['training/view.test.ts', 'of a summary solves a task of memory that a window of the same length cannot'],
  mem1: ['training/view.test.ts', 'trains a memo as what was written, once'],
  'verl-tool': ['training/view.test.ts', 'never what a tool said'],
  relic: ['learning/rl/episode-contexts.test.ts', 'three times 32 turns, then 128'],
  fathom: ['training/rewards.test.ts', 'label a call that was made before as redundant'],
  'igpo-own': ['training/rewards.test.ts', 'a quarter, a half, all'],
  rlsp: ['training/rewards.test.ts', 'a long wrong answer would beat a short right one'],
  cm2: ['training/rewards.test.ts', 'only where what it needs is met'],
  rlhg: ['training/rewards.test.ts', 'nothing where the partner wins alone'],
  archer: ['learning/rl/baselines/critics.test.ts', '0.855, where returns say 0.475'],
  mansa: ['learning/rl/baselines/critics.test.ts', 'is bought in the state that needs it, and never in the other'],
  'ai-search-planner': ['training/reward-front.test.ts', 'asks for all of a question until words cost more than they find'],
  dart: ['learning/rl/branch-rollouts.test.ts', 'and 8 of the same tasks once they are always won'],
  aepo: ['learning/rl/branch-rollouts.test.ts', 'begins more of them afresh the less certain first turns are'],
  arpo: ['learning/rl/branch-rollouts.test.ts', 'grows branches to the size asked for and no further'],
  marft: ['learning/rl/roles/roles.test.ts', 'credits a role with what the next one thinks'],
  clam: ['learning/rl/roles/roles.test.ts', 'wins from opponents that a policy without it cannot tell apart'],
  mra: ['learning/rl/roles/roles.test.ts', 'has one for each of two numbers that were not trained on'],
  'skill-controller': ['learning/rl/roles/roles.test.ts', 'finds the weakness of an opponent it has not met'],
  imitate: ['training/kept-source.test.ts', 'and from those that did not'],
  'filtered-cloning': ['learning/rl/kept-lessons.test.ts', 'stitch two half-good episodes to 1.9'],
  'mc-returns': ['learning/rl/kept-lessons.test.ts', 'where returns say 0.9 against 0.99'],
  'implicit-q': ['learning/rl/kept-lessons.test.ts', 'stitch two half-good episodes to 1.9'],
  'agent-evol': ['learning/rl/kept-lessons.test.ts', 'reach locks that no demonstration opens'],
  'bfs-prover': ['learning/rl/kept-lessons.test.ts', 'drop what is trivial and what is noise'],
  'agent-rlvr': ['learning/rl/guidance/guidance.test.ts', 'is in no row that is trained, though it was read'],
  bepa: ['learning/rl/guidance/guidance.test.ts', 'own successes take its place: S0, -, S1, S1, -, S2'],
  ampo: ['learning/rl/guidance/guidance.test.ts', 'is asked for only where a whole group fails'],
  rpd: ['learning/rl/guidance/guidance.test.ts', 'has a gradient where nothing pays'],
  step: ['learning/rl/guidance/errors.test.ts', 'learn what follows the first error and never the error itself'],
  'agent-refine': ['learning/rl/guidance/errors.test.ts', 'learn what follows the first error and never the error itself'],
  rise: ['learning/rl/guidance/errors.test.ts', 'count e times as much where they are right'],
  'early-experience': ['learning/rl/guidance/errors.test.ts', 'thirteen rows'],
  spc: ['learning/rl/step-game.test.ts', 'tells wrong steps from right ones in episodes that it has never judged'],
  'ui-tars-2': ['learning/rl/baselines/critics.test.ts', 'it learns alone first, and the policy stays as it is'],
};

describe('recipes', () => {
  it('differ from every other in at least one choice', () => {
    const known = new Map<string, string>();
    const same = recipes.flatMap((recipe) => {
      const twin = known.get(choices(recipe));
      known.set(choices(recipe), recipe.name);
      return twin === undefined ? [] : [`${recipe.name} is ${twin}`];
    });
    expect(same).toEqual([]);
    const [first] = recipes as readonly [Recipe];
    expect(choices({ ...first, name: 'twin', differs: 'in nothing but words' })).toBe(choices(first));
  });

  it.each(Object.entries(figures))('%s has a figure of its own that a test asserts', (name, [file, words]) => {
    expect(recipes.map((recipe) => recipe.name)).toContain(name);
    expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).toContain(words);
  });
});
