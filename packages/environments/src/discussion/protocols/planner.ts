/**
 * @file A planner and executors (Octo-planner, arXiv 2406.18082): the lead writes all steps first, and members carry them out.
 *
 * A step is either a move that its member makes, one at each move of the seat, or a question that is answered immediately. The plan lasts
 * until its steps are done. A step that fails, or a move after which the seat observes the same as before, goes back to the planner.
 * Answers are shared: a question with the same wording as an answered one, by any member at any move, is not asked again (the shared cache
 * of BFS-Prover-V2, arXiv 2509.06493).
 */

import { isObject, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Discussion, DiscussionResult, Protocol, Speech } from '../protocol.ts';
import { answerWords, isOn, listFrom, othersOf, recordFrom, speechesOf } from '../protocol.ts';
import { lineIn } from '../speech.ts';

const mostSteps = 16;
const mostAnswers = 100;

type PlanStep = { readonly seat: Seat; readonly task: string; readonly isQuestion: boolean };

export const planner: Protocol = {
  about: 'the lead writes the steps, members make the moves, a failed step is planned again, and an answered question is not asked again',
  mechanisms: {
    plan: 'the plan is not kept from move to move',
    cache: 'questions that were answered are asked again',
    replan: 'a failed step is not planned again',
  },

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const hears = speechesOf(discussion, () => true);
    const names = othersOf(discussion).join(', ');
    const form = `Write up to ${mostSteps} steps for ${names}, one per line: "Step NAME: which move to make" for a move, "Ask NAME: what to find out" for a question.`;
    const askLead = (tell: string) => ({ asks: [{ seat: lead, part: 'steps', tell, hears }] });
    const plans = said.filter(({ part }) => part === 'steps').length;
    const state = planOf(discussion);
    const last = said.at(-1);
    if (last?.part === 'answer') return { result: { answer: last.answer ?? '', ...resultOf(discussion, state) } };
    if (last?.part === 'step' && last.answer !== null && lineIn(last.text, 'failed') === null)
      return { result: { answer: last.answer, by: last.seat, ...resultOf(discussion, state) } };
    if (state.failed !== '' && plans < rounds + (state.isNew ? 1 : 0) && isOn(discussion, 'replan') && last?.part !== 'steps')
      return askLead(`${cacheWords(state)}A step failed: ${state.failed}. Write the steps that are left. ${form}`);
    const step = state.left[0];
    if (step === undefined && plans === 0) return askLead(`${cacheWords(state)}${form}`);
    if (step === undefined) {
      const tell = `${cacheWords(state)}The steps are done. ${answerWords(discussion)}`;
      return { asks: [{ seat: lead, part: 'answer', tell, hears, choices, act: true }] };
    }
    if (step.isQuestion)
      return {
        asks: [
          {
            seat: step.seat,
            part: 'ask',
            tell: `${lead} asks you: ${step.task} If you cannot find out, write a line "Failed: why".`,
            hears,
          },
        ],
      };
    const tell = `${lead} asks you to make this move: ${step.task} If it cannot be made, write a line "Failed: why". ${answerWords(discussion)}`;
    return { asks: [{ seat: step.seat, part: 'step', tell, hears, choices, act: true }] };
  },
};

interface PlanState {
  readonly left: readonly PlanStep[];
  readonly answers: Readonly<Record<string, string>>;
  readonly failed: string;
  readonly reused: number;
  /** Whether there was no plan before this turn. */
  readonly isNew: boolean;
}

/** Returns the current plan: the stored one, updated with what was said in this turn. */
function planOf(discussion: Discussion): PlanState {
  const { said, repeats, turn } = discussion;
  const keeps = isOn(discussion, 'plan');
  const before = keeps ? (listFrom(discussion, 'steps').filter(isObject) as PlanStep[]) : [];
  const answers: Record<string, string> = { ...(recordFrom(discussion, 'answers') as Record<string, string>) };
  const tried = discussion.memory['tried'];
  let failed = turn > 0 && repeats > 0 && typeof tried === 'string' ? `"${tried}" changed nothing` : '';
  let left: readonly PlanStep[] = before;
  let reused = 0;
  // One plan may ask several members the same question, so only answers from before the plan are shared.
  let shared: ReadonlySet<string> = new Set(Object.keys(answers));
  const skipAnswered = () => {
    while (left[0]?.isQuestion === true && isOn(discussion, 'cache') && shared.has(wordsOf(left[0].task))) {
      left = left.slice(1);
      reused++;
    }
  };
  skipAnswered();
  for (const speech of said) {
    const why = lineIn(speech.text, 'failed');
    if (speech.part === 'steps') {
      failed = '';
      left = stepsIn(discussion, speech);
      shared = new Set(Object.keys(answers));
    } else if (speech.part === 'ask' || speech.part === 'step') {
      const [step] = left;
      left = left.slice(1);
      if (why !== null) failed = `${step?.seat ?? ''}: ${step?.task ?? ''} (${why})`;
      else if (step?.isQuestion === true && discussion.hears(discussion.lead, speech.seat))
        answers[wordsOf(step.task)] =
          `${answers[wordsOf(step.task)] ?? step.task} ${speech.seat}: ${speech.text.replace(/\s+/g, ' ')}`.slice(0, 400);
    }
    skipAnswered();
  }
  return { left, answers, failed, reused, isNew: before.length === 0 };
}

/** Lists the answers from earlier moves and earlier plans. */
function cacheWords({ answers }: PlanState): string {
  const knownNames = Object.values(answers);
  return knownNames.length === 0 ? '' : `Answered so far: ${knownNames.join(' | ')}\n`;
}

function wordsOf(task: string): string {
  return (task.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

function stepsIn(discussion: Discussion, { text }: Speech): readonly PlanStep[] {
  const others = othersOf(discussion);
  return text
    .split('\n')
    .flatMap((row): readonly PlanStep[] => {
      const match = linear(/^[\s>*_#\d.-]*(step|ask)[ \t]+([^:\n]{1,80}):[\s*_]*(.*)$/i).exec(row);
      const seat = others.find((member) => match?.[2]?.trim().toLowerCase().endsWith(member.toLowerCase()));
      return match === null || seat === undefined ? [] : [{ seat, task: match[3].trim(), isQuestion: match[1].toLowerCase() === 'ask' }];
    })
    .slice(0, mostSteps);
}

function resultOf(discussion: Discussion, { left, answers, reused, isNew }: PlanState): Partial<DiscussionResult> {
  const { said } = discussion;
  const plans = said.filter(({ part }) => part === 'steps').length;
  const tried = said.at(-1)?.answer ?? '';
  const shared = isOn(discussion, 'cache') ? { answers: Object.fromEntries(Object.entries(answers).slice(-mostAnswers)) } : {};
  const memory: JsonObject = isOn(discussion, 'plan') ? { steps: left, tried, ...shared } : shared;
  const replans = Math.max(0, plans - (isNew ? 1 : 0));
  return { memory, revisions: replans, acted: { plan: plans === 0 ? 1 : 0, replans, cache: reused } };
}
