/** @file Registry of the protocols by name. */

import type { TeamProtocol } from '../../team-protocols.ts';
import type { Protocol } from '../protocol.ts';
import { designer } from './designer.ts';
import { fourModules } from './four-modules.ts';
import { guidance } from './guidance.ts';
import { orchestrator } from './orchestrator.ts';
import { pipeline } from './pipeline.ts';
import { planExchange } from './plan-exchange.ts';
import { planner } from './planner.ts';
import { refine } from './refine.ts';
import { inOrder, jointPlans, rounds } from './rounds.ts';
import { specialists } from './specialists.ts';
import { thoughtGraph } from './thought-graph.ts';

export const protocols: Readonly<Record<TeamProtocol, Protocol>> = {
  'in-order': inOrder,
  rounds,
  orchestrator,
  planner,
  specialists,
  'plan-exchange': planExchange,
  refine,
  'joint-plans': jointPlans,
  'four-modules': fourModules,
  guidance,
  'thought-graph': thoughtGraph,
  designer,
  pipeline,
};
