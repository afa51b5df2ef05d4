/**
 * @file Planner, executor, verifier, and generator with a shared memory (AgentFlow, arXiv 2510.05592). The first member chooses the next
 * step, the second executes it, and the third judges whether the result is sufficient. Once it is, or the rounds are used up, the fourth
 * answers. With fewer members, one member takes several parts.
 *
 * The executor acts: if its answer is a move of the seat, the move is made, and the verifier judges its result in the next turn. The memory
 * lasts for the episode and contains each goal with its result. `goals` lists the goals that the planner may choose, so that a planner
 * without language can be trained in the flow.
 */

import type { Discussion, DiscussionResult, Protocol } from '../protocol.ts';
import { answerWords, attempts, isOn, speechesOf, textFrom, withTexts } from '../protocol.ts';
import { isYes, lineIn } from '../speech.ts';

const mostNotes = 24;

export const fourModules: Protocol = {
  about: 'planner, executor, verifier and generator with shared memory; the executor makes moves (AgentFlow)',
  mechanisms: {
    memory: 'goals and their results are not kept from move to move',
    verifier: 'without it, no one judges progress, and all rounds are used',
  },

  next(discussion) {
    const { said, members, rounds, choices, settings, turn } = discussion;
    const hears = speechesOf(discussion, () => true);
    const notes = notesOf(discussion);
    const observedText = notes.length === 0 ? '' : `Memory: ${notes.join(' | ')}\n`;
    const goals = Array.isArray(settings['goals']) ? settings['goals'].map(String) : [];
    const verifies = isOn(discussion, 'verifier');
    const askPart = (
      role: number,
      part: string,
      tell: string,
      more: { readonly choices?: readonly string[]; readonly act?: true } = {},
    ) => ({
      asks: [{ seat: members[role % members.length], part, tell: `${observedText}${tell}`, hears, ...more }],
    });
    const askVerifier = () =>
      askPart(2, 'verify', 'Is what is known enough to answer? Write "Enough: yes", or "Enough: no" and what is missing.', {
        choices: ['Enough: yes', 'Enough: no'],
      });
    const last = said.at(-1);
    const executed = said.filter(({ part }) => part === 'execute').length;
    const isEnough = isYes(lineIn(said.findLast(({ part }) => part === 'verify')?.text ?? '', 'enough'));
    if (last?.part === 'generate')
      return {
        result: {
          ...{
            answer: last.answer ?? '',
            by: last.seat,
            revisions: Math.max(0, executed - 1),
            ...(isEnough ? {} : { contested: true as const }),
          },
          ...keeping(discussion, notes, ''),
        },
      };
    if (last?.part === 'plan') {
      const form = `Make a move for it, or say what you know. ${answerWords(discussion)}`;
      return askPart(1, 'execute', `${last.seat} asks you: ${goalIn(last.text)} ${form}`, { choices, act: true });
    }
    if (last?.part === 'execute') {
      const isMove = choices.length === 0 ? lineIn(last.text, 'answer') !== null : last.answer !== null;
      if (isMove && last.answer !== null)
        return { result: { answer: last.answer, by: last.seat, ...keeping(discussion, notes, `${goalOf(discussion)} by ${last.answer}`) } };
      if (executed >= rounds) return askPart(3, 'generate', answerWords(discussion), { choices, act: true });
      return verifies ? askVerifier() : askPart(0, 'plan', planWords(goals), { choices: goals });
    }
    if (last?.part === 'verify' && isEnough) return askPart(3, 'generate', answerWords(discussion), { choices, act: true });
    // A move was made in the last turn: ask whether its result is sufficient.
    if (last === undefined && turn > 0 && verifies && textFrom(discussion, 'tried') !== '') return askVerifier();
    return askPart(0, 'plan', planWords(goals), { choices: goals });
  },
};

function planWords(goals: readonly string[]): string {
  const listed = goals.length === 0 ? '' : ` Name one of: ${goals.join(', ')}.`;
  return `Say what to do next, for one who has tools and hears what you say: "Goal: …".${listed}`;
}

function goalIn(text: string): string {
  return lineIn(text, 'goal') ?? text;
}

function goalOf({ said }: Discussion): string {
  return goalIn(said.findLast(({ part }) => part === 'plan')?.text ?? '');
}

/** Returns the goals of earlier turns with their results, followed by those of this turn. */
function notesOf(discussion: Discussion): readonly string[] {
  const now = discussion.said.flatMap((speech, i) =>
    speech.part === 'execute' && speech.answer === null
      ? [`${goalIn(discussion.said[i - 1]?.text ?? '')} → ${speech.text.replace(/\s+/g, ' ').slice(0, 200)}`]
      : [],
  );
  return withTexts(attempts(discussion, 'notes', mostNotes), now, mostNotes);
}

function keeping(discussion: Discussion, notes: readonly string[], tried: string): Pick<DiscussionResult, 'memory' | 'acted'> {
  const { said, turn } = discussion;
  const count = (part: string) => said.filter((speech) => speech.part === part).length;
  const acted = {
    memory: isOn(discussion, 'memory') && turn > 0 && notes.length > 0 ? 1 : 0,
    planned: count('plan'),
    executed: count('execute'),
    verified: count('verify'),
  };
  return { memory: isOn(discussion, 'memory') ? { notes, tried } : {}, acted };
}
