/** @file How a team may talk before it acts, by name: what the environment `discussion` plays and what an agent of kind `team` may ask for. */

export const teamProtocols = [
  'in-order',
  'rounds',
  'orchestrator',
  'planner',
  'specialists',
  'plan-exchange',
  'refine',
  'joint-plans',
  'four-modules',
  'guidance',
  'thought-graph',
  'designer',
  'pipeline',
] as const;

export type TeamProtocol = (typeof teamProtocols)[number];
