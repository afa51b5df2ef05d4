/**
 * @file Rounds with ratings and early stopping (DyLAN, arXiv 2310.02170).
 *
 * In round 1 each member answers alone, in a random order. In later rounds each member hears the answers of the previous round, answers,
 * and rates them from 1 to 5. The discussion stops once more than two thirds agree, even in the middle of a round. From round 3 on, if
 * there are more than three members, only the two best rated continue. Difference: the ratings of the previous round select those two, not
 * a call to a ranker.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { answerWords, type Discussion, othersOf, type Protocol, plurality, type Speech, speechesOf } from '../protocol.ts';
import { linesIn, numberIn } from '../speech.ts';

/**
 * Computes agent importance (DyLAN, arXiv 2310.02170). In the last round, the members who agree with the answer share 1. In earlier rounds,
 * each member gets its part of each listener's importance. `ratings[t][i][j]` is the rating of i's answer in round t by j in round t + 1.
 * Returns the sum over rounds.
 */
export function importance(ratings: readonly (readonly (readonly number[])[])[], agreed: readonly boolean[]): readonly number[] {
  const agreeing = agreed.filter(Boolean).length;
  let layer = agreed.map((item) => (item ? 1 / agreeing : 0));
  const totals = [...layer];
  for (const round of ratings.toReversed()) {
    const listeners = layer;
    const messages = listeners.map((_, j) => round.reduce((sum, row) => sum + row[j], 0));
    layer = round.map((row) => row.reduce((sum, rating, j) => sum + (messages[j] === 0 ? 0 : (rating / messages[j]) * listeners[j]), 0));
    layer.forEach((value, i) => {
      totals[i] = totals[i] + value;
    });
  }
  return totals;
}

/** Members speak once each, after those they hear. The lead speaks last and gives the answer. */
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

/** Sorts members after those they hear. In a cycle of links, the first named goes first. */
function sortMembers(discussion: Discussion): readonly Seat[] {
  const left = [...othersOf(discussion)];
  const out: Seat[] = [];
  while (left.length > 0) {
    const free = left.findIndex((seat) => !left.some((other) => other !== seat && discussion.hears(seat, other)));
    out.push(...left.splice(Math.max(0, free), 1));
  }
  return out;
}

/**
 * Joint plans (VideoChat-M1, arXiv 2511.19524): each member writes its own plan, all do their next step at once, everyone hears the
 * results, and each may rewrite the rest of its plan. At the end they vote; the lead's vote breaks ties.
 */
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

interface Round {
  readonly active: readonly Seat[];
  readonly said: readonly Speech[];
}

export const rounds: Protocol = {
  about: 'all answer, hear and rate each other, and stop once more than two thirds agree (DyLAN)',

  next(discussion) {
    const { order, members, said, rounds: most } = discussion;
    const layers = layersOf(discussion);
    const now = layers.at(-1) as Round;
    const { answer, votes } = plurality(now.said.map((speech) => speech.answer));
    const agreed = votes > Math.floor((2 * now.active.length) / 3);
    const full = now.said.length === now.active.length;
    if (agreed || (full && layers.length >= most)) {
      const totals = importanceOf(discussion, layers, answer);
      return { result: { answer, importance: totals, ...(agreed ? {} : { contested: true as const }) } };
    }
    const round = full ? layers.length : layers.length - 1;
    const active = full ? activeIn(discussion, now, round) : now.active;
    const turn = full ? 0 : now.said.length;
    const seat = order.filter((item) => active.includes(item))[turn];
    if (round === 0) {
      const tell = `Answer on your own first. ${answerWords(discussion)}`;
      return { asks: [{ seat, part: 'round 1', tell, hears: [], choices: discussion.choices, act: true }] };
    }
    const before = layers[round - 1].said;
    const others = members.filter((member) => before.some((speech) => speech.seat === member));
    const tell = `Round ${round + 1}. Answer again, and rate what each said, yourself included, from 1 to 5: ${others.map((item) => `"Rate ${item}: …"`).join(', ')}. ${answerWords(discussion)}`;
    const hears = before.map((speech) => said.indexOf(speech));
    return { asks: [{ seat, part: `round ${round + 1}`, tell, hears, choices: discussion.choices, act: true }] };
  },
};

/** Returns the rounds so far, each with its members and what they said. */
function layersOf(discussion: Discussion): readonly Round[] {
  const layers: Round[] = [{ active: discussion.members, said: [] }];
  for (const speech of discussion.said) {
    let layer = layers.at(-1) as Round;
    if (layer.said.length === layer.active.length) {
      layer = { active: activeIn(discussion, layer, layers.length), said: [] };
      layers.push(layer);
    }
    layers[layers.length - 1] = { ...layer, said: [...layer.said, speech] };
  }
  return layers;
}

/**
 * Returns the members that continue after a round. From the third round on, if there are more than three members, these are the two best
 * rated.
 */
function activeIn({ members }: Discussion, before: Round, round: number): readonly Seat[] {
  if (round < 2 || before.active.length <= 3) return before.active;
  const marks = before.active.map((seat) => {
    const inputs = before.said.map((speech) => ratingsIn(speech, before.active)?.[before.active.indexOf(seat)] ?? 0);
    return { seat, sum: inputs.reduce((sum, value) => sum + value, 0) };
  });
  const best = [...marks].sort((a, b) => b.sum - a.sum).slice(0, 2);
  return members.filter((member) => best.some(({ seat }) => seat === member));
}

/**
 * Returns the normalized ratings that a speech gives to the members (each from 0 to 1, with a sum of 1), or null if it has no valid
 * ratings.
 */
export function ratingsIn({ text }: Pick<Speech, 'text'>, members: readonly Seat[]): readonly number[] | null {
  const input = new Map(linesIn(text, 'rate').map(([who, mark]) => [who.toLowerCase(), numberIn(mark)]));
  const marks = members.map((member) => input.get(member.toLowerCase()) ?? null);
  if (marks.some((mark) => mark === null)) return null;
  const bounded = marks.map((mark) => ((mark as number) > 5 ? 1 : (mark as number) > 0 ? (mark as number) / 5 : 0));
  const sum = bounded.reduce((total, value) => total + value, 0);
  return sum === 0 ? null : bounded.map((value) => value / sum);
}

/** A member that did not speak in the last round has no importance in it. Missing ratings count as equal ratings for everyone. */
function importanceOf({ members }: Discussion, layers: readonly Round[], answer: string): Readonly<Record<Seat, number>> {
  const last = layers.at(-1) as Round;
  const agreed = members.map((member) => last.said.some((speech) => speech.seat === member && speech.answer === answer));
  const ratings = layers.slice(1).map((layer, i) => {
    const messages = layers[i].said.map(({ seat }) => seat);
    const knownMembers = members.filter((member) => messages.includes(member));
    const columns = members.map((listener) => {
      const speech = layer.said.find((speech) => speech.seat === listener);
      return speech === undefined ? null : (ratingsIn(speech, knownMembers) ?? knownMembers.map(() => 1 / knownMembers.length));
    });
    return members.map((member) => columns.map((column) => column?.[knownMembers.indexOf(member)] ?? 0));
  });
  const totals = importance(ratings, agreed);
  return Object.fromEntries(members.map((member, i) => [member, totals[i]]));
}
