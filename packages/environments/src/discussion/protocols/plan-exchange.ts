/**
 * @file Plan exchange (CaPo, arXiv 2411.04679): the lead drafts a plan, the others judge it by what they know, the lead revises it, until all
 * agree or the rounds are over. Without agreement the plan with the most approvals counts, and is marked as contested.
 *
 * A plan that is written as a line "Plan: …" is kept: in later turns the lead acts by it alone, and it is discussed anew only where the lead
 * reports progress that changes it.
 */

import { isObject } from '@ludus-agents/kernel/internal/core/index';
import { answerWords, type Discussion, type DiscussionResult, othersOf, type Protocol, speechesOf } from '../protocol.ts';
import { isYes, lineIn } from '../speech.ts';

export const planExchange: Protocol = {
  about: 'the lead drafts a plan, the others agree or object, the lead revises; it is kept until progress changes it (CaPo)',

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const others = othersOf(discussion);
    const all = speechesOf(discussion, () => true);
    const drafts = draftsOf(discussion);
    const last = drafts.at(-1);
    const kept = keptPlan(discussion);
    if (said.length === 0 && kept !== null) {
      const tell = `The plan of the team: ${kept.plan}\nGo on by it. Only if something was found or done that changes it, write "Progress: yes" and what. ${answerWords(discussion)}`;
      return { asks: [{ seat: lead, part: 'follow', tell, hears: [], choices }] };
    }
    const [first] = said;
    if (said.length === 1 && first?.part === 'follow' && first.answer !== null && !isYes(lineIn(first.text, 'progress')))
      return { result: { answer: first.answer, ...keeping(kept) } };
    if (last === undefined) {
      const tell = `Draft a plan: who does what, in which order, in one line "Plan: …". ${answerWords(discussion)}`;
      return { asks: [{ seat: lead, part: 'draft', tell, hears: all, choices }] };
    }
    const revisions = drafts.length - 1;
    if (last.votes < others.length) {
      const tell = `Judge the plan of ${lead} by what you know. Write "Agree: yes", or "Agree: no" and what is wrong with it.`;
      const asks = others.map((seat) => ({ seat, part: 'judge', tell, hears: [last.index], choices: ['Agree: yes', 'Agree: no'] }));
      return { asks };
    }
    if (last.approvals === others.length) return { result: { answer: last.answer, revisions, ...keeping(last.plan, kept) } };
    if (drafts.length >= rounds) {
      const best = drafts.reduce((one, other) => (other.approvals >= one.approvals ? other : one));
      return { result: { answer: best.answer, contested: true, revisions, ...keeping(best.plan, kept) } };
    }
    const tell = `Not all agree. Revise your plan, in one line "Plan: …". ${answerWords(discussion)}`;
    return { asks: [{ seat: lead, part: 'draft', tell, hears: all, choices }] };
  },
};

interface Draft {
  readonly index: number;
  readonly answer: string;
  readonly plan: string | null;
  readonly votes: number;
  readonly approvals: number;
}

function draftsOf({ said }: Discussion): readonly Draft[] {
  const drafts: Draft[] = [];
  for (const [index, speech] of said.entries()) {
    const last = drafts.at(-1);
    if (speech.part === 'draft')
      drafts.push({ index, answer: speech.answer ?? '', plan: lineIn(speech.text, 'plan'), votes: 0, approvals: 0 });
    else if (speech.part === 'judge' && last !== undefined) {
      const approvals = last.approvals + (isYes(lineIn(speech.text, 'agree')) ? 1 : 0);
      drafts[drafts.length - 1] = { ...last, votes: last.votes + 1, approvals };
    }
  }
  return drafts;
}

/** Characters of a plan that is kept. */
const longestPlan = 2000;

interface KeptPlan {
  readonly plan: string;
  readonly version: number;
}

function keptPlan({ settings }: Discussion): KeptPlan | null {
  const kept = isObject(settings['kept']) ? settings['kept'] : {};
  return typeof kept['Plan'] === 'string' ? { plan: kept['Plan'], version: Number(kept['Version'] ?? 1) } : null;
}

/** What the next turn is told: a new plan counts one up, the old one stays where there is none. */
function keeping(plan: string | KeptPlan | null, before: KeptPlan | null = null): Pick<DiscussionResult, 'kept'> {
  const now = typeof plan === 'string' ? { plan: plan.slice(0, longestPlan), version: (before?.version ?? 0) + 1 } : (plan ?? before);
  return now === null ? {} : { kept: { Plan: now.plan, Version: `${now.version}` } };
}
