/** @file The figures that an environment reports about an episode, such as the learning gain of a lesson: one score for each. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { evidenceOf, type ScoringRule } from '../scorer.ts';

export const measures: ScoringRule = {
  name: 'measures',
  version: 1,
  unit: 'episode',
  find({ log }) {
    const note = log.notes.get('measures');
    if (note === undefined || !isObject(note.value)) return null;
    const evidence = evidenceOf(log, { event: note.event, text: note.text }, { supports: true });
    return Object.entries(note.value).flatMap(([part, value]) => (typeof value === 'number' ? [{ part, value, evidence }] : []));
  },
};
