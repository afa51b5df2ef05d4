/**
 * @file Plan exchange (CaPo, arXiv 2411.04679): the lead drafts a plan, the others judge it from what they know, and the lead revises it
 * until all agree or the rounds are used up. Without agreement, the plan with the most approvals is used and marked as contested.
 *
 * A plan written as a line "Plan: …" is stored. In later turns the lead follows it alone; it is discussed again only if the lead reports
 * progress that changes it.
 */

import type { Discussion, DiscussionResult, Protocol } from '../protocol.ts';
import { answerWords, attempts, isOn, numberFrom, othersOf, speechesOf, textFrom } from '../protocol.ts';
import { isYes, lineIn } from '../speech.ts';

export const planExchange: Protocol = {
  about: 'the lead drafts a plan, the others agree or object, the lead revises; it is kept until progress changes it (CaPo)',
  mechanisms: {
    plan: 'a plan is discussed at every move and not kept',
    revision: 'a plan that was agreed on is never changed',
  },

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const others = othersOf(discussion);
    const all = speechesOf(discussion, () => true);
    const drafts = draftsOf(discussion);
    const last = drafts.at(-1);
    // A council only plans; its members make their own moves.
    const answerForm = discussion.settings['plansOnly'] === true ? '' : ` ${answerWords(discussion)}`;
    const retainedKeptPlan = keptPlan(discussion);
    if (said.length === 0 && retainedKeptPlan !== null) {
      const revise = isOn(discussion, 'revision')
        ? ' Only if something was found or done that changes it, write "Progress: yes" and what.'
        : '';
      const done = retainedKeptPlan.progress.length === 0 ? '' : `\nDone so far: ${retainedKeptPlan.progress.join(' | ')}`;
      const tell = `The plan of the team: ${retainedKeptPlan.plan}${done}\nGo on by it.${revise} ${answerWords(discussion)}`;
      return { asks: [{ seat: lead, part: 'follow', tell, hears: [], choices, act: true }] };
    }
    const [first] = said;
    if (
      said.length === 1 &&
      first?.part === 'follow' &&
      first.answer !== null &&
      !(isOn(discussion, 'revision') && isYes(lineIn(first.text, 'progress')))
    )
      return { result: { answer: first.answer, ...keeping(discussion, first.answer, null, retainedKeptPlan), acted: { followed: 1 } } };
    if (last === undefined) {
      const tell = `Draft a plan: who does what, in which order, in one line "Plan: …".${answerForm}`;
      return { asks: [{ seat: lead, part: 'draft', tell, hears: all, choices, act: true }] };
    }
    const revisions = drafts.length - 1;
    const acted = {
      revised: retainedKeptPlan === null ? 0 : 1,
      objections: drafts.reduce((sum, { votes, approvals }) => sum + votes - approvals, 0),
    };
    if (last.votes < others.length) {
      const tell = `Judge the plan of ${lead} by what you know. Write "Agree: yes", or "Agree: no" and what is wrong with it.`;
      const asks = others.map((seat) => ({ seat, part: 'judge', tell, hears: [last.index], choices: ['Agree: yes', 'Agree: no'] }));
      return { asks };
    }
    if (last.approvals === others.length)
      return { result: { answer: last.answer, revisions, ...keeping(discussion, last.answer, last.plan, retainedKeptPlan), acted } };
    if (drafts.length >= rounds) {
      const best = drafts.reduce((draft, other) => (other.approvals >= draft.approvals ? other : draft));
      return {
        result: {
          answer: best.answer,
          contested: true,
          revisions,
          ...keeping(discussion, best.answer, best.plan, retainedKeptPlan),
          acted,
        },
      };
    }
    const tell = `Not all agree. Revise your plan, in one line "Plan: …".${answerForm}`;
    return { asks: [{ seat: lead, part: 'draft', tell, hears: all, choices, act: true }] };
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
      // A policy cannot speak, so its silence does not count as an objection.
      const approvals = last.approvals + (speech.text === '' || isYes(lineIn(speech.text, 'agree')) ? 1 : 0);
      drafts[drafts.length - 1] = { ...last, votes: last.votes + 1, approvals };
    }
  }
  return drafts;
}

/** Maximum characters of a stored plan. */
const longestPlan = 2000;

interface KeptPlan {
  readonly plan: string;
  readonly version: number;
  /** Actions taken under the plan, with their results. */
  readonly progress: readonly string[];
}

const mostEntries = 16;

function keptPlan(discussion: Discussion): KeptPlan | null {
  const plan = textFrom(discussion, 'plan');
  return plan === '' ? null : { plan, version: numberFrom(discussion, 'version'), progress: attempts(discussion, 'progress', mostEntries) };
}

/** Returns the memory for the next turn. A new plan increments the count; without one, the old plan is stored again. */
function keeping(discussion: Discussion, answer: string, plan: string | null, before: KeptPlan | null): Pick<DiscussionResult, 'memory'> {
  const now =
    plan === null ? before : { plan: plan.slice(0, longestPlan), version: (before?.version ?? 0) + 1, progress: before?.progress ?? [] };
  return now === null || !isOn(discussion, 'plan') ? { memory: {} } : { memory: { ...now, tried: answer } };
}
