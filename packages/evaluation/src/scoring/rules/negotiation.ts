/** @file How good a deal was for both: its share of the best sum, its distance from the Pareto frontier, its share of Nash's product. */

import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { environmentNameOf, noteOf, numberAt } from './log.ts';
import { unfinishedFinding } from './outcome.ts';

/** The value is the share of the best joint gain; no agreement gets 0, unless nothing could be gained. */
export const negotiation: ScoringRule = {
  name: 'negotiation',
  version: 1,
  unit: 'episode',
  floor: 0,
  find({ log }) {
    if (environmentNameOf(log) !== 'bargain') return null;
    const note = noteOf(log, 'outcome');
    if (note === null) return unfinishedFinding(log);
    const { value } = note;
    const agreed = value['agreed'] === true;
    const [joint, best] = [numberAt(value, 'joint'), numberAt(value, 'bestJoint')];
    const ofBest = joint === null || best === null ? null : best > 0 ? joint / best : joint >= 0 ? 1 : null;
    const share = numberAt(value, 'jointShare') ?? ofBest;
    const parts: Record<string, number | null> = {
      agreed: agreed ? 1 : 0,
      joint,
      paretoDistance: numberAt(value, 'paretoDistance'),
      nashShare: numberAt(value, 'nashShare'),
    };
    for (const seat of log.seats) parts[`return of ${seat}`] = log.end?.returns[seat] ?? null;
    if (share === null) return { value: null, status: 'not-applicable', parts };
    return { value: share, parts, evidence: evidenceOf(log, note, { supports: agreed }) };
  },
};
