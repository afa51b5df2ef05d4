/** @file 200 kills over every command that writes, 25 of each. */

import { it } from 'vitest';
import { killScenario, scenarios } from './kills.cases.ts';

it.each(Object.keys(scenarios))('25 kills of %s: nothing is lost, doubled or half', (name) => killScenario(name, 25), 3_600_000);
