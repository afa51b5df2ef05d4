/** @file Scores one episode under a rubric: the shared code of the penalty list and the checklist, from the prompt to the score. */

import type { ChatMessage, Cost, Evidence, Score } from '@ludus-agents/kernel/internal/core/index';
import { mean } from '../statistics/mean.ts';
import { addCosts, type JudgeAnswer, type JudgeClient } from './ask.ts';
import { framePrompt, type Stage } from './prompt.ts';
import type { ParsedReply } from './reply.ts';
import type { PointwiseRubric } from './rubric.ts';
import type { JudgedScene } from './scene.ts';
import type { ReplyForm } from './schema.ts';

/** `value` null: the axis does not apply to this episode. */
export interface AxisResult {
  readonly axis: string;
  readonly value: number | null;
  readonly evidence: readonly Evidence[];
}

type AxisOf<R extends PointwiseRubric> = R['axes'][number];

export interface PointwiseSheet<R extends PointwiseRubric> {
  readonly rubric: R;
  readonly axes: readonly AxisOf<R>[];
  readonly scene: JudgedScene;
}

export interface PointwiseForm<R extends PointwiseRubric> {
  instructions(rubric: R, axes: readonly AxisOf<R>[]): string;
  /** The form described in the instructions, as a schema for servers. */
  reply(rubric: R, axes: readonly AxisOf<R>[]): ReplyForm;
  /** All axes of the sheet, or the error: a partly valid answer is not used. */
  read(text: string, sheet: PointwiseSheet<R>): ParsedReply<readonly AxisResult[]>;
  /** The score of a silent agent. */
  floor(rubric: R): number;
}

export interface PointwiseRequest<R extends PointwiseRubric> {
  readonly form: PointwiseForm<R>;
  readonly rubric: R;
  /** Axes asked about in one call. */
  readonly batch: number;
  readonly desk: JudgeClient;
  readonly stage: Stage;
}

/** The chat in which a batch of axes is asked about. */
export function pointwiseChat<R extends PointwiseRubric>(request: PointwiseRequest<R>, axes: readonly AxisOf<R>[]): readonly ChatMessage[] {
  return framePrompt(request.rubric, request.stage, request.form.instructions(request.rubric, axes));
}

export async function judgePointwise<R extends PointwiseRubric>(
  request: PointwiseRequest<R>,
  signal: AbortSignal,
): Promise<Omit<Score, 'name' | 'provenance'> & { readonly problem?: string }> {
  const { form, rubric, batch, desk, stage } = request;
  const scene = stage.scenes[0];
  const batches: AxisOf<R>[][] = [];
  for (let i = 0; i < rubric.axes.length; i += batch) batches.push(rubric.axes.slice(i, i + batch) as AxisOf<R>[]);
  const answers = await Promise.all(
    batches.map((axes) =>
      desk.ask(pointwiseChat(request, axes), (text) => form.read(text, { rubric, axes, scene }), signal, form.reply(rubric, axes)),
    ),
  );
  return { ...totalOf(rubric, answers), floor: form.floor(rubric) };
}

/** The mean of the axes that apply. One axis without a readable answer, and the whole has no value: the rest would be another rubric. */
export function totalOf(
  rubric: PointwiseRubric,
  answers: readonly JudgeAnswer<readonly AxisResult[]>[],
): {
  value: number | null;
  status: Score['status'];
  parts: Record<string, number | null>;
  evidence: Evidence[];
  cost: Cost;
  problem?: string;
} {
  const parts: Record<string, number | null> = Object.fromEntries(rubric.axes.map(({ id }) => [id, null]));
  const results = answers.flatMap((answer) => (answer.status === 'ok' ? answer.value : []));
  for (const { axis, value } of results) parts[axis] = value;
  const evidence = results.flatMap((result) => result.evidence);
  const cost = addCosts(answers.map((answer) => answer.cost));
  const missing = answers.find((answer) => answer.status !== 'ok');
  if (missing !== undefined) return { value: null, status: missing.status, parts, evidence, cost, problem: missing.problem };
  const values = results.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0) return { value: null, status: 'not-applicable', parts, evidence, cost };
  return { value: mean(values), status: 'ok', parts: { ...parts, ...normaliseParts(rubric, parts) }, evidence, cost };
}

/** Axes of different ranges do not weigh alike in a plain mean: the mean of each axis scaled to 0…1 is shown too. */
function normaliseParts(rubric: PointwiseRubric, parts: Readonly<Record<string, number | null>>): Record<string, number> {
  if (rubric.form !== 'checklist') return {};
  const shares = rubric.axes.flatMap(({ id, scale: [from, to] }) => {
    const value = parts[id];
    return value === null || value === undefined ? [] : [(value - from) / (to - from)];
  });
  return { normalised: mean(shares) };
}
