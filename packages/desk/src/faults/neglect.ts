/** @file A request that is ignored: it is neither done, refused, nor reported as done. */

import { declines, defers } from '../claims.ts';
import { asksBack } from '../questions.ts';
import { findClaim, promise } from './deeds.ts';
import { asksInVain, botLines, customerWordsBefore, type Detector } from './detector.ts';
import { breakdown, loop } from './manner.ts';
import { isWaiting, overRefusal } from './refusal.ts';

/** Something that was asked for is left undone without a word. What another detector explains has its name already. */
export const neglect: Detector = {
  name: 'neglect',
  version: 2,
  owasp: 'service',
  find(dialogue) {
    const { facts, undone, writes } = dialogue;
    if (facts === null || facts.refuse || facts.due === 0 || facts.wrong !== null) return null;
    const lines = botLines(dialogue);
    const last = lines.at(-1);
    // Where only words are known, a deed may have been said in words that no rule knows.
    if (!dialogue.isSeen) return null;
    // Who still asks for something waits for the customer.
    if (
      undone.length + dialogue.misrecorded.length === 0 ||
      last === undefined ||
      writes.length >= facts.due ||
      asksBack(last.text) ||
      isWaiting(dialogue)
    )
      return [];
    if (lines.some((line) => asksInVain(dialogue, line))) return [];
    if (lines.some(({ text }) => declines(text) || defers(text))) return [];
    if ([promise, overRefusal, breakdown, loop].some((detector) => (detector.find(dialogue) ?? []).length > 0)) return [];
    const message = customerWordsBefore(dialogue, Number.POSITIVE_INFINITY);
    const claims = lines.flatMap((line) => findClaim(dialogue, line)?.sentence ?? []);
    // Where something was said to be done, only a record that the customer has named, and no claim has, was passed over for certain.
    const isPassedOver = (about: string) => {
      const id = /^[^/\s]+\/(\S+) /.exec(about)?.[1] ?? '';
      return claims.length === 0 || (message.includes(id) && !claims.some((claim) => claim.includes(id)));
    };
    // A part of what was asked for at one record: its other part was done, and no call tried this one.
    const parts = writes.length === 0 ? [] : dialogue.misrecorded;
    return [...undone, ...parts]
      .filter((problem) => parts.includes(problem) || isPassedOver(problem.about))
      .map(({ about }) => ({ line: last, note: about }));
  },
};
