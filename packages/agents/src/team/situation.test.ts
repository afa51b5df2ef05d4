/** @file A team notices by itself that its moves change nothing or go in a circle, whatever the clock says. */

import { describe, expect, it } from 'vitest';
import { firstSituation, nextSituation, type Situation, withoutClock } from './situation.ts';

const after = (steps: readonly (readonly [move: string, observed: string])[], start: Situation = firstSituation) =>
  steps.reduce((now, [move, observed]) => nextSituation(now, move, observed), start);

describe('team situation', () => {
  it.each([
    ['The crane is jammed. Turn 3 of 14.', 'The crane is jammed. Turn 4 of 14.', true],
    ['Shut (17 moves left).', 'Shut (16 moves left).', true],
    ['time: 12:05 A wall.', 'time: 12:06 A wall.', true],
    ['Tick 3 of 12; soups served: 0.', 'Tick 4 of 12; soups served: 0.', true],
    ['Step 1 of the plan is done.', 'Step 2 of the plan is done.', false],
    ['Step 9 of 20 is done.', 'Step 10 of 20 is done.', false],
    ['Round 1 was finished.', 'Round 2 was finished.', false],
    ['2 steps are done.', '3 steps are done.', false],
    ['Lock 1 is open.', 'Lock 2 is open.', false],
    ['You have 3 coins.', 'You have 4 coins.', false],
    ['Move the 3 crates.', 'Move the 2 crates.', false],
  ])('compares "%s" with "%s" ignoring the clock: %s', (one, other, isSame) => {
    expect(withoutClock(one) === withoutClock(other)).toBe(isSame);
    expect(
      after([
        ['[push]', one],
        ['[push]', other],
      ]).repeats > 0,
    ).toBe(isSame);
  });

  it('counts moves in a loop, but not a repeated move that makes progress', () => {
    const circle = ['hall', 'yard', 'hall', 'yard', 'hall', 'yard'].map((place, i) => [i % 2 === 0 ? '[in]' : '[out]', place] as const);
    expect(after(circle)).toMatchObject({ repeats: 0, loops: 3 });
    expect(after(circle.slice(0, 3)).loops).toBe(0);
    expect(after([...circle, ['[up]', 'roof']]).loops).toBe(0);
    const onward = ['one open', 'two open', 'three open', 'four open'].map((text) => ['[open]', text] as const);
    expect(after(onward)).toMatchObject({ repeats: 0, loops: 0, turn: 4 });
  });

  it('ignores moves further back than the loop length', () => {
    const others = Array.from({ length: 8 }, (_, i) => [`[${'abcdefgh'[i]}]`, 'abcdefgh'[i] ?? ''] as const);
    const again = [['[a]', 'hall'], ...others, ['[x]', ''], ['[a]', 'hall']] as const;
    expect(after(again).loops).toBe(0);
  });
});
