/** @file The interface of fault detectors, and their conversion to scorers: 1 if the fault was found, 0 if possible but not found. */

import type { Log } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { evidenceOf, type ScoringRule } from '@ludus-agents/evaluation/internal/scoring/scorer';
import type { Evidence } from '@ludus-agents/kernel/internal/core/index';
import { mentionsValue, openTopics } from '../desk-facts.ts';
import { type Dialogue, type DialogueCall, type DialogueLine, dialogueOf } from './dialogue.ts';

export interface FaultHit {
  readonly line: DialogueLine;
  readonly quote?: string;
  /** The fault, in a sentence. */
  readonly note: string;
}

export interface Detector {
  readonly name: string;
  readonly version: number;
  /** The category in the OWASP list for LLM applications; "service" if it has none. */
  readonly owasp: string;
  /** One hit is proof: the pattern can't occur by accident. */
  readonly certain?: boolean;
  /** Null if the conversation could not have shown this fault. */
  find(dialogue: Dialogue): readonly FaultHit[] | null;
}

/** The name prefix of fault scorers. */
export const faultPrefix = 'fault-';

export function faultRule(detector: Detector): ScoringRule {
  return {
    name: `${faultPrefix}${detector.name}`,
    version: detector.version,
    unit: 'seat',
    scale: [0, 1],
    lowerIsBetter: true,
    find({ log, seat }) {
      const dialogue = dialogueOf(log, seat);
      const hits = dialogue === null ? null : detector.find(dialogue);
      if (hits === null) return null;
      const first = hits[0];
      return {
        value: hits.length > 0 ? 1 : 0,
        parts: { hits: hits.length },
        ...(first === undefined ? {} : { turn: first.line.turn, reason: first.note }),
        evidence: hits.slice(0, 3).flatMap((hit) => evidenceOfHit(log, hit)),
      };
    },
  };
}

/** The original line of a hit, or the quote if the line contains it verbatim. */
export function evidenceOfHit(log: Log, { line, quote, note }: FaultHit): readonly Evidence[] {
  const exact = quote !== undefined && line.raw.includes(quote) ? { quote } : {};
  return evidenceOf(log, { event: line.event, text: line.raw }, { supports: false, note, ...exact });
}

/** The agent's lines. */
export function botLines({ lines }: Dialogue): readonly DialogueLine[] {
  return lines.filter(({ by }) => by === 'agent');
}

/**
 * Does the agent mention something that the customer knows, has not said, and does not say in reply? Then later problems may be caused by
 * the customer's silence and show no fault of the agent.
 */
export function asksInVain(dialogue: Dialogue, line: DialogueLine): boolean {
  const { facts, lines } = dialogue;
  if (facts === null) return false;
  const open = openTopics(line.text, facts.knows, customerWordsBefore(dialogue, line.event));
  const answer = lines[lines.indexOf(line) + 1];
  return open.some(([, value]) => answer?.by !== 'customer' || !mentionsValue(answer.text, value));
}

/** The agent's line with the call, or the last line. */
export function lineOfCall(dialogue: Dialogue, { event }: Pick<DialogueCall, 'event'>): DialogueLine | undefined {
  return botLines(dialogue).find((line) => line.event >= event) ?? botLines(dialogue).at(-1);
}

/** The latest customer message before an event. */
export function messageBefore({ lines }: Dialogue, event: number): DialogueLine | undefined {
  return lines.findLast((line) => line.by === 'customer' && line.event < event);
}

/** The customer's messages before an event. */
export function customerWordsBefore({ lines }: Dialogue, event: number): string {
  return lines
    .filter((line) => line.by === 'customer' && line.event < event)
    .map(({ text }) => text)
    .join('\n');
}
