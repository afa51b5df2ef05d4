/** @file Every engine, one line each. */

import { Fault } from '../../../core/index.ts';
import type { Engine } from '../engine.ts';
import { gepa } from './gepa.ts';
import { inspo } from './inspo.ts';
import { random } from './random.ts';
import { resample } from './resample.ts';
import { skillopt } from './skillopt.ts';

export const engines: Readonly<Record<string, Engine>> = {
  gepa,
  skillopt,
  inspo,
  random,
  resample,
};

export function engineNamed(name: string): Engine {
  const found = Object.hasOwn(engines, name) ? engines[name] : undefined;
  if (found === undefined) throw new Fault('input', `There is no engine "${name}"; there are ${Object.keys(engines).join(', ')}.`);
  return found;
}
