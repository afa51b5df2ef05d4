/** @file What a training says of illegal moves. */

import { expect, it } from 'vitest';
import { collapse, warmUpFlag } from '../rl/collapse.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { brokenWords } from './training-story.ts';

it('training report states the share of illegal moves, and suggests a valid setting if it is high', () => {
  expect([brokenWords(0), brokenWords(0.05)]).toEqual([[], ['5.0% of moves were illegal at the end.']]);
  expect(brokenWords(0.5)[0]).toContain(warmUpFlag);
  expect(collapse({ update: 3, loss: 0, invalid: 0.95 })).toContain(warmUpFlag);
  const setting = /'(.*)'/.exec(warmUpFlag)?.[1] ?? '';
  expect(override(builtInRecipe('kuhn-rae'), ['training.learner=transformer', setting]).training.warmUp).toMatchObject({ steps: 200 });
});
