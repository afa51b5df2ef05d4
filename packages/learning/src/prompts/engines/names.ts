/** @file The names of all engines that come along. */

/** Engines that work by themselves. */
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

/** Engines made of engines. */
export const combinedEngines = ['then', 'race', 'portfolio'] as const;

export const engineNames = [...singleEngines, 'together', ...combinedEngines] as const;
