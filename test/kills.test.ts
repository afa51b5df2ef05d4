/** @file A kill of every command that writes; kills.long.test.ts has 25 of each. */

import { it } from 'vitest';
import { killScenario, scenarios } from './kills.cases.ts';

it.each(Object.keys(scenarios))('a kill of %s: nothing is lost, doubled or half', (name) => killScenario(name, 1));
