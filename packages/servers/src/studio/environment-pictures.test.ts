/** @file Pictures of the gallery: every drawn environment has one, of a game that has begun. */

import { tmpdir } from 'node:os';
import { environmentNames } from '@ludus-agents/environments/internal/built-in';
import { expect, it } from 'vitest';
import { EnvironmentPictures } from './environment-pictures.ts';
import { isDrawn } from './pictures/index.ts';

it('draws every environment that has a picture, after some moves', async () => {
  const pictures = await new EnvironmentPictures({ cwd: tmpdir(), env: {} }).all();
  expect(Object.keys(pictures).sort()).toEqual(environmentNames().filter(isDrawn).sort());
  const grid = pictures['tic-tac-toe'];
  expect(grid?.kind === 'grid' && [...grid.cells].filter((cell) => cell === 'X' || cell === 'O').length).toBeGreaterThanOrEqual(3);
});
