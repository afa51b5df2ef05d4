/** @file 25 kills of every command that writes, pipelines that make data among them. */

import { it } from 'vitest';
import { killScenario, longScenarios, scenarios } from './kills.cases.ts';

it.each([...Object.keys(scenarios), ...Object.keys(longScenarios)])(
  '25 kills of %s: nothing is lost, doubled or half',
  (name) => killScenario(name, 25),
  3_600_000,
);
