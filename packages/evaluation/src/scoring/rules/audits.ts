/**
 * @file How often a helper seat (customer, patient, oracle) contradicted the environment: reported separately from the agents that depend
 * on it.
 */

import { auditsOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { evidenceOf, type ScoringRule } from '../scorer.ts';

export const audits: ScoringRule = {
  name: 'audits',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    if (!log.notes.has('audit')) return null;
    const { events } = log.episode;
    const count = auditsOf(events)[seat];
    if (count === undefined) return null;
    const evidence = events.flatMap((episodeEvent, event) => {
      if (episodeEvent.kind !== 'message' || episodeEvent.to.length > 0 || !isObject(episodeEvent.data)) return [];
      const audit = episodeEvent.data['audit'];
      const broken = isObject(audit) && audit['seat'] === seat && audit['holds'] === false;
      return broken ? evidenceOf(log, { event, text: episodeEvent.text }, { supports: false }) : [];
    });
    return { value: 1 - count.contradicted / count.checked, parts: { ...count }, evidence: evidence.slice(0, 5) };
  },
};
