/**
 * @file Interpret, generate, evaluate, refine (T2I-Copilot). The first member states what is wanted, the second makes it, and the third
 * scores it from 0 to 10. Below the threshold it is made again, using the criticism. Difference: the answer is the best candidate, not the
 * last one. A member named as the `person` reviews each candidate after it is scored, and may accept it, request changes, or defer to the
 * score.
 */

import { answerWords, type Discussion, type Protocol, speechesOf } from '../protocol.ts';
import { isYes, lineIn, numberIn } from '../speech.ts';

export const refine: Protocol = {
  about: 'interpret, generate, evaluate, and generate again below a threshold; the best candidate counts',

  next(discussion) {
    const { said, choices, rounds, threshold, settings } = discussion;
    const person = discussion.members.find((member) => member === settings['person']);
    const others = discussion.members.filter((member) => member !== person);
    const members = others.length === 0 ? discussion.members : others;
    const roles = [0, 1, 2].map((i) => members[i % members.length]);
    const all = speechesOf(discussion, () => true);
    const askRole = (role: number, part: string, tell: string, visible: readonly string[] = choices) => ({
      asks: [{ seat: roles[role], part, tell, hears: all, choices: visible, ...(part === 'generate' ? { act: true as const } : {}) }],
    });
    const last = said.at(-1);
    if (last === undefined) return askRole(0, 'interpret', 'Say what is wanted, and settle what is left open.');
    if (last.part === 'interpret') return askRole(1, 'generate', answerWords(discussion));
    if (last.part === 'generate')
      return askRole(2, 'evaluate', 'Write "Score: …" from 0 to 10 for the last answer, and what is wrong with it.', marks);
    if (last.part === 'evaluate' && person !== undefined)
      return { asks: [{ seat: person, part: 'person', tell: personWords, hears: all }] };
    const candidates = candidatesOf(discussion);
    const best = candidates.reduce((candidate, other) => (other.score > candidate.score ? other : candidate));
    const wish = last.part === 'person' ? last.text.trim() : '';
    const isKept = isYes(lineIn(wish, 'keep')) || /^keep\W*$/i.test(wish);
    if (isKept) return { result: { ...candidates.at(-1)!, revisions: candidates.length - 1 } };
    if (wish !== '' && !/^leave\W*$/i.test(wish)) return askRole(1, 'generate', `Make it as was wished. ${answerWords(discussion)}`);
    const reached = (candidates.at(-1)?.score ?? 0) >= threshold;
    if (reached || candidates.length >= rounds)
      return { result: { ...best, revisions: candidates.length - 1, ...(best.score >= threshold ? {} : { contested: true as const }) } };
    return askRole(1, 'generate', `That was not good enough. Make a better one. ${answerWords(discussion)}`);
  },
};

const personWords = 'Write "keep" to take the last answer, say what is to be changed, or write "leave" to leave it to the marks.';
const marks = Array.from({ length: 11 }, (_, i) => `Score: ${i}`);

/** Returns every candidate with its score, or 0 if it has none. */
function candidatesOf({ said }: Discussion): readonly { readonly answer: string; readonly score: number }[] {
  return said.flatMap((speech, i) =>
    speech.part === 'evaluate' ? [{ answer: said[i - 1]?.answer ?? '', score: numberIn(lineIn(speech.text, 'score')) ?? 0 }] : [],
  );
}
