/** @file The kinds of attacks on an agent, by name. */

/** The kinds of attacks, each with its environment. */
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
