/**
 * @file Early experience (arXiv 2510.08558): the learner tries its own alternatives at every state of an expert's episodes, and trains on
 * their outcomes: first to predict them, then to act as the expert does; or to state why the expert's move is better before making it.
 */

import type { EpisodeEvent, JsonObject, Policy, Seat, Seed, TokenRow, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { keptRows } from '../kept-lessons.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../lesson-guide.ts';
import { type LoggedTurn, turnsInLog } from '../log-turns.ts';
import type { Guidance } from '../recipe.ts';
import { withSalt } from '../rollouts.ts';
import { toDemonstrationRow } from '../warm-up.ts';
import { agentOf, type GuidedPlace } from './guided-play.ts';

/** A state of the expert, an alternative of the learner there, and the outcome of both. */
export interface Alternative {
  /** The number of the expert's episode. */
  readonly episode: number;
  readonly logged: LoggedTurn;
  readonly text: string;
  /** The seat's observation after it, and after the expert's move. */
  readonly led: string;
  readonly expertLed: string;
}

export interface ExperienceParts extends GuidedPlace {
  readonly guidance: Guidance;
  readonly seed: Seed;
  readonly seats: readonly Seat[];
  /** The expert's episodes. */
  readonly experts: readonly (readonly EpisodeEvent[])[];
}

export class ExperienceGuide implements LessonGuide {
  readonly name = 'experience';
  readonly #parts: ExperienceParts;
  #found: readonly Alternative[] | null = null;

  constructor(parts: ExperienceParts) {
    this.#parts = parts;
  }

  async lessons({ done }: PlayedBatch): Promise<GuidedLessons> {
    const { guidance, learner, experts, seats } = this.#parts;
    const expert = () =>
      keptRows(
        learner,
        experts.flatMap((log) => seats.map((seat) => ({ log, seat }))),
      ).rows;
    const first = typeof guidance.share === 'number' ? guidance.share : guidance.share.from;
    if (guidance.reflect === true) return { shown: [...expert(), ...(await this.#reflections())] };
    if (done >= first) return { shown: expert() };
    const tokenRows = await this.#observations();
    return { shown: tokenRows, figures: { predicted: tokenRows.length } };
  }

  /** Alternatives tried with the initial weights are stored unchanged. */
  write(): JsonObject {
    const matches = this.#found?.map(({ episode, logged: { at }, text, led, expertLed }) => ({ episode, at, text, led, expertLed }));
    return { found: matches ?? null };
  }

  read(from: JsonObject): void {
    const { experts, seats } = this.#parts;
    const { found } = from as { found: readonly (Omit<Alternative, 'logged'> & { readonly at: number })[] | null };
    const turns = experts.map((log) => turnsInLog(log, seats));
    this.#found =
      found?.map(({ at, ...rest }) => ({ ...rest, logged: turns[rest.episode]?.find((turn) => turn.at === at) as LoggedTurn })) ?? null;
  }

  /** Outcomes of the learner's moves as answers; moves equal to the expert's have no row. */
  async #observations(): Promise<readonly TokenRow[]> {
    const { learner } = this.#parts;
    const all = await this.#alternatives();
    // A learner that chooses among listed answers predicts among all observed outcomes.
    const choices = [...new Set(all.map(({ led }) => led))];
    return all.map(({ logged: { turn }, text, led }) => {
      const observations = [...turn.view.seen, { kind: 'action' as const, action: { text } }];
      const after: Turn = { ...turn, view: { ...turn.view, seen: observations }, ask: { seat: turn.ask.seat, choices } };
      return toDemonstrationRow(learner, after, led);
    });
  }

  /** The expert's move after a sentence about the alternative's outcome; for text learners. */
  async #reflections(): Promise<readonly TokenRow[]> {
    const { learner } = this.#parts;
    if (learner.rowFor === undefined) return [];
    return (await this.#alternatives()).map(({ logged: { turn, action }, text, led, expertLed }) =>
      toDemonstrationRow(learner, turn, `${text} leads to "${led}", but ${action.text} leads to "${expertLed}". ${action.text}`),
    );
  }

  async #alternatives(): Promise<readonly Alternative[]> {
    this.#found ??= await alternativesOf(this.#parts);
    return this.#found;
  }
}

/** Every alternative at every state of the expert. The rules refuse an invalid fork. */
export async function alternativesOf({
  environment,
  policy,
  others,
  guidance,
  seed,
  seats,
  experts,
}: ExperienceParts): Promise<readonly Alternative[]> {
  const out: Alternative[] = [];
  for (const [episode, log] of experts.entries())
    for (const logged of turnsInLog(log, seats)) {
      const expertLed = whatFollowed(log, logged);
      for (let k = 0; k < (guidance.tries ?? 1); k++) {
        const dice = rng(seed, 'alternative', episode, logged.at, k);
        const [reply] = await withSalt(policy, k).act([{ ...logged.turn, rng: dice }]);
        const text = reply.action.text;
        if (text === logged.action.text) continue;
        out.push({ episode, logged, text, expertLed, led: whatFollowed(await branched(log, logged, text), logged) });
      }
    }
  return out;

  async function branched(log: readonly EpisodeEvent[], { seat, at }: LoggedTurn, text: string): Promise<readonly EpisodeEvent[]> {
    const [start] = log;
    const seatsOf = start?.kind === 'start' ? start.seats : [];
    let first = true;
    const observedPolicy: Policy = {
      name: policy.name,
      act: (turns) => {
        if (!first) return policy.act(turns);
        first = false;
        return [{ action: { text } }];
      },
    };
    const cast = seatsOf.map((item) => [item, agentOf(item === seat ? observedPolicy : (others[item] ?? policy))] as const);
    return Array.fromAsync(fork(environment, log, at, Object.fromEntries(cast)));
  }
}

/** A seat's observations after a turn, until it was asked again. */
function whatFollowed(log: readonly EpisodeEvent[], { seat, number }: LoggedTurn): string {
  const turns = turnsInLog(log, [seat]);
  const [loggedTurn, next] = [turns.find((turn) => turn.number === number), turns.find((turn) => turn.number === number + 1)];
  const events = log.slice((loggedTurn?.at ?? 0) + 1, next?.at ?? log.length);
  const lines = events.flatMap((event) => {
    if (event.kind === 'message' && event.to.includes(seat)) return [event.text];
    if (event.kind === 'reward' && (event.rewards[seat] ?? 0) !== 0) return [`(paid ${event.rewards[seat]})`];
    return event.kind === 'end' ? ['(over)'] : [];
  });
  return lines.join('\n') || '(nothing)';
}

/** Episodes of an expert, if none are stored. */
export async function expertEpisodes(
  { environment, others }: Pick<GuidedPlace, 'environment' | 'others'>,
  expert: Policy,
  { task, seats, games, seed }: { readonly task: JsonObject; readonly seats: readonly Seat[]; readonly games: number; readonly seed: Seed },
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const dice = rng(seed, 'experts');
  const cast = { ...others, ...Object.fromEntries(seats.map((seat) => [seat, expert])) };
  return rollout(environment, cast, { seeds: Array.from({ length: games }, () => dice.int(2 ** 32)), task });
}
