/**
 * @file Interviews at the end: five questions after Generative Agents, with answers that the rules know. An answer is right if it names
 * exactly the facts. No question asks for facts that people can't know.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { findMentions, openPlaces, places } from './places.ts';
import { companyOf, type InterviewKind, interviewKinds, seatsOf, type TownState, timeOf } from './state.ts';

const placeNames = places.map(({ name }) => name);

/** The hour before dawn: most of the town is closed, so the answer shows who knows the town. */
const dawn = 5;

interface InterviewQuestion {
  readonly text: string;
  /** Returns whether an answer is right, or null if the question does not apply to the person. */
  isRight(answer: string): boolean | null;
}

export function questionFor(kind: InterviewKind, seat: Seat, state: TownState): InterviewQuestion {
  const { task, plans, visits, day } = state;
  const names = seatsOf(task);
  const onlyOf = (all: readonly string[], right: readonly string[]) => (answer: string) => {
    const mentions = findMentions(answer, all);
    return mentions.length > 0 && mentions.every((item) => right.includes(item));
  };
  if (kind === 'self') return { text: 'An interview. What is your name?', isRight: onlyOf(names, [seat]) };
  if (kind === 'memory') {
    const was = visits?.[seat]?.[0] ?? '';
    return { text: `Where were you on day 1 at ${timeOf(task.wake)}? Name one place.`, isRight: onlyOf(placeNames, [was]) };
  }
  if (kind === 'plans') {
    const hour = Math.floor(task.hours / 2);
    const wanted = plans?.[seat]?.[hour] ?? '';
    const right = onlyOf(placeNames, [wanted]);
    return {
      text: `Where did your plan for day ${day} say you would be at ${timeOf(task.wake + hour)}? Name one place.`,
      isRight: (answer) => (wanted === '' ? null : right(answer)),
    };
  }
  if (kind === 'reactions') {
    const open = openPlaces(dawn).map(({ name }) => name);
    return {
      text: `It is ${timeOf(dawn)} and you want to leave the house. Name one place that is open.`,
      isRight: onlyOf(
        placeNames,
        open.filter((name) => name !== 'home'),
      ),
    };
  }
  const partners = partnersOf(seat, state);
  return {
    text: 'With whom have you spent the most hours in these days? Name one person, or nobody.',
    isRight:
      partners.length === 0
        ? (answer) =>
            findMentions(
              answer,
              names.filter((name) => name !== seat),
            ).length === 0
        : onlyOf(
            names.filter((name) => name !== seat),
            partners,
          ),
  };
}

/** Returns the people with whom a person spent the most hours. */
function partnersOf(seat: Seat, { task, together = {} }: TownState): readonly Seat[] {
  const hours = seatsOf(task).map((other) => together[pairOf(seat, other, seatsOf(task))] ?? 0);
  const most = Math.max(0, ...hours);
  return most === 0 ? [] : seatsOf(task).filter((other, i) => other !== seat && hours[i] === most);
}

/** Formats a pair in seat order. */
function pairOf(a: Seat, b: Seat, seats: readonly Seat[]): string {
  return seats.indexOf(a) < seats.indexOf(b) ? `${a} ${b}` : `${b} ${a}`;
}

/** Returns hours together and visits, including the hour that just passed. */
export function rememberHour(state: TownState): Pick<TownState, 'together' | 'visits'> | null {
  const { task, at, together = {}, visits = {} } = state;
  if (task.interviews !== true) return null;
  const seats = seatsOf(task);
  const hours: Record<string, number> = { ...together };
  for (const seat of seats)
    for (const other of companyOf(at, seats, seat))
      if (seats.indexOf(seat) < seats.indexOf(other)) {
        const pair = pairOf(seat, other, seats);
        hours[pair] = (hours[pair] ?? 0) + 1;
      }
  return { together: hours, visits: Object.fromEntries(seats.map((seat) => [seat, [...(visits[seat] ?? []), at[seat]]])) };
}

/** Counts right answers and applicable questions, by kind. */
export function scoreAnswers(state: TownState, answers: Readonly<Record<Seat, string>>): NonNullable<TownState['interview']> {
  const { asked, right } = state.interview ?? { asked: 0, right: {} };
  const kind = interviewKinds[asked];
  const verdicts = seatsOf(state.task).map((seat) => questionFor(kind, seat, state).isRight(answers[seat] ?? ''));
  const counts = [verdicts.filter((verdict) => verdict === true).length, verdicts.filter((verdict) => verdict !== null).length] as const;
  return { asked: asked + 1, right: { ...right, [kind]: counts } };
}

/** Returns the shares of right answers, and their mean over the questions that applied to someone. */
export function interviewMeasures({ interview }: TownState): Readonly<Record<string, number>> {
  if (interview === undefined) return {};
  const shares = Object.entries(interview.right).flatMap(([kind, [right, all]]) => (all === 0 ? [] : [[kind, right / all] as const]));
  const mean = shares.reduce((sum, [, share]) => sum + share, 0) / Math.max(1, shares.length);
  return { ...Object.fromEntries(shares.map(([kind, share]) => [`${kind}Right`, share])), believable: mean };
}
