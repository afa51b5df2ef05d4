/**
 * @file Plan exchange (CaPo, arXiv 2411.04679): the lead drafts a plan, the others judge it by what they know, the lead revises it, until all
 * agree or the rounds are over. Without agreement the plan with the most approvals counts, and is marked as contested.
 */

import { answerWords, type Discussion, othersOf, type Protocol, speechesOf } from '../protocol.ts';
import { isYes, lineIn } from '../speech.ts';

export const planExchange: Protocol = {
  about: 'the lead drafts a plan, the others agree or object, the lead revises (CaPo)',

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const others = othersOf(discussion);
    const all = speechesOf(discussion, () => true);
    const drafts = draftsOf(discussion);
    const last = drafts.at(-1);
    if (said.length === 0 || last === undefined) {
      const tell = `Draft a plan: who does what, in which order. ${answerWords(discussion)}`;
      return { asks: [{ seat: lead, part: 'draft', tell, hears: all, choices }] };
    }
    const revisions = drafts.length - 1;
    if (last.votes < others.length) {
      const tell = `Judge the plan of ${lead} by what you know. Write "Agree: yes", or "Agree: no" and what is wrong with it.`;
      const asks = others.map((seat) => ({ seat, part: 'judge', tell, hears: [last.index], choices: ['Agree: yes', 'Agree: no'] }));
      return { asks };
    }
    if (last.approvals === others.length) return { result: { answer: last.answer, revisions } };
    if (drafts.length >= rounds) {
      const best = drafts.reduce((one, other) => (other.approvals >= one.approvals ? other : one));
      return { result: { answer: best.answer, contested: true, revisions } };
    }
    const tell = `Not all agree. Revise your plan. ${answerWords(discussion)}`;
    return { asks: [{ seat: lead, part: 'draft', tell, hears: all, choices }] };
  },
};

interface Draft {
  readonly index: number;
  readonly answer: string;
  readonly votes: number;
  readonly approvals: number;
}

function draftsOf({ said }: Discussion): readonly Draft[] {
  const drafts: Draft[] = [];
  for (const [index, speech] of said.entries()) {
    const last = drafts.at(-1);
    if (speech.part === 'draft') drafts.push({ index, answer: speech.answer ?? '', votes: 0, approvals: 0 });
    else if (last !== undefined) {
      const approvals = last.approvals + (isYes(lineIn(speech.text, 'agree')) ? 1 : 0);
      drafts[drafts.length - 1] = { ...last, votes: last.votes + 1, approvals };
    }
  }
  return drafts;
}
