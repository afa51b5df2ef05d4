/**
 * @file Plans of all (VideoChat-M1, arXiv 2511.19524): each writes a plan of its own, all do their next step at once, what they find is heard
 * by all, and each may rewrite the rest of its plan; at the end they vote. Of as many votes the lead's counts.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { answerWords, type Protocol, plurality, speechesOf } from '../protocol.ts';

export const jointPlans: Protocol = {
  about: 'each writes a plan, all do a step at once, hear each other and revise, and vote at the end (VideoChat-M1)',

  next(discussion) {
    const { said, members, lead, choices, rounds } = discussion;
    const hears = speechesOf(discussion, () => true);
    const spoken = Math.floor(said.length / members.length);
    if (said.length > 0 && said.at(-1)?.part === 'vote') {
      const votes = said.slice(-members.length);
      const leadFirst = [...votes.filter(({ seat }) => seat === lead), ...votes.filter(({ seat }) => seat !== lead)];
      const { answer, votes: most } = plurality(leadFirst.map((speech) => speech.answer));
      return { result: { answer, ...(most > members.length / 2 ? {} : { contested: true as const }) } };
    }
    if (spoken === 0) {
      const tell = 'Write a plan of your own for this question, a step a line: "Step 1: …".';
      return { asks: members.map((seat) => ({ seat, part: 'plan', tell, hears: [] })) };
    }
    const longest = Math.max(
      1,
      ...said.slice(0, members.length).map(({ text }) => [...text.matchAll(linear(/^[\s>*_#-]*step\s+\d+:/gim))].length),
    );
    if (spoken <= Math.min(rounds, longest)) {
      const tell = `Do step ${spoken} of your plan and say what you found. Rewrite the rest of your plan if that changes it.`;
      return { asks: members.map((seat) => ({ seat, part: 'step', tell, hears })) };
    }
    return { asks: members.map((seat) => ({ seat, part: 'vote', tell: answerWords(discussion), hears, choices, act: true as const })) };
  },
};
