/** @file What people call runs, by the ids that commands give them. */

import { expect, it } from 'vitest';
import { runTitle } from '../packages/studio/src/format.ts';

it.each([
  ['attack-guard-llm-fake-1', 'Attack on llm-fake: guard, seed 1'],
  ['attack-privacy-bot-7.2', 'Attack on bot: privacy, seed 7, repeat 2'],
  ['attack-plan', 'attack-plan'],
  ['arena-kuhn-poker-76ff3646', 'Arena: Kuhn poker'],
  ['survey-pets-66748395', 'Survey: Pets'],
  ['instruction-demo-gepa-1-61e0', 'instruction-demo: gepa, seed 1'],
  ['scene-dinner-62c2fefe', 'Scene: Dinner'],
  ['games-core-66748395', 'games-core'],
  ['my own name', 'my own name'],
])('titles %s "%s"', (id, title) => {
  expect(runTitle({ id, environments: [] })).toBe(title);
  expect(runTitle({ id, environments: [], name: 'Mine' })).toBe('Mine');
});
