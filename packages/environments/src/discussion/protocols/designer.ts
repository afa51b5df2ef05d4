/**
 * @file A designer (MAS-ZERO, arXiv 2505.14996): the lead drafts a team for this question, who does which part and how; they do it; the lead
 * judges each part and says what follows; parts that are not solved are designed anew. At the end it verifies what all designs came to, and
 * the answer that it holds to be right counts, which need not be the last.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { answerWords, type Discussion, othersOf, type Protocol, type Speech, settle, speechesOf } from '../protocol.ts';
import { isYes, linesIn } from '../speech.ts';

const mostTasks = 8;

export const designer: Protocol = {
  about: 'the lead drafts a team for the question, judges what each came to, designs anew, and verifies (MAS-ZERO)',

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const hears = speechesOf(discussion, () => true);
    const askLead = (part: string, tell: string) => ({ asks: [{ seat: lead, part, tell, hears, choices }] });
    const others = othersOf(discussion);
    const form = `up to ${mostTasks} lines "Task NAME: what to find out, and how", each for one of ${others.join(', ')}`;
    const at = said.findLastIndex(({ part }) => part === 'design');
    if (at < 0) return askLead('design', `Design a team for this question: split it into parts, ${form}.`);
    const designs = said.filter(({ part }) => part === 'design').length;
    const tasks = tasksIn(discussion, said[at]!);
    const done = said.slice(at + 1);
    const last = said.at(-1)!;
    if (last.part === 'verify') return { result: { answer: last.answer ?? settle(discussion).answer, revisions: designs - 1 } };
    if (last.part === 'judge') {
      const unsolved = tasks.filter(({ seat }) => !isSolved(last, seat));
      if (unsolved.length > 0 && designs < rounds)
        return askLead('design', `Not solved: ${unsolved.map(({ seat }) => seat).join(', ')}. Design these parts anew: ${form}.`);
      const candidates = new Set(said.flatMap(({ part, answer }) => (part === 'judge' && answer !== null ? [answer] : [])));
      if (candidates.size === 1 && unsolved.length === 0) return { result: { answer: [...candidates][0]!, revisions: designs - 1 } };
      return askLead('verify', `Verify the answers so far: ${[...candidates].join(' / ') || 'none'}. ${answerWords(discussion)}`);
    }
    if (done.length < tasks.length) {
      const { seat, task } = tasks[done.length]!;
      return { asks: [{ seat, part: 'task', tell: `${lead} asks you: ${task}`, hears, choices }] };
    }
    return askLead(
      'judge',
      `Judge each part: lines "Solved NAME: yes" or "Solved NAME: no". Then what follows. ${answerWords(discussion)}`,
    );
  },
};

function tasksIn(discussion: Discussion, { text }: Speech): readonly { readonly seat: Seat; readonly task: string }[] {
  return linesIn(text, 'task')
    .flatMap(([who, task]) => {
      const seat = othersOf(discussion).find((member) => who.toLowerCase() === member.toLowerCase());
      return seat === undefined ? [] : [{ seat, task }];
    })
    .slice(0, mostTasks);
}

function isSolved({ text }: Speech, seat: Seat): boolean {
  return linesIn(text, 'solved').some(([who, mark]) => who.toLowerCase() === seat.toLowerCase() && isYes(mark));
}
