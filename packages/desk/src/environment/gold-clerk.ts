/**
 * @file A clerk that knows the cases of a desk: it recognizes the customer's request, asks for confirmation if a tool requires it,
 * makes the gold calls, and tells the required facts. It serves as a teacher to imitate, and shows that a case can be solved.
 */

import type { Action, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import type { Desk, DeskCall, DeskCase, DeskDocument, DeskStep } from './document.ts';
import { toolOf } from './tools.ts';

export function goldClerk(desk: DeskDocument): Script {
  return ({ view }) => {
    const messages = messagesOf(view);
    const current = messages[0] === undefined ? undefined : bestMatch(messages[0], desk.tasks, ({ says }) => says[0]?.say ?? '');
    if (current === undefined) return { text: 'I am sorry, I cannot do that.' };
    const step = stepAt(current, messages);
    if (current.refuse && step.kind !== 'ask') return { text: 'I am sorry, our policy does not allow that.' };
    if (step.kind === 'ask') return { text: answerText(desk, current, step.tell) };
    return nextCall(desk, current, view) ?? { text: `That is done. ${answerText(desk, current, step.tell)}` };
  };
}

/** The customer's messages so far, oldest first. */
function messagesOf({ seen }: Turn['view']): readonly string[] {
  return seen.flatMap((event) => (event.kind === 'message' && event.from === 'customer' ? [event.text] : []));
}

/** The step that the customer's last request belongs to. A yes or an answer does not change it. */
function stepAt({ says }: DeskCase, messages: readonly string[]): DeskStep {
  let at = 0;
  for (const text of messages.slice(1)) {
    const next = says[at + 1];
    if (next !== undefined && overlap(text, next.say) > 0.6) at++;
  }
  return says[at];
}

/** The next pending gold call, or the question before it; null if all were made. */
function nextCall(desk: Desk, { gold }: DeskCase, view: Turn['view']): Action | null {
  const actions = view.seen.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []));
  const open = gold.filter((call) => call.by === undefined && !actions.includes(textOfCall(call)));
  const [call] = open;
  if (call === undefined) return null;
  const argument = toolOf(desk, call)?.confirm;
  const proposal = argument === undefined ? null : `Shall I call ${call.tool} for ${String(call.args[argument] ?? '')}?`;
  if (proposal !== null && !actions.includes(proposal)) return { text: proposal };
  return { text: textOfCall(call) };
}

function textOfCall({ tool, args }: DeskCall): string {
  return JSON.stringify({ tool, args });
}

function answerText(desk: Desk, { tell }: DeskCase, facts: DeskStep['tell']): string {
  const all = [...new Set([...facts, ...tell, ...desk.required])];
  return all.length === 0 ? 'Is there anything else?' : `${all.join('. ')}.`;
}

function bestMatch<T>(text: string, options: readonly T[], textOf: (option: T) => string): T | undefined {
  let best: { readonly option: T; readonly share: number } | undefined;
  for (const option of options) {
    const share = overlap(text, textOf(option));
    if (share > (best?.share ?? 0)) best = { option, share };
  }
  return best?.option;
}

/** The share of a template's words that a text contains. */
function overlap(text: string, template: string): number {
  const message = new Set(wordsIn(text));
  const expected = wordsIn(template);
  return expected.filter((word) => message.has(word)).length / Math.max(1, expected.length);
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? [];
}
