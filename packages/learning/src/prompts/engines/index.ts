/** @file Every engine, one line each. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { portfolio, race, sequence } from '../combine.ts';
import type { Engine } from '../engine.ts';
import { adas } from './adas.ts';
import { aflow } from './aflow.ts';
import { clade } from './clade.ts';
import { contrast } from './contrast.ts';
import { gepa } from './gepa.ts';
import { inspo } from './inspo.ts';
import { mipro } from './mipro.ts';
import type { combinedEngines, singleEngines } from './names.ts';
import { pareto } from './pareto.ts';
import { playbook } from './playbook.ts';
import { practice } from './practice.ts';
import { random } from './random.ts';
import { resample } from './resample.ts';
import { simba } from './simba.ts';
import { skillopt } from './skillopt.ts';
import { skills } from './skills.ts';
import { sweep } from './sweep.ts';
import { teamPolicy } from './team-policy.ts';
import { teams } from './teams.ts';
import { textgrad } from './textgrad.ts';
import { togetherWith } from './together.ts';

const single: Readonly<Record<(typeof singleEngines)[number], Engine>> = {
  gepa,
  mipro,
  simba,
  textgrad,
  aflow,
  adas,
  skillopt,
  inspo,
  playbook,
  contrast,
  practice,
  skills,
  clade,
  teams,
  'team-policy': teamPolicy,
  sweep,
  pareto,
  random,
  resample,
};

const combined: Readonly<Record<(typeof combinedEngines)[number], Engine>> = {
  // biome-ignore lint/suspicious/noThenProperty: the name of an engine
  then: sequence(single),
  race: race(single),
  portfolio: portfolio(single),
};

/** The built-in engines of text improvement, by name. */
export const engines: Readonly<Record<string, Engine>> = {
  ...single,
  together: togetherWith(null),
  ...combined,
};

export function builtInEngine(name: string): Engine {
  const engine = Object.hasOwn(engines, name) ? engines[name] : undefined;
  if (engine === undefined)
    throw new Fault('input', `Unknown engine "${name}". Available: ${Object.keys(engines).join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
  return engine;
}
