/**
 * @file The decisive error of a failed episode, found by counterfactual replay: the log is forked before a step, the step is changed, and the
 * same agents play on with the same seed. The step whose change improves the outcome most is the decisive error; the earliest of equals. A
 * change that helps as much at a later step is no correction of an earlier one: there it was made with hindsight, before anything went wrong.
 *
 * Listed moves are changed to the other moves, words to what the agent says under other seeds. Steps on which the end does not depend are not
 * tried.
 */

import type { Agent, AnyEnvironment, EpisodeEvent, Json, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject, plainText, rng } from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { ancestorsOf, flowOf } from './attribution.ts';

export interface DecisiveError {
  readonly event: number;
  readonly seat: Seat;
  /** The member of a team who first named the move. */
  readonly member?: string;
  /** The number of earlier actions in the episode. */
  readonly step: number;
  readonly did: string;
  /** The best tested change, and its outcome. */
  readonly better: string;
  readonly outcome: number;
  /** The original outcome. */
  readonly before: number;
}

export interface ReplayOptions {
  readonly environment: AnyEnvironment;
  readonly events: readonly EpisodeEvent[];
  readonly agents: Readonly<Record<Seat, Agent>>;
  /** The maximum number of changes per step. */
  readonly changes: number;
  /** The maximum number of steps, the latest that the end depends on. */
  readonly steps: number;
  readonly signal: AbortSignal;
}

export interface ReplayFound {
  /** Every step whose change improves the outcome, the most decisive first. */
  readonly errors: readonly DecisiveError[];
  readonly tried: number;
  readonly replays: number;
}

/** The total reward of all seats, minus their penalties. */
function outcomeOf(events: readonly EpisodeEvent[]): number | null {
  const end = events.at(-1);
  if (end?.kind !== 'end' || end.reason !== 'over') return null;
  const sum = (returns: Readonly<Record<Seat, number>>) => Object.values(returns).reduce((all, value) => all + value, 0);
  return sum(end.returns) - sum(end.penalties);
}

export async function findDecisiveErrors({ environment, events, agents, changes, steps, signal }: ReplayOptions): Promise<ReplayFound> {
  const before = outcomeOf(events) ?? 0;
  const flow = flowOf({ events });
  const last = [...flow.keys()].at(-1);
  const concerned = last === undefined ? new Set<number>() : new Set([...ancestorsOf(flow, last), last]);
  const actions = events.flatMap((event, at) => (event.kind === 'action' ? [{ at, event }] : []));
  const candidates = actions.filter(({ at }) => concerned.has(at)).slice(-steps);
  const errors: (DecisiveError & { readonly repairs: ReadonlySet<string> })[] = [];
  let replays = 0;
  for (const { at, event } of candidates) {
    const did = event.action.text;
    let best: { readonly better: string; readonly outcome: number; readonly repairs: Set<string> } | null = null;
    const alternatives: { moves?: readonly string[] } = {};
    for (let change = 0; change < (alternatives.moves?.length ?? changes); change++) {
      const agent = agents[event.seat];
      let played: string | null = null;
      const changed: Agent = {
        ...agent,
        async act(turn, stop, simulator) {
          if (played !== null) return agent.act(turn, stop, simulator);
          const { choices } = turn.ask;
          if (choices !== undefined)
            alternatives.moves ??= rng(0, 'blame', at)
              .shuffle(choices.filter((choice) => choice !== did))
              .slice(0, changes);
          const alternativeWords = alternatives.moves?.[change];
          if (alternativeWords === undefined) {
            const reply = await agent.act({ ...turn, rng: rng(change, 'blame', at) }, stop, simulator);
            played = reply.action.text;
            return reply;
          }
          played = alternativeWords;
          const mind = correctedMind(event.mind, did, alternativeWords);
          return { action: { text: alternativeWords }, ...(mind === undefined ? {} : { mind }) };
        },
      };
      const log: EpisodeEvent[] = [];
      for await (const episodeEvent of fork(environment, events, at, { ...agents, [event.seat]: changed }, { signal }))
        log.push(episodeEvent);
      signal.throwIfAborted();
      replays++;
      const outcome = outcomeOf(log);
      if (played === null || played === did || outcome === null || outcome <= before) continue;
      if (best === null || outcome > best.outcome) best = { better: played, outcome, repairs: new Set([played]) };
      else if (outcome === best.outcome) best.repairs.add(played);
    }
    if (best === null) continue;
    const step = actions.findIndex((action) => action.at === at);
    const member = memberBehind(event.mind, did);
    errors.push({ event: at, seat: event.seat, ...(member === undefined ? {} : { member }), step, did, ...best, before });
  }
  const isEarly = (error: (typeof errors)[number]) =>
    errors.some(
      (later) => later.event > error.event && later.outcome >= error.outcome && [...later.repairs].some((move) => error.repairs.has(move)),
    );
  const decisive = errors.filter((error) => !isEarly(error)).toSorted((a, b) => b.outcome - a.outcome || a.event - b.event);
  return { errors: decisive.map(({ repairs: _, ...error }) => error), tried: candidates.length, replays };
}

/** The mind that the agent had after the step, so that it goes on as it did, but remembers the changed move. */
function correctedMind(mind: Json | undefined, did: string, better: string): Json | undefined {
  if (!isObject(mind) || mind['kind'] !== 'team/1' || !isObject(mind['result']) || !isObject(mind['memory'])) return mind;
  const { tried } = mind['memory'];
  const memory = typeof tried === 'string' ? { ...mind['memory'], tried: tried.replace(did, () => better) } : mind['memory'];
  return { ...mind, result: { ...mind['result'], answer: better }, memory };
}

/** The member of a team who named a move first. */
function memberBehind(mind: unknown, move: string): string | undefined {
  if (!isObject(mind as never)) return undefined;
  const { kind, discussion } = mind as { readonly kind?: unknown; readonly discussion?: unknown };
  if (kind !== 'team/1' || !Array.isArray(discussion)) return undefined;
  const speech = discussion.find((event) => event?.kind === 'action' && plainText(event.action?.text).includes(move));
  return speech === undefined ? undefined : plainText(speech.seat);
}
