/** @file 25 kills of every command that writes, pipelines that make data among them. */

import { it } from 'vitest';
import { killScenario, longScenarios, scenarios } from './kills.cases.ts';

it.each([...Object.keys(scenarios), ...Object.keys(longScenarios)])(
  'loses, duplicates, and truncates nothing in 25 kills of %s',
  (name) => killScenario(name, 25),
  3_600_000,
);
