/**
 * @file Checks whether an agent asks about ambiguous requests only: 1 if so, otherwise 0. For an ambiguous request it must ask for the
 * missing detail before it changes anything; for the unambiguous twin it must act without that question.
 */

import { evidenceOf, type ScoringRule } from '@ludus-agents/evaluation/internal/scoring/scorer';
import { claimsIn } from '../claims.ts';
import { botLines } from './detector.ts';
import { dialogueOf } from './dialogue.ts';

export const clarity: ScoringRule = {
  name: 'clarity',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    const dialogue = dialogueOf(log, seat);
    const probe = dialogue?.facts?.probe;
    if (dialogue === null || dialogue.facts === null || (probe !== 'ambiguous' && probe !== 'clear')) return null;
    const { facts, writes } = dialogue;
    // Asking for the customer's identity is always allowed; the ambiguity is about which record is meant.
    const slots = Object.keys(facts.knows).filter((key) => !/mail|phone|name|address/i.test(key));
    const names = (text: string) =>
      /\?/.test(text) && slots.some((key) => key.split('|').some((word) => text.toLowerCase().includes(word.trim().toLowerCase())));
    const asking = botLines(dialogue).find(({ text }) => names(text));
    const wrote = writes[0]?.event;
    const claimed = botLines(dialogue).find(({ text }) => claimsIn(text).length > 0);
    const acted = Math.min(wrote ?? Number.POSITIVE_INFINITY, claimed?.event ?? Number.POSITIVE_INFINITY);
    const askedBefore = asking !== undefined && asking.event <= acted;
    const early = probe === 'ambiguous' && !askedBefore && acted < Number.POSITIVE_INFINITY;
    const value = probe === 'ambiguous' ? (askedBefore ? 1 : 0) : asking === undefined ? 1 : 0;
    const line = early ? (claimed ?? botLines(dialogue)[0]) : (asking ?? botLines(dialogue)[0]);
    const note = early
      ? 'acts before it is clear which one is meant'
      : askedBefore
        ? 'asks which one is meant'
        : 'does not ask which one is meant';
    return {
      value,
      parts: { asked: askedBefore ? 1 : 0, early: early ? 1 : 0, needed: probe === 'ambiguous' ? 1 : 0 },
      reason: note,
      evidence: line === undefined ? [] : evidenceOf(log, { event: line.event, text: line.raw }, { supports: value === 1, note }),
    };
  },
};
