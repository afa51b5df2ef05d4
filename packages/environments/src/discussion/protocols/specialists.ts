/** @file Specialists and a strategist (HIMA, arXiv 2508.06042): all propose at once and unheard, the lead weighs the proposals and decides. */

import { answerWords, othersOf, type Protocol, speechesOf } from '../protocol.ts';

export const specialists: Protocol = {
  about: 'all but the lead propose at once, each alone; the lead merges the proposals into one answer (HIMA)',

  next(discussion) {
    const { said, lead, choices } = discussion;
    const others = othersOf(discussion);
    if (said.length < others.length) {
      const tell = `Propose what to do: why now, soon and later, and what exactly. ${answerWords(discussion)}`;
      return { asks: others.map((seat) => ({ seat, part: 'propose', tell, hears: [], choices })) };
    }
    if (said.length > others.length) return { result: { answer: said.at(-1)?.answer ?? '' } };
    const tell = `Say in which points the proposals agree, where they conflict and how you settle that, then decide. ${answerWords(discussion)}`;
    return { asks: [{ seat: lead, part: 'decide', tell, hears: speechesOf(discussion, () => true), choices }] };
  },
};
