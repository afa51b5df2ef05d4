/** @file Tables learn in small tasks of environments, and do not where the rate is 0. The others are in environments.long.test.ts. */

import { it } from 'vitest';
import { learns } from './environments.cases.ts';

it.each([
  ['sokoban-tabular', 30, 2, 8],
  ['wordle-tabular', 40, -1.5, -1.2],
  ['design-tabular', 30, 0.15, 0.35],
] as const)('%s learns within %i updates, from below %f to above %f', learns);
