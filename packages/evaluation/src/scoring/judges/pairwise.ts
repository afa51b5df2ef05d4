/**
 * @file The swapped comparison: the same two episodes in both orders; a verdict that changes with the order does not count.
 *
 * The idea of naming first which axis the episodes put to the test is FURINA's; judging both orders and keeping only what agrees is the
 * usual cure for position bias. Where the orders disagree the score is "undecided", which is not the same as a tie that both orders see.
 */

import type { ChatMessage, Cost, Evidence, JsonObject, Score } from '@ludus-agents/kernel/internal/core/index';
import { mean } from '../statistics/mean.ts';
import { addCosts, type JudgeAnswer, type JudgeClient } from './ask.ts';
import { framePrompt, type Stage } from './prompt.ts';
import { objectWith, type ParsedReply, parseCitation, parseLabels, problem, wholeNumber } from './reply.ts';
import type { PairwiseRubric } from './rubric.ts';
import { evidenceAt, type JudgedScene } from './scene.ts';
import { pairwiseReply } from './schema.ts';

/** One judgement in one order. `preference`: 1 the first is much better … 3 alike … 5 the second is much better. */
export interface Preference {
  readonly axis: string;
  readonly preference: number;
  readonly evidence: readonly Evidence[];
}

export type Slot = 'A' | 'B' | 'tie';
export type PairwiseChoice = 'X' | 'Y' | 'tie';

/** The candidate in a slot: X is first in the forward order and second in the reverse one. */
function candidateOf(slot: Slot, order: 'forward' | 'reverse'): PairwiseChoice {
  if (slot === 'tie') return 'tie';
  return (slot === 'A') === (order === 'forward') ? 'X' : 'Y';
}

export interface SwapReport {
  readonly verdicts: readonly (readonly [PairwiseChoice, PairwiseChoice])[];
  /** Share of pairs with the same verdict in both orders. */
  readonly consistency: number;
  /** Among verdicts other than ties, the share for the first slot: .5 without bias. Null if all are ties. */
  readonly firstSlotRate: number | null;
  /** The verdict of both orders; a tie if they differ. */
  readonly decisions: readonly PairwiseChoice[];
  /** Ties count as half a win. */
  readonly winRate: number;
}

/** Position bias over many pairs judged in both orders. */
export function swapReport(forward: readonly Slot[], reverse: readonly Slot[]): SwapReport {
  const verdicts = forward.map((slot, i) => [candidateOf(slot, 'forward'), candidateOf(reverse[i], 'reverse')] as const);
  const decisions = verdicts.map(([a, b]): PairwiseChoice => (a === b ? a : 'tie'));
  const decided = [...forward, ...reverse].filter((slot) => slot !== 'tie');
  return {
    verdicts,
    consistency: mean(verdicts.map(([a, b]) => (a === b ? 1 : 0))),
    firstSlotRate: decided.length === 0 ? null : decided.filter((slot) => slot === 'A').length / decided.length,
    decisions,
    winRate: mean(decisions.map((decision) => ({ X: 1, tie: 0.5, Y: 0 })[decision])),
  };
}

export function slotOf(preference: number): Slot {
  return preference < 3 ? 'A' : preference > 3 ? 'B' : 'tie';
}

/** A preference from 1 to 5 as the share of the first: 1 → 1, 3 → ½, 5 → 0. */
export function shareOf(preference: number): number {
  return (5 - preference) / 4;
}

function instructions(rubric: PairwiseRubric): string {
  return [
    rubric.axes.length === 1
      ? 'Compare the two episodes on the axis below alone.'
      : 'First choose the one axis that these two episodes put to the test most. Then compare the two on that axis alone.',
    'Which of them stands first means nothing, and neither does length.',
    '',
    ...rubric.axes.map(({ id, about }) => `AXIS ${id} | ${about}`),
    '',
    'preference: 1 = A is much better, 2 = A is better, 3 = alike, 4 = B is better, 5 = B is much better.',
    'Quote from both episodes what decided it. Answer with one JSON object:',
    '{"axis": "…", "preference": 3, "a": {"event": 0, "quote": "…"}, "b": {"event": 0, "quote": "…"}, "why": "…"}',
  ].join('\n');
}

function readPreference(text: string, rubric: PairwiseRubric, scenes: readonly JudgedScene[]): ParsedReply<Preference> {
  const read = objectWith(text, 'preference');
  const parsedReply = read.ok ? read : fromLines(text, read.problem);
  if (!parsedReply.ok) return parsedReply;
  const { axis, preference, a, b, why } = parsedReply.value;
  const choice = wholeNumber(preference);
  if (choice === null || choice < 1 || choice > 5) return problem('"preference" must be an integer from 1 to 5');
  if (typeof axis !== 'string' || !rubric.axes.some(({ id }) => id === axis))
    return problem(`"axis" must be one of ${rubric.axes.map(({ id }) => id).join(', ')}`);
  const evidence: Evidence[] = [];
  for (const [side, where] of [a, b].entries()) {
    const event = wholeNumber((where as JsonObject | null | undefined)?.['event']);
    const quote = (where as JsonObject | null | undefined)?.['quote'];
    const place = event === null || typeof quote !== 'string' ? null : evidenceAt(scenes[side], event, quote);
    if (place === null) return problem(`the quote from episode ${'AB'[side]} is not in the event that it cites`);
    const supports = side === 0 ? choice <= 3 : choice >= 3;
    evidence.push({ ...place, supports, note: typeof why === 'string' && why !== '' ? `${axis}: ${why}` : axis });
  }
  return { ok: true, value: { axis, preference: choice, evidence } };
}

function fromLines(text: string, otherwise: string): ParsedReply<JsonObject> {
  const read = parseLabels(text, ['axis', 'preference', 'A', 'B']);
  if (!read.ok) return problem(otherwise);
  const of = (label: string) => read.value.get(label) ?? '';
  return {
    ok: true,
    value: {
      axis: of('axis')
        .trim()
        .replace(/[*_`.]/g, ''),
      preference: of('preference').trim(),
      a: parseCitation(of('A')),
      b: parseCitation(of('B')),
    },
  };
}

/** The chat in which the two episodes of a stage are compared, in their order. */
export function pairwiseChat(rubric: PairwiseRubric, stage: Stage): readonly ChatMessage[] {
  return framePrompt(rubric, stage, instructions(rubric));
}

export interface PairwiseRequest {
  readonly rubric: PairwiseRubric;
  readonly desk: JudgeClient;
  readonly stage: Stage;
}

/** Both orders of a pair: 1 if the first of the two is better, 0 if the second is, ½ if both orders are ties. */
export async function judgePair(
  { rubric, desk, stage }: PairwiseRequest,
  signal: AbortSignal,
): Promise<Omit<Score, 'name' | 'provenance'> & { readonly problem?: string }> {
  const [x, y] = stage.scenes as readonly [JudgedScene, JudgedScene];
  const form = pairwiseReply(rubric.axes.map(({ id }) => id));
  const askOrder = (scenes: readonly JudgedScene[]) =>
    desk.ask(pairwiseChat(rubric, { ...stage, scenes }), (text) => readPreference(text, rubric, scenes), signal, form);
  const answers: readonly JudgeAnswer<Preference>[] = await Promise.all([askOrder([x, y]), askOrder([y, x])]);
  const cost: Cost = addCosts(answers.map((answer) => answer.cost));
  const evidence = answers.flatMap((answer) => (answer.status === 'ok' ? answer.value.evidence : []));
  const missing = answers.find((answer) => answer.status !== 'ok');
  if (missing !== undefined) return { value: null, status: missing.status, evidence, cost, floor: 0.5, problem: missing.problem };
  const [forward, reverse] = answers.map((answer) => (answer as { readonly value: Preference }).value) as [Preference, Preference];
  const parts = { forward: shareOf(forward.preference), reverse: 1 - shareOf(reverse.preference) };
  const report = swapReport([slotOf(forward.preference)], [slotOf(reverse.preference)]);
  if (report.consistency === 0) return { value: null, status: 'undecided', parts, evidence, cost, floor: 0.5 };
  const graded = { ...parts, graded: (parts.forward + parts.reverse) / 2 };
  return { value: report.winRate, status: 'ok', parts: graded, evidence, cost, floor: 0.5 };
}
