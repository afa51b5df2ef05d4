/** @file Rule-based tutors and a rule-based student, whose understanding follows from its misconceptions and the tutor's actions. */

import { type Ask, Fault, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { StudentOutlook, TutorOutlook } from './lesson.ts';

function tutor(move: (outlook: TutorOutlook, turn: Turn) => string): Script {
  return (turn) => {
    const outlook = turn.ask.data as TutorOutlook | undefined;
    if (outlook?.heard === undefined) throw elsewhere('teaches', turn.ask);
    return { text: `[${move(outlook, turn)}]`, data: { estimate: estimateOf(outlook) } };
  };
}

/**
 * Estimates the probability of understanding each concept from the evidence, starting at even odds with one tenth guesses and slips. It is
 * lower if a prerequisite failed.
 */
function estimateOf({ concepts, heard }: TutorOutlook): Readonly<Record<string, number>> {
  const estimates: Record<string, number> = {};
  for (const [i, { id, needs }] of concepts.entries()) {
    const alone = { right: 0.9, explained: 0.8, wrong: 0.1 }[heard[i]] ?? 0.5;
    estimates[id] = needs.reduce((chance, need) => Math.min(chance, Math.max(0.1, estimates[need])), alone);
  }
  return estimates;
}

/** Returns the first concept in order that matches. */
const firstOf = ({ concepts, heard }: TutorOutlook, fits: (state: string) => boolean) => concepts.find((_, i) => fits(heard[i]))?.id;

export const scripts: Readonly<Record<string, Script>> = {
  /** Asks about everything in order. Explains what was answered wrong while explanations are left, otherwise asks again. */
  diagnose: tutor((outlook) => {
    const wrong = firstOf(outlook, (state) => state === 'wrong');
    if (wrong !== undefined) return `${outlook.explanations > 0 ? 'explain' : 'ask'} ${wrong}`;
    const unknown = firstOf(outlook, (state) => state === 'unknown');
    return unknown === undefined ? 'done' : `ask ${unknown}`;
  }),
  /** Asks questions only, always the first that was not answered right. */
  socratic: tutor((outlook) => {
    const open = firstOf(outlook, (state) => state !== 'right');
    return open === undefined ? 'done' : `ask ${open}`;
  }),
  /** Explains in order without asking, while explanations are left. */
  lecturer: tutor((outlook) => {
    const next = firstOf(outlook, (state) => state === 'unknown');
    return outlook.explanations === 0 || next === undefined ? 'done' : `explain ${next}`;
  }),
  /** Ends the lesson immediately. */
  absent: tutor(() => 'done'),
  /** Answers correctly what it understands, except for guesses and slips. */
  student: ({ ask, rng }: Turn) => {
    const outlook = ask.data as StudentOutlook | undefined;
    if (outlook?.questions === undefined) throw elsewhere('answers as a student', ask);
    const { questions, guess, slip } = outlook;
    if (questions.length === 0) return { text: 'I see.' };
    const answers = questions.map(({ right, wrong, understood }) => {
      const isOff = rng.next() < (understood ? slip : guess);
      return understood === isOff ? wrong : right;
    });
    return { text: answers.map((answer, i) => `${i + 1}. ${answer}`).join('\n') };
  },
};

function elsewhere(does: string, { seat }: Ask): Fault {
  return new Fault('input', `This script ${does}, but seat "${seat}" has another role here. Use another script.`);
}
