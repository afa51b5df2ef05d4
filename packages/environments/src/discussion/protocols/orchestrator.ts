/**
 * @file An orchestrator with a task ledger, a progress ledger and a stall counter (Magentic-One, arXiv 2411.04468).
 *
 * The lead writes facts and a plan, then says again and again whether there is progress, who is next and with which task. A step without
 * progress, or in a loop, counts one up, any other one down; at three the lead plans anew. Differs: the same task for the same member three
 * times is a stall as well, because a counter that also counts down never notices that progress and none alternate.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { answerWords, type Discussion, othersOf, type Protocol, type Speech, speechesOf } from '../protocol.ts';
import { isNo, isYes, lineIn } from '../speech.ts';

const mostStalls = 3;

export const orchestrator: Protocol = {
  about: 'the lead keeps a ledger, gives tasks, notices stalls and plans anew (Magentic-One)',

  next(discussion) {
    const { said, lead, rounds } = discussion;
    const last = said.at(-1);
    const all = speechesOf(discussion, () => true);
    const askLead = (part: string, tell: string) => ({ asks: [{ seat: lead, part, tell, hears: all, choices: discussion.choices }] });
    if (last === undefined)
      return askLead('ledger', `Write down the facts and the plan for your team (${othersOf(discussion).join(', ')}).`);
    const { stalled, revisions } = stallsOf(discussion);
    if (last.seat === lead && last.part === 'progress') {
      const done = isYes(lineIn(last.text, 'done')) || nextIn(discussion, last) === null;
      if (done && last.answer !== null) return { result: { answer: last.answer, revisions } };
      if (done) return askLead('answer', `Give the answer of your team. ${answerWords(discussion)}`);
      if (stalled && revisions < rounds) return askLead('ledger', 'There is no progress. Write down the facts and a new plan.');
      // Nothing is left to try: the answer is what the lead makes of it.
      if (stalled) return askLead('answer', `There is no progress, and no time for a new plan. ${answerWords(discussion)}`);
      const { seat, task } = nextIn(discussion, last) as { seat: Seat; task: string };
      const tell = `${lead} asks you: ${task}`;
      return { asks: [{ seat, part: 'task', tell, hears: all, choices: discussion.choices }] };
    }
    if (last.part === 'answer')
      return { result: { answer: last.answer ?? '', revisions, ...(stalled ? { contested: true as const } : {}) } };
    return askLead(
      'progress',
      `Judge the state, in lines: "Done: yes" with the answer, or "Done: no", "Progress: yes" or "Progress: no", "Loop: yes" or "Loop: no", "Next: NAME", "Task: …" for that member. ${answerWords(discussion)}`,
    );
  },
};

/** Whom the lead asks next, and for what; null where it names nobody. */
function nextIn(discussion: Discussion, { text }: Speech): { readonly seat: Seat; readonly task: string } | null {
  const name = lineIn(text, 'next')?.toLowerCase() ?? '';
  const seat = othersOf(discussion).find((member) => member.toLowerCase() === name);
  return seat === undefined ? null : { seat, task: lineIn(text, 'task') ?? '' };
}

/** The counter after each progress report: up without progress or in a loop, down otherwise; three start again from none. */
export function stallCounts(reports: readonly boolean[]): readonly number[] {
  let stalls = 0;
  return reports.map((progress) => {
    if (stalls >= mostStalls) stalls = 0;
    stalls = progress ? Math.max(0, stalls - 1) : stalls + 1;
    return stalls;
  });
}

/** Is the work stuck since the last plan, and how often was it planned anew? */
function stallsOf(discussion: Discussion): { readonly stalled: boolean; readonly revisions: number } {
  const { said } = discussion;
  const plans = said.flatMap((speech, i) => (speech.part === 'ledger' ? [i] : []));
  const reports = said.slice((plans.at(-1) ?? -1) + 1).filter(({ part }) => part === 'progress');
  // The first report comes before any work: it cannot tell of progress.
  const flags = reports.slice(1).map(({ text }) => !isNo(lineIn(text, 'progress')) && !isYes(lineIn(text, 'loop')));
  const tasks = new Map<string, number>();
  for (const report of reports) {
    const next = nextIn(discussion, report);
    if (next !== null) tasks.set(`${next.seat} ${next.task}`, (tasks.get(`${next.seat} ${next.task}`) ?? 0) + 1);
  }
  const again = Math.max(0, ...tasks.values()) >= 3;
  return { stalled: again || (stallCounts(flags).at(-1) ?? 0) >= mostStalls, revisions: Math.max(0, plans.length - 1) };
}
