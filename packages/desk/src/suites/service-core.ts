/**
 * @file A service desk: correct end state, facts stated, policy followed. Fixed cases, each tried several times, so pass^k is meaningful.
 */

import { type SceneInput, suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';

function desk(name: string, kinds: readonly string[], cases: number): SceneInput {
  return {
    name,
    environment: 'service-desk',
    seats: ['agent'],
    tasks: kinds.flatMap((kind) => Array.from({ length: cases }, (_, number) => ({ kind, number }))),
    others: { customer: 'scripted:customer' },
    score: 'desk',
    pass: 1,
    also: ['form', 'audits'],
  };
}

export const serviceCore = suite({
  name: 'service-core',
  about:
    'Customers who want one thing, several things, or what they may not have. A case is passed when the database ends as it should, every required fact was told, and no rule was broken. Refusing everything passes the refusals, so look at each row.',
  seeds: 4,
  nulls: ['random', 'scripted:do-nothing', 'scripted:always-refuse', 'scripted:transfer'],
  scenes: [
    desk('one request', ['cancel', 'exchange', 'return', 'refund', 'address', 'information'], 3),
    desk('several requests', ['multi-request'], 6),
    desk('refusals', ['must-refuse', 'wrong-identity', 'transfer'], 3),
  ],
});
