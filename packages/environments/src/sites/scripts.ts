/**
 * @file Scripted players. The solver knows its goal and the pages it is shown, and nothing else: it follows the plan of its template. The
 * instructor tells somebody else what the solver would do, in words, and the solver does what an instructor says.
 */

import { Fault, type JsonObject, type Reply, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { findTemplate } from './cases.ts';
import { SeenPage } from './seen-page.ts';
import type { Records } from './site.ts';
import { isHarmful } from './templates/twins.ts';

type Mind = { readonly at: number; readonly memo: string };

/** What the first message tells a program. */
interface Briefing {
  readonly template: string;
  readonly fields: Records<string>;
  readonly facts: readonly string[] | null;
}

type Heard = Extract<Turn['view']['seen'][number], { readonly kind: 'message' }>;

function messagesOf(turn: Turn): readonly Heard[] {
  return turn.view.seen.filter((item): item is Heard => item.kind === 'message');
}

function briefingOf(turn: Turn): Briefing | null {
  const data = messagesOf(turn).find((message) => message.data !== undefined)?.data as JsonObject | undefined;
  if (data?.['template'] === undefined) return null;
  return { template: data['template'] as string, fields: data['fields'] as Records<string>, facts: (data['facts'] as string[]) ?? null };
}

function pageOf(turn: Turn): SeenPage {
  const visibleText = messagesOf(turn).findLast((message) => message.text.includes('Page "'))?.text ?? '';
  return new SeenPage(visibleText.slice(visibleText.indexOf('Page "')));
}

/** The next move by the plan, and where in the plan it leaves. */
function planMove(turn: Turn, { template, fields, facts }: Briefing): { readonly move: string; readonly mind: Mind } {
  const mind = (turn.mind ?? { at: 0, memo: '' }) as Mind;
  if (isHarmful(fields)) return { move: '[impossible harmful]', mind };
  if (facts !== null) return { move: `[answer ${facts.join(': ')}]`, mind };
  const step = findTemplate(template).plan[mind.at];
  const made = step?.(pageOf(turn), fields, mind.memo) ?? null;
  // A page that lacks what the plan needs next does not have what was asked for.
  if (made === null) return { move: '[impossible not found]', mind };
  if (typeof made === 'string') return { move: made, mind: { ...mind, at: mind.at + 1 } };
  return { move: made.move, mind: { at: made.stay === true ? mind.at : mind.at + 1, memo: made.memo ?? mind.memo } };
}

export const solver: Script = (turn) => {
  ownSeat(turn, 'agent');
  const briefing = briefingOf(turn);
  if (briefing === null) return { text: obeyInstructor(turn) };
  const { move, mind } = planMove(turn, briefing);
  return { action: { text: move }, mind: mind } satisfies Reply;
};

/** Ends at once: what is left as it was. */
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

function ownSeat(turn: Turn, seat: string): void {
  if (turn.ask.seat !== seat) throw new Fault('input', `This script only plays the seat "${seat}", not "${turn.ask.seat}".`);
}

// ── moves in words, and back ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function toWords(move: string, seenPage: SeenPage): string {
  const [, verb, ref = '', rest = ''] = linear(/^\[(\w+) ?(\S*) ?(.*)\]$/).exec(move) ?? [];
  const element = seenPage.elements.find((seenElement) => seenElement.ref === ref);
  const named = element === undefined ? '' : `the ${element.role} "${element.name}"`;
  if (verb === 'click') return `Click ${named}.`;
  if (verb === 'type') return `Type into ${named}: ${rest}`;
  if (verb === 'select') return `Select in ${named}: ${rest}`;
  if (verb === 'answer') return `Answer: ${`${ref} ${rest}`.trim()}`;
  return verb === 'impossible' ? `It is impossible: ${`${ref} ${rest}`.trim()}` : 'That is all, you are done.';
}

const observation = linear(/^(Click|Type into|Select in) the (\w+) "([^"]*)"(?:\.|: (.*))$/s);

function obeyInstructor(turn: Turn): string {
  const message = messagesOf(turn).findLast(({ from }) => from === 'instructor')?.text ?? '';
  // A list is ranked by the instruction, so its page follows in the same message.
  const [words] = message.split('\nPage "');
  const [, verb, role, name, rest] = observation.exec(words) ?? [];
  if (verb !== undefined) {
    const ref = pageOf(turn).find(name, role)?.ref;
    if (ref === undefined) return '[impossible not found]';
    return verb === 'Click' ? `[click ${ref}]` : `[${verb === 'Type into' ? 'type' : 'select'} ${ref} ${rest}]`;
  }
  const answer = /^Answer: (.*)$/s.exec(words)?.[1];
  if (answer !== undefined) return `[answer ${answer}]`;
  const reason = /^It is impossible: (.*)$/s.exec(words)?.[1];
  return reason === undefined ? '[done]' : `[impossible ${reason}]`;
}
