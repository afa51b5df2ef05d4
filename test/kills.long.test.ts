/** @file 25 kills of every command that writes. */

import { it } from 'vitest';
import { killScenario, scenarios } from './kills.cases.ts';

it.each(Object.keys(scenarios))('25 kills of %s: nothing is lost, doubled or half', (name) => killScenario(name, 25), 3_600_000);
