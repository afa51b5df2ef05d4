/**
 * @file The protocols by which a team may talk before it acts, by name. Used by the environment `discussion` and by agents of kind `team`.
 */

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
