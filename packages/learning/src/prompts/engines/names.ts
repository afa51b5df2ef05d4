/** @file The names of all built-in engines. */

/** Engines that work on their own. */
export const singleEngines = [
  'gepa',
  'mipro',
  'simba',
  'textgrad',
  'aflow',
  'adas',
  'skillopt',
  'inspo',
  'playbook',
  'contrast',
  'practice',
  'skills',
  'clade',
  'teams',
  'team-policy',
  'sweep',
  'pareto',
  'random',
  'resample',
] as const;

/** Engines composed of other engines. */
export const combinedEngines = ['then', 'race', 'portfolio'] as const;

export const engineNames = [...singleEngines, 'together', ...combinedEngines] as const;
