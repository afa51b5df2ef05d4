/**
 * @file An environment in which one agent plays a whole team in one context (Chain-of-Agents, arXiv 2508.13167): an answer may contain the
 * messages of every team member, each between tags of its role, and ends with the move between tags of the seat. Everything else is as in
 * the environment itself, and an answer without tags is the move.
 *
 * Episodes played there by a team become episodes of this environment: its members' messages are inserted into the team's answers.
 */

import type { Action, AnyEnvironment, EpisodeEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import { teamSeats, traceOf } from '@ludus-agents/store/internal/exports/team';

const prefix = 'trace:';

export function createTraceGame(base: AnyEnvironment): AnyEnvironment {
  const moveOf = (seat: Seat, action: Action): Action => {
    const [open, close] = [`<${seat}>`, `</${seat}>`];
    const from = action.text.lastIndexOf(open);
    if (from < 0) return action;
    const rest = action.text.slice(from + open.length);
    const to = rest.indexOf(close);
    return { ...action, text: (to < 0 ? rest : rest.slice(0, to)).trim() };
  };
  return {
    ...base,
    id: `${prefix}${base.id}`,
    about: { ...base.about, summary: `${base.about.summary} An answer may hold what all members of a team say.` },
    step: (state, actions, rng) =>
      base.step(state, Object.fromEntries(Object.entries(actions).map(([seat, action]) => [seat, moveOf(seat, action)])), rng),
  };
}

/** The environment of a source's episodes: for traces, the one that a team played. */
export function playedId({ id }: Pick<AnyEnvironment, 'id'>): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

export function isTraceGame({ id }: Pick<AnyEnvironment, 'id'>): boolean {
  return id.startsWith(prefix);
}

/** The name of the environment for training on episodes of another one, for recipes that learn traces. */
export function traceName(recipeEnvironment: string, playedName: string): string {
  return recipeEnvironment.startsWith(prefix) && !playedName.startsWith(prefix) ? `${prefix}${playedName}` : playedName;
}

/** A log with team members' messages inserted into their seats' answers; null if no team played. */
export function withTraces(log: readonly EpisodeEvent[], seat: Seat): readonly EpisodeEvent[] | null {
  if (!teamSeats(log).includes(seat)) return null;
  return log.map((event) =>
    event.kind === 'action' && event.seat === seat ? { ...event, action: { ...event.action, text: traceOf(event) } } : event,
  );
}
