/**
 * @file Planner, executor, verifier and generator with one memory (AgentFlow, arXiv 2510.05592): the first member says what to do next, the
 * second does it, the third says whether that is enough, and when it is, or the rounds are over, the fourth answers. All that was said is
 * the memory that they share. With fewer members, one takes several parts.
 */

import { answerWords, type Protocol, speechesOf } from '../protocol.ts';
import { isYes, lineIn } from '../speech.ts';

export const fourModules: Protocol = {
  about: 'planner, executor, verifier and generator with shared memory, step by step (AgentFlow)',

  next(discussion) {
    const { said, members, rounds, choices } = discussion;
    const hears = speechesOf(discussion, () => true);
    const askPart = (role: number, part: string, tell: string, shown: readonly string[] = []) => ({
      asks: [{ seat: members[role % members.length]!, part, tell, hears, choices: shown }],
    });
    const last = said.at(-1);
    const turns = said.filter(({ part }) => part === 'verify').length;
    if (last?.part === 'generate')
      return {
        result: { answer: last.answer ?? '', revisions: Math.max(0, turns - 1), ...(isEnough(said) ? {} : { contested: true as const }) },
      };
    if (last?.part === 'plan') return askPart(1, 'execute', `${last.seat} asks you: ${lineIn(last.text, 'goal') ?? last.text}`);
    if (last?.part === 'execute')
      return askPart(2, 'verify', 'Is what is known enough to answer? Write "Enough: yes", or "Enough: no" and what is missing.', [
        'Enough: yes',
        'Enough: no',
      ]);
    if (last?.part === 'verify' && (isEnough(said) || turns >= rounds)) return askPart(3, 'generate', answerWords(discussion), choices);
    return askPart(0, 'plan', 'Say what to do next, for one who has tools and hears what you say: "Goal: …".');
  },
};

function isEnough(said: readonly { readonly part: string; readonly text: string }[]): boolean {
  return isYes(lineIn(said.findLast(({ part }) => part === 'verify')?.text ?? '', 'enough'));
}
