/** @file Scorers of social environments: commons, bargain, and social-scene. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
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

/** The result of a social scene for a character: how much of its goal was reached, and whether it revealed its secret. */
export const scene: ScoringRule = {
  name: 'scene',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    if (environmentNameOf(log) !== 'social-scene') return null;
    const note = noteOf(log, 'results');
    if (note === null) return unfinishedFinding(log);
    const result = note.value[seat];
    const goal = isObject(result) ? numberAt(result, 'goal') : null;
    if (!isObject(result) || goal === null) return null;
    const leaked = result['leaked'] === true;
    return {
      value: goal,
      parts: { leaked: leaked ? 1 : 0, left: result['left'] === true ? 1 : 0 },
      evidence: leaked ? leakEvidence() : [],
    };

    /** The note at the moment of the leak, which names the seat. */
    function leakEvidence() {
      const at = log.episode.events.findIndex(
        (event) => event.kind === 'message' && event.to.length === 0 && isObject(event.data) && event.data['leak'] === seat,
      );
      const episodeEvent = log.episode.events[at];
      return episodeEvent?.kind === 'message' ? evidenceOf(log, { event: at, text: episodeEvent.text }, { supports: false }) : [];
    }
  },
};

/** GovSim's efficiency: the share of what taking half of a full stock each round would have brought, 1 at most. */
export function govSimEfficiency(total: number, { capacity, rounds }: { readonly capacity: number; readonly rounds: number }): number {
  return Math.min(1, total / (rounds * (capacity / 2)));
}

/**
 * The value is efficiency, because survival alone is highest for those who take nothing; survival is first among the parts, because
 * equality is also high when all ruin the stock together. `best` is the share of the most that any play can take.
 */
export const commons: ScoringRule = {
  name: 'commons',
  version: 1,
  unit: 'episode',
  scale: [0, 1],
  floor: 0,
  find({ log }) {
    if (environmentNameOf(log) !== 'commons') return null;
    const note = noteOf(log, 'measures');
    if (note === null) return unfinishedFinding(log);
    const { value } = note;
    const task = log.start?.task;
    const [capacity, rounds] = isObject(task) ? [numberAt(task, 'capacity'), numberAt(task, 'rounds')] : [null, null];
    const [survival, total] = [numberAt(value, 'survival'), numberAt(value, 'total')];
    if (capacity === null || rounds === null || survival === null || total === null) return null;
    return {
      value: govSimEfficiency(total, { capacity, rounds }),
      parts: {
        survival: survival / rounds,
        rounds: survival,
        total,
        best: numberAt(value, 'efficiency'),
        equality: numberAt(value, 'equality'),
        overuse: numberAt(value, 'overuse'),
      },
      evidence: evidenceOf(log, note, { supports: survival === rounds }),
    };
  },
};
