/** @file A remote player's view of its seat, as text and as data: the same for every protocol. */

import type { AnyEnvironment, EndEvent, JsonObject, MessageEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import { lastSeen, nameOf, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import type { News, RemoteSeat } from './hosted-episode.ts';

/** Messages as one text, each with its sender. */
export function formatMessages(messages: readonly MessageEvent[]): string {
  return messages.map(({ from, text }) => (from === undefined ? text : `${from}: ${text}`)).join('\n');
}

/** Everything that the seat has observed and answered so far. */
export function history({ table, seat, ask }: RemoteSeat): string {
  return textOf(viewOf(table.course.events, seat, ask?.window)).trimEnd();
}

/** New observations, as far as the environment lets the seat look back. */
export function readNews(guest: RemoteSeat): News {
  const news = guest.news();
  const window = guest.ask?.window;
  return window === undefined ? news : { ...news, messages: lastSeen(news.messages, window) as readonly MessageEvent[] };
}

/**
 * The state of a seat. It depends only on the seed and the answers, so equal play gives equal states: its identity, legal actions, and
 * rewards; at the end also the reason for it.
 */
export function standing(guest: RemoteSeat, penalty: number): JsonObject {
  const { table, seat, ask } = guest;
  const { course } = table;
  const end = course.over ? (course.events.at(-1) as EndEvent) : null;
  return {
    world: table.environment.id,
    seat,
    turn: course.turns,
    return: guest.returned,
    penalty,
    ...(ask?.choices && { choices: ask.choices }),
    ...(ask?.schema !== undefined && { schema: ask.schema }),
    // The seed is shown only when it no longer helps.
    ...(end !== null && { reason: end.reason, seed: table.seed }),
    ...(end?.fault && { fault: end.fault.message }),
  };
}

/** A description of an environment, its seats, and its settings; for a seated player also the seat's own instructions. */
export function rulesOf(environment: AnyEnvironment, guest?: RemoteSeat): string {
  const parameters = Object.entries(environment.parameters).map(
    ([name, { description: about, default: otherwise }]) => `- ${name} (${JSON.stringify(otherwise)}): ${about}`,
  );
  const seats = guest?.table.seats ?? (environment.seats(environment.task({})) as readonly Seat[]);
  return [
    `${nameOf(environment)}: ${environment.about.summary}`,
    `Seats: ${seats.join(', ')}.`,
    ...(guest === undefined
      ? [`Task parameters:\n${parameters.join('\n')}`]
      : [`Your seat is ${guest.seat}. You were told:\n${formatMessages(guest.prompt)}`]),
  ].join('\n\n');
}
