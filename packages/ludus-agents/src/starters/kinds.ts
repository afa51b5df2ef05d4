/** @file The kinds of things that `new` can write, besides a trainer. */

export const starterKinds = [
  'environment',
  'agent',
  'scorer',
  'engine',
  'recipe',
  'suite',
  'bot',
  'desk',
  'population',
  'persona',
  'scene',
  'team',
  'search',
] as const;

export type StarterKind = (typeof starterKinds)[number];
