/** @file The checklist: a judge answers yes or no and quotes the evidence; code adds the points. */

import type { Evidence, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { AxisResult, PointwiseForm } from './pointwise.ts';
import { objectWith, type ParsedReply, parseCitation, parseLabels, problem, wholeNumber, yesNo } from './reply.ts';
import type { ChecklistAxis, ChecklistRubric, RubricQuestion } from './rubric.ts';
import { evidenceAt, type JudgedScene } from './scene.ts';
import { checklistReply } from './schema.ts';

/** The value of an axis if exactly these questions were answered with yes. */
export function checklistScore(axis: ChecklistAxis, yes: (question: RubricQuestion) => boolean): number {
  const sum = axis.questions.reduce((total, question) => total + (yes(question) ? question.points : 0), axis.start);
  return Math.min(axis.scale[1], Math.max(axis.scale[0], sum));
}

/** Names of questions are only unique within their axis. */
const itemOf = (axis: ChecklistAxis, question: RubricQuestion) => `${axis.id}-${question.id}`;

export const checklist: PointwiseForm<ChecklistRubric> = {
  instructions: (_, axes) =>
    [
      'Answer every item with "yes" or "no", and quote the words that decided it: for a "no", what was said instead.',
      'Answer "na" only where the episode gives no occasion to answer at all; "na" needs no quote.',
      '',
      ...axes.flatMap((axis) => [
        `AXIS ${axis.id} | ${axis.about}`,
        ...axis.questions.map((question) => `ITEM ${itemOf(axis, question)} | ${question.ask}`),
      ]),
      '',
      'Answer with one JSON object:',
      '{"answers": [{"item": "…", "answer": "yes", "event": 0, "quote": "…", "why": "…"}]}',
    ].join('\n'),

  reply: (_, axes) => checklistReply(axes.flatMap((axis) => axis.questions.map((question) => itemOf(axis, question)))),

  read(text, { axes, scene }) {
    const read = objectWith(text, 'answers');
    const input = read.ok ? { ok: true as const, value: read.value['answers'] } : fromLines(text, axes, read.problem);
    if (!input.ok) return input;
    const answers = Array.isArray(input.value) ? (input.value as readonly JsonObject[]) : [];
    const results: AxisResult[] = [];
    for (const axis of axes) {
      const result = axisOf(axis, answers, scene);
      if (!result.ok) return result;
      results.push(result.value);
    }
    return { ok: true, value: results };
  },

  floor: (rubric) => {
    const values = rubric.axes.map((axis) => checklistScore(axis, ({ silent }) => silent === 'yes'));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  },
};

/** An axis with an item that does not apply has no value: a partial checklist would be a different one. */
function axisOf(axis: ChecklistAxis, answers: readonly JsonObject[], scene: JudgedScene): ParsedReply<AxisResult> {
  const yes = new Set<RubricQuestion>();
  const evidence: Evidence[] = [];
  let applies = true;
  for (const question of axis.questions) {
    const item = itemOf(axis, question);
    const mine = answers.filter((answer) => (answer as JsonObject | null)?.['item'] === item);
    if (mine.length !== 1) return problem(`item "${item}" must be answered exactly once, but was ${mine.length} times`);
    const { answer, event, quote, why } = mine[0];
    const verdict = yesNo(answer);
    if (verdict === null) return problem(`item "${item}" was answered with neither "yes", "no" nor "na"`);
    if (verdict === 'na') {
      applies = false;
      continue;
    }
    const number = wholeNumber(event);
    const place = number === null || typeof quote !== 'string' ? null : evidenceAt(scene, number, quote);
    if (place === null) return problem(`the quote for item "${item}" is not in the event that it cites`);
    if (verdict === 'yes') yes.add(question);
    const supports = (verdict === 'yes') === question.points > 0;
    evidence.push({ ...place, supports, note: `${item}: ${verdict}${typeof why === 'string' && why !== '' ? `, ${why}` : ''}` });
  }
  return { ok: true, value: { axis: axis.id, value: applies ? checklistScore(axis, (question) => yes.has(question)) : null, evidence } };
}

/** `item: yes [12] "quote"`, a line or a paragraph an item. */
function fromLines(text: string, axes: readonly ChecklistAxis[], otherwise: string): ParsedReply<Json> {
  const read = parseLabels(
    text,
    axes.flatMap((axis) => axis.questions.map((question) => itemOf(axis, question))),
  );
  if (!read.ok) return problem(otherwise);
  const answers = [...read.value].map(([item, section]) => ({
    item,
    answer: /^[\s*_]*(yes|no|na|n\/a)\b/iu.exec(section)?.[1] ?? null,
    ...(parseCitation(section) ?? {}),
  }));
  return { ok: true, value: answers };
}
