/** @file Every protocol by name. */

import type { Protocol } from '../protocol.ts';
import { inOrder } from './in-order.ts';
import { orchestrator } from './orchestrator.ts';
import { planExchange } from './plan-exchange.ts';
import { planner } from './planner.ts';
import { refine } from './refine.ts';
import { rounds } from './rounds.ts';
import { specialists } from './specialists.ts';

export const protocolNames = ['in-order', 'rounds', 'orchestrator', 'planner', 'specialists', 'plan-exchange', 'refine'] as const;

export const protocols: Readonly<Record<(typeof protocolNames)[number], Protocol>> = {
  'in-order': inOrder,
  rounds,
  orchestrator,
  planner,
  specialists,
  'plan-exchange': planExchange,
  refine,
};
