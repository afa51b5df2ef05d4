/** @file In order: each speaks once, after those it hears; the lead speaks last and gives the answer. */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { answerWords, type Discussion, othersOf, type Protocol, speechesOf } from '../protocol.ts';

export const inOrder: Protocol = {
  about: 'each speaks once, after those it hears; the lead speaks last and gives the answer',

  next(discussion) {
    const { said, lead } = discussion;
    const order = [...sortMembers(discussion), lead];
    if (said.length >= order.length) return { result: { answer: said.at(-1)?.answer ?? '' } };
    const seat = order[said.length];
    const tell =
      seat === lead
        ? `You decide for the team. ${answerWords(discussion)}`
        : `Say to ${lead} and the others what you know and what you would do. ${answerWords(discussion)}`;
    return { asks: [{ seat, part: 'speak', tell, hears: speechesOf(discussion, () => true), choices: discussion.choices, act: true }] };
  },
};

/** Members after those they hear; in a circle of links the first named goes first. */
function sortMembers(discussion: Discussion): readonly Seat[] {
  const left = [...othersOf(discussion)];
  const out: Seat[] = [];
  while (left.length > 0) {
    const free = left.findIndex((seat) => !left.some((other) => other !== seat && discussion.hears(seat, other)));
    out.push(...left.splice(Math.max(0, free), 1));
  }
  return out;
}
