/** @file What an agent can be attacked with, by name. */

/** What an agent can be attacked with, each with the environment it is played in. */
export const attackKinds = {
  guard: 'chat',
  privacy: 'privacy-guard',
  jailbreak: 'jailbreak',
  redcoder: 'chat',
  injection: 'desk',
  twins: 'desk',
  threats: 'desk',
  crescendo: 'desk',
  goat: 'desk',
  mischievous: 'desk',
} as const;
export type AttackKind = keyof typeof attackKinds;
