/**
 * @file A global plan with a search for each sub-task (WebPilot, arXiv 2408.15978): the base writes sub-tasks, and moves are searched only
 * for the first. After each move the judge decides whether it is done and what was learned. After each sub-task, or if one takes too long,
 * the base refines the rest of the plan.
 */

import { type Agent, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import { afterLabel, isDoneIn, itemsIn, onOneLine } from './answers.ts';
import { answerTo, countAct, type Mates } from './judge.ts';

export type SubtaskPlan = {
  readonly left: readonly string[];
  readonly done: readonly string[];
  /** The number of moves on the current sub-task. */
  readonly moves: number;
  /** The lesson from the last move. */
  readonly reflection: string;
};

const mostSubtasks = 5;
/** An unfinished sub-task, or a plan without any, causes a refinement after every this many moves. */
const patience = 4;

export interface SubtaskOptions {
  readonly base: Agent;
  readonly judge: Agent | undefined;
  readonly before: SubtaskPlan | undefined;
  readonly refine: boolean;
  readonly mates: Mates;
}

/** The plan before this move. Without refinement, finished sub-tasks are only removed. */
export async function nextPlan({ base, judge, before, refine, mates }: SubtaskOptions): Promise<SubtaskPlan> {
  if (before === undefined) {
    const left = subtasksIn(
      await answerTo(base, [], 'Before you begin: which sub-tasks lead to the goal? Up to five lines "Sub-task: …".', mates),
    );
    countAct(mates.acted, left.length === 0 ? 'unreadablePlans' : 'planned');
    return { left, done: [], moves: 0, reflection: '' };
  }
  const [current] = before.left;
  if (current === undefined) {
    const next = { ...before, moves: before.moves + 1 };
    return refine && next.moves % patience === 0 ? refinePlan(base, next, mates) : next;
  }
  const report = await answerTo(
    judge ?? base,
    [],
    `You work on this sub-task: ${current}. Look at what came of your last move. Write "Done: yes" or "Done: no", and a line "Reflection: …" on what that teaches you.`,
    mates,
  );
  const isDone = isDoneIn(report);
  const reflection = onOneLine(afterLabel(report, 'reflection') ?? (afterLabel(report, 'done') === null ? report : ''));
  if (isDone) countAct(mates.acted, 'completed');
  if (reflection !== '') countAct(mates.acted, 'reflected');
  const moves = before.moves + 1;
  const crossed = isDone
    ? { left: before.left.slice(1), done: [...before.done, current], moves: 0, reflection }
    : { ...before, moves, reflection };
  const isDue = isDone || moves % patience === 0;
  if (!refine || !isDue) return crossed;
  return refinePlan(base, crossed, mates);
}

/** The plan with the sub-tasks that are left according to the base. */
async function refinePlan(base: Agent, plan: SubtaskPlan, mates: Mates): Promise<SubtaskPlan> {
  const { done, left: planned, reflection } = plan;
  const answer = await answerTo(
    base,
    [],
    `Done: ${done.join('; ') || 'nothing yet'}. Planned next: ${planned.join('; ') || 'nothing'}. ${reflection} By what you have seen, write the sub-tasks that are left, the first to be done first: up to five lines "Sub-task: …".`,
    mates,
  );
  const left = subtasksIn(answer);
  if (left.length === 0 || left.join('\n') === planned.join('\n')) return plan;
  countAct(mates.acted, 'refined');
  return { ...plan, left, moves: 0 };
}

/** The plan as shown to the agents that propose moves. */
export function planNotes({ left, done, reflection }: SubtaskPlan): readonly string[] {
  const [current, ...later] = left;
  if (current === undefined) return [];
  const rest = later.length === 0 ? '' : ` Later: ${later.join('; ')}.`;
  const past = done.length === 0 ? '' : ` Done: ${done.join('; ')}.`;
  return [`Work on this sub-task now: ${current}.${rest}${past}${reflection === '' ? '' : ` You learned: ${reflection}`}`];
}

function subtasksIn(text: string): readonly string[] {
  return itemsIn(text, 'sub-?task').slice(0, mostSubtasks);
}

/** Parses the plan of a mind of any origin. */
export function readPlan(input: Json | undefined): SubtaskPlan | undefined {
  return isObject(input) && Array.isArray(input['left']) && Array.isArray(input['done']) ? (input as SubtaskPlan) : undefined;
}
