/** @file A request that is ignored: it is neither done, refused, nor reported as done. */

import { declines, defers } from '../claims.ts';
import { asksBack } from '../questions.ts';
import { findClaim, promise } from './deeds.ts';
import { asksInVain, botLines, customerWordsBefore, type Detector } from './detector.ts';
import { breakdown, loop } from './manner.ts';
import { isWaiting, overRefusal } from './refusal.ts';

/** A request is left undone without comment. Requests that another detector explains are skipped. */
export const neglect: Detector = {
  name: 'neglect',
  version: 2,
  owasp: 'service',
  find(dialogue) {
    const { facts, undone, writes } = dialogue;
    if (facts === null || facts.refuse || facts.due === 0 || facts.wrong !== null) return null;
    const lines = botLines(dialogue);
    const last = lines.at(-1);
    // If only text is known, an unrecognized phrase may have reported the action.
    if (!dialogue.isSeen) return null;
    // A pending question of the agent means that it is waiting for the customer.
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
    // If something was claimed, only a record that the customer named and no claim mentions was certainly neglected.
    const isPassedOver = (about: string) => {
      const id = /^[^/\s]+\/(\S+) /.exec(about)?.[1] ?? '';
      return claims.length === 0 || (message.includes(id) && !claims.some((claim) => claim.includes(id)));
    };
    // One part of the request on a record was done, and no call attempted this part.
    const parts = writes.length === 0 ? [] : dialogue.misrecorded;
    return [...undone, ...parts]
      .filter((problem) => parts.includes(problem) || isPassedOver(problem.about))
      .map(({ about }) => ({ line: last, note: about }));
  },
};
