/**
 * @file A planner and executors (Octo-planner, arXiv 2406.18082): the lead writes all steps first, members do one each, the lead answers.
 *
 * Differs: a step that failed goes back to the planner with the results so far, as often as there are rounds. What was solved is shared: a step in the
 * words of one that an earlier plan has solved, by any member, is not done again (the shared cache of BFS-Prover-V2, arXiv 2509.06493).
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { answerWords, type Discussion, othersOf, type Protocol, type Speech, speechesOf } from '../protocol.ts';
import { lineIn, linesIn } from '../speech.ts';

const mostSteps = 5;

export const planner: Protocol = {
  about:
    'the lead writes up to five steps, members do one each, the lead answers; a failed step is planned anew, and a solved one is not done again',

  next(discussion) {
    const { said, lead, rounds } = discussion;
    const all = speechesOf(discussion, () => true);
    const askLead = (part: string, tell: string) => ({ asks: [{ seat: lead, part, tell, hears: all, choices: discussion.choices }] });
    const at = said.findLastIndex(({ part }) => part === 'steps');
    const form = `Write up to ${mostSteps} steps for ${othersOf(discussion).join(', ')}, one a line: "Step NAME: what to do".`;
    if (at < 0) return askLead('steps', form);
    if (said.at(-1)?.part === 'answer') return { result: { answer: said.at(-1)?.answer ?? '', revisions: revisionsIn(said) } };
    const steps = openSteps(discussion, at);
    const done = said.slice(at + 1);
    const failed = done.at(-1) !== undefined && lineIn((done.at(-1) as Speech).text, 'failed') !== null;
    if (failed && revisionsIn(said) < rounds) return askLead('steps', `A step failed. Write the steps that are left. ${form}`);
    if (failed || done.length >= steps.length) return askLead('answer', `The steps are done. ${answerWords(discussion)}`);
    const { seat, task } = steps[done.length]!;
    const tell = `${lead} asks you: ${task} If it cannot be done, write a line "Failed: why".`;
    return { asks: [{ seat, part: 'step', tell, hears: all, choices: discussion.choices }] };
  },
};

/** The steps of the plan at a place, without those that earlier plans have solved. In one plan the same may be asked of several: each knows other things. */
function openSteps(discussion: Discussion, at: number): ReturnType<typeof stepsIn> {
  const { said } = discussion;
  const earlier = said.findLastIndex(({ part }, i) => part === 'steps' && i < at);
  const solved = new Set(earlier < 0 ? [] : solvedBefore(discussion, earlier, at));
  return stepsIn(discussion, said[at]!).filter(({ task }) => !solved.has(wordsOf(task)));
}

/** What was solved by the end of the plan at a place, in all plans so far. */
function solvedBefore(discussion: Discussion, plan: number, end: number): readonly string[] {
  const { said } = discussion;
  const earlier = said.findLastIndex(({ part }, i) => part === 'steps' && i < plan);
  const done = said.slice(plan + 1, end);
  const own = openSteps(discussion, plan).filter((_, i) => done[i] !== undefined && lineIn(done[i].text, 'failed') === null);
  return [...(earlier < 0 ? [] : solvedBefore(discussion, earlier, plan)), ...own.map(({ task }) => wordsOf(task))];
}

function wordsOf(task: string): string {
  return (task.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

function stepsIn(discussion: Discussion, { text }: Speech): readonly { readonly seat: Seat; readonly task: string }[] {
  return linesIn(text, 'step')
    .flatMap(([who, task]) => {
      const seat = othersOf(discussion).find((member) => who.toLowerCase().endsWith(member.toLowerCase()));
      return seat === undefined ? [] : [{ seat, task }];
    })
    .slice(0, mostSteps);
}

function revisionsIn(said: readonly Speech[]): number {
  return said.filter(({ part }) => part === 'steps').length - 1;
}
