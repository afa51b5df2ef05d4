/**
 * @file Scripted players. The solver sees only its goal and the shown pages, and follows the plan of its template. The instructor tells
 * another agent in words what the solver would do, and the solver can follow an instructor.
 */

import { Fault, type JsonObject, type Reply, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { followPlan, type PlanPlace, planOf } from './demonstration.ts';
import { type AnswerRubric, checkRubric, writeVerdict } from './rubric.ts';
import { SeenPage } from './seen-page.ts';
import type { Records } from './site.ts';
import { isHarmful } from './templates/twins.ts';

/** The data for programs in the first message. */
interface Briefing {
  readonly template: string;
  readonly fields: Records<string>;
  readonly facts: readonly string[] | null;
  /** The demonstration of a task on user-supplied pages. */
  readonly steps: readonly string[] | undefined;
}

type Heard = Extract<Turn['view']['seen'][number], { readonly kind: 'message' }>;

function messagesOf(turn: Turn): readonly Heard[] {
  return turn.view.seen.filter((item): item is Heard => item.kind === 'message');
}

function briefingOf(turn: Turn): Briefing | null {
  const data = messagesOf(turn).find((message) => message.data !== undefined)?.data as JsonObject | undefined;
  if (data?.['template'] === undefined) return null;
  const { template, fields, facts = null, steps } = data as unknown as Briefing;
  return { template, fields, facts, steps };
}

function pageOf(turn: Turn): SeenPage {
  const visibleText = messagesOf(turn).findLast((message) => message.text.includes('Page "'))?.text ?? '';
  return new SeenPage(visibleText.slice(visibleText.indexOf('Page "')));
}

/** Returns the plan's next move and the new position in the plan. */
function planMove(turn: Turn, { template, fields, facts, steps }: Briefing): { readonly move: string; readonly mind: PlanPlace } {
  const place = (turn.mind ?? { at: 0, memo: '' }) as PlanPlace;
  if (facts !== null && !isHarmful(fields)) return { move: `[answer ${facts.join(': ')}]`, mind: place };
  const next = followPlan(planOf({ template, steps }), pageOf(turn), { place, fields });
  return { move: next.move, mind: next.place };
}

export const solver: Script = (turn) => {
  ownSeat(turn, 'agent');
  const briefing = briefingOf(turn);
  if (briefing === null) return { text: obeyInstructor(turn) };
  const { move, mind } = planMove(turn, briefing);
  return { action: { text: move }, mind: mind } satisfies Reply;
};

/** Ends immediately, changing nothing. */
export const idle: Script = (turn) => {
  ownSeat(turn, 'agent');
  return { text: '[done]' };
};

/** Calls every task impossible. */
export const refuser: Script = (turn) => {
  ownSeat(turn, 'agent');
  return { text: '[impossible not found]' };
};

export const instructor: Script = (turn) => {
  ownSeat(turn, 'instructor');
  const { move, mind } = planMove(turn, briefingOf(turn)!);
  return { action: { text: toWords(move, pageOf(turn)) }, mind: mind } satisfies Reply;
};

/** Judges an answer by the rules of its rubric. A substitute for a model. */
export const judgeByRules: Script = (turn) => {
  ownSeat(turn, 'judge');
  const { answer, rubric } = answerToJudge(turn);
  return { text: writeVerdict(checkRubric(answer, rubric)) };
};

/** Finds every point in every answer: a control that shows the effect of a careless judge. */
export const lenient: Script = (turn) => {
  ownSeat(turn, 'judge');
  return { text: writeVerdict({ met: answerToJudge(turn).rubric.points.map(() => true), passed: true }) };
};

function answerToJudge(turn: Turn): { readonly answer: string; readonly rubric: AnswerRubric } {
  return messagesOf(turn).findLast((message) => message.data !== undefined)!.data as unknown as { answer: string; rubric: AnswerRubric };
}

function ownSeat(turn: Turn, seat: string): void {
  if (turn.ask.seat !== seat) throw new Fault('input', `This script only plays the seat "${seat}", not "${turn.ask.seat}".`);
}

// ── moves in words, and back ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function toWords(move: string, seenPage: SeenPage): string {
  const [, verb, ref = '', rest = ''] = linear(/^\[(\w+) ?(\S*) ?(.*)\]$/).exec(move) ?? [];
  const element = seenPage.elements.find((seenElement) => seenElement.ref === ref);
  const isRepeated = seenPage.elements.filter(({ role, name }) => role === element?.role && name === element.name).length > 1;
  const place = isRepeated && element?.context.includes(' | ') === true ? ` in "${element.context}"` : '';
  const named = element === undefined ? '' : `the ${element.role} "${element.name}"${place}`;
  if (verb === 'click') return `Click ${named}.`;
  if (verb === 'type') return `Type into ${named}: ${rest}`;
  if (verb === 'select') return `Select in ${named}: ${rest}`;
  if (verb === 'answer') return `Answer: ${`${ref} ${rest}`.trim()}`;
  return verb === 'impossible' ? `It is impossible: ${`${ref} ${rest}`.trim()}` : 'That is all, you are done.';
}

const observation = linear(/^(Click|Type into|Select in) the (\w+) "([^"]*)"(?: in "([^"]*)")?(?:\.|: (.*))$/s);

function obeyInstructor(turn: Turn): string {
  const message = messagesOf(turn).findLast(({ from }) => from === 'instructor')?.text ?? '';
  // A list is ranked by the instruction, so its page follows in the same message.
  const [header] = message.split('\nPage "');
  const [, verb, role, name, row, rest] = observation.exec(header) ?? [];
  if (verb !== undefined) {
    const page = pageOf(turn);
    const ref = ((row === undefined ? null : page.findInRow(name, row, role)) ?? page.find(name, role))?.ref;
    if (ref === undefined) return '[impossible not found]';
    return verb === 'Click' ? `[click ${ref}]` : `[${verb === 'Type into' ? 'type' : 'select'} ${ref} ${rest}]`;
  }
  const answer = /^Answer: (.*)$/s.exec(header)?.[1];
  if (answer !== undefined) return `[answer ${answer}]`;
  const reason = /^It is impossible: (.*)$/s.exec(header)?.[1];
  return reason === undefined ? '[done]' : `[impossible ${reason}]`;
}
