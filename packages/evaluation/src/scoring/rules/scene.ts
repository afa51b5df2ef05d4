/** @file The result of a social scene for a character: how much of its goal was reached, and whether it revealed its secret. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { environmentNameOf, noteOf, numberAt } from './log.ts';
import { unfinishedFinding } from './outcome.ts';

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
