/** @file Two kills of every command that writes; kills.long.test.ts has 200 in all. */

import { it } from 'vitest';
import { killScenario, scenarios } from './kills.cases.ts';

it.each(Object.keys(scenarios))('2 kills of %s: nothing is lost, doubled or half', (name) => killScenario(name, 2), 240_000);
