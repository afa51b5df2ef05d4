/**
 * @file The penalty list: a judge lists flaws with a quote and a severity, and the score is arithmetic over that list.
 *
 * The form and the arithmetic are CoSER's (given-circumstance acting). It differs in two points: a severity that is not a whole number in
 * range makes the answer unreadable instead of counting as 1, and an axis without flaws must still quote its best moment, so that a judge
 * which read nothing cannot hand out full marks.
 */

import type { Evidence, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { AxisResult, PointwiseForm } from './pointwise.ts';
import { objectWith, type ParsedReply, parseCitation, parseLabels, problem, wholeNumber } from './reply.ts';
import type { PenaltyArithmetic, PenaltyAxis, PenaltyRubric } from './rubric.ts';
import { evidenceAt, type JudgedScene } from './scene.ts';
import { penaltyReply } from './schema.ts';

/** The score of a list of severities in an episode with the given number of turns. */
export function penaltyScore(arithmetic: PenaltyArithmetic, severities: readonly number[], turns: number): number {
  const { start, each, worst, turn, clamp } = arithmetic;
  const sum = severities.reduce((total, severity) => total + severity, 0);
  const raw = start - each * sum - worst * Math.max(0, ...severities) + turn * turns;
  // Rounds sums of tenths: 4.2, not 4.199999999999999.
  const value = Number(raw.toFixed(9));
  return clamp === undefined ? value : Math.min(clamp[1], Math.max(clamp[0], value));
}

export const penalty: PointwiseForm<PenaltyRubric> = {
  instructions: (rubric, axes) =>
    [
      'List every flaw you find, axis by axis. Do not list what is merely plain. One flaw is listed once, under the axis it fits best.',
      `Severity is a whole number from 1 (${rubric.severity.least}) to ${rubric.severity.to} (${rubric.severity.most}).`,
      'For each axis also quote its best moment.',
      '',
      ...axes.map(({ id, about, flaws }) => `AXIS ${id} | ${about} Flaws: ${flaws.join('; ')}.`),
      '',
      'Answer with one JSON object:',
      '{"axes": [{"axis": "…", "flaws": [{"event": 0, "quote": "…", "severity": 1, "why": "…"}], "best": {"event": 0, "quote": "…"}}]}',
    ].join('\n'),

  reply: (rubric, axes) =>
    penaltyReply(
      axes.map(({ id }) => id),
      rubric.severity.to,
    ),

  read(text, { rubric, axes, scene }) {
    const read = objectWith(text, 'axes');
    const input = read.ok ? { ok: true as const, value: read.value['axes'] } : fromLines(text, axes, read.problem);
    if (!input.ok) return input;
    const results: AxisResult[] = [];
    for (const axis of axes) {
      const mine = Array.isArray(input.value) ? input.value.filter((item) => (item as JsonObject | null)?.['axis'] === axis.id) : [];
      if (mine.length !== 1) return problem(`axis "${axis.id}" must be answered exactly once, but was ${mine.length} times`);
      const result = axisOf(mine[0], rubric, scene);
      if (!result.ok) return result;
      results.push(result.value);
    }
    return { ok: true, value: results };
  },

  floor: ({ arithmetic }) => penaltyScore(arithmetic, [], 0),
};

function axisOf(answer: JsonObject, rubric: PenaltyRubric, scene: JudgedScene): ParsedReply<AxisResult> {
  const { flaws, best } = answer;
  const axis = answer['axis'] as string;
  if (!Array.isArray(flaws)) return problem(`axis "${axis}" has no list of flaws`);
  const evidence: Evidence[] = [];
  const severities: number[] = [];
  for (const flaw of flaws as readonly (JsonObject | null)[]) {
    const severity = wholeNumber(flaw?.['severity']);
    if (severity === null || severity < 1 || severity > rubric.severity.to)
      return problem(`a flaw on axis "${axis}" has no severity from 1 to ${rubric.severity.to}`);
    const place = placeEvidence(scene, flaw);
    if (place === null) return problem(`a quote on axis "${axis}" is not in the event that it cites`);
    severities.push(severity);
    const why = flaw?.['why'];
    evidence.push({ ...place, supports: false, note: `${axis}, severity ${severity}${typeof why === 'string' ? `: ${why}` : ''}` });
  }
  const good = placeEvidence(scene, best as JsonObject | null | undefined);
  if (good !== null) evidence.push({ ...good, supports: true, note: `${axis}, best moment` });
  else if (severities.length === 0) return problem(`axis "${axis}" has no flaws and no valid quote of its best moment`);
  return { ok: true, value: { axis, value: penaltyScore(rubric.arithmetic, severities, scene.turns), evidence } };
}

function placeEvidence(scene: JudgedScene, where: JsonObject | null | undefined): Pick<Evidence, 'episode' | 'event' | 'quote'> | null {
  const event = wholeNumber(where?.['event']);
  const quote = where?.['quote'];
  return event === null || typeof quote !== 'string' ? null : evidenceAt(scene, event, quote);
}

/** An axis as its own paragraph: a line for each flaw, `[12] "quote" severity 3`, and one that begins with "best". */
function fromLines(text: string, axes: readonly PenaltyAxis[], otherwise: string): ParsedReply<Json> {
  const ids = axes.map(({ id }) => id);
  const read = parseLabels(text, ids);
  if (!read.ok) return problem(otherwise);
  const answers = [...read.value].map(([axis, section]) => {
    const lines = section.split('\n').filter((line) => parseCitation(line) !== null);
    const isBest = (line: string) => /^[\s*_•-]*best\b/iu.test(line);
    const flaws = lines
      .filter((line) => !isBest(line))
      .map((line) => ({
        ...(parseCitation(line) as { event: number; quote: string }),
        severity: /severity\W{0,4}(\d+)/iu.exec(line.replace(linear(/"[^"]*"|“[^”]*”/gu), ''))?.[1] ?? null,
      }));
    const best = lines.find(isBest);
    return { axis, flaws, best: best === undefined ? null : parseCitation(best) };
  });
  return { ok: true, value: answers };
}
