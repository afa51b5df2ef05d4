/**
 * @file Lessons from errors. correct: after the first wrong turn of an episode a teacher continues; the wrong turn is input but not trained
 * on, its correction is (STeP, AgentRefine). refine: several answers are tried at every turn, and the best of them is trained on with
 * weight exp(reward / τ), whatever came before it (RISE).
 */

import { type EpisodeEvent, type JsonObject, type Policy, rng, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { settingAt } from '../channels.ts';
import { type KeptEpisode, keptRows, returnOf } from '../kept-lessons.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../lesson-guide.ts';
import { type LoggedTurn, turnsInLog } from '../log-turns.ts';
import type { Guidance } from '../recipe.ts';
import { type PlayedEpisode, withSalt } from '../rollouts.ts';
import { toDemonstrationRow } from '../warm-up.ts';
import { agentOf, type GuidedPlace } from './guided-play.ts';

export interface ErrorParts extends GuidedPlace {
  readonly guidance: Guidance;
  /** The agent that corrects or tries in addition to the learner; none if the learner refines alone. */
  readonly teachers: readonly Policy[];
  readonly seed: Seed;
}

/** A guide without state in checkpoints, because it creates its lessons from every batch. */
abstract class Forgetful {
  write(): JsonObject {
    return {};
  }

  read(): void {}
}

export class CorrectionGuide extends Forgetful implements LessonGuide {
  readonly name = 'corrections';
  readonly #parts: ErrorParts;

  constructor(parts: ErrorParts) {
    super();
    this.#parts = parts;
  }

  async lessons({ update, done, played }: PlayedBatch): Promise<GuidedLessons> {
    const { guidance, seed, learner } = this.#parts;
    const [share, dice] = [settingAt(guidance.share, done), rng(seed, 'corrections', update)];
    const keptEpisodes: KeptEpisode[] = [];
    let [errors, reflections] = [0, 0];
    for (const { log, sample } of played) {
      const turns = turnsInLog(log, [sample.seat]);
      const wrong = await this.#firstWrong(turns);
      if (wrong !== null) errors++;
      if (wrong === null || dice.next() >= share) continue;
      const after = turns.find(({ number }) => number === wrong.number + 1);
      if (after === undefined) continue;
      const corrected = await this.#goneOn(log, after);
      const episode = { log: corrected, seat: sample.seat, masked: new Set([wrong.number]) };
      if (returnOf(episode) <= (guidance.success ?? 0)) continue;
      if (learner.rowFor !== undefined) reflections++;
      keptEpisodes.push(learner.rowFor === undefined ? episode : { ...episode, log: withReflection(corrected, wrong, after.at) });
    }
    return {
      shown: keptRows(learner, keptEpisodes).rows,
      figures: { errors, corrected: keptEpisodes.length, ...(learner.rowFor !== undefined && { reflections }) },
    };
  }

  /** The first turn that broke a rule, or in which the teacher would have acted differently. */
  async #firstWrong(turns: readonly LoggedTurn[]): Promise<LoggedTurn | null> {
    const [teacher] = this.#parts.teachers;
    const replies = teacher === undefined ? [] : await teacher.act(turns.map(({ turn }) => turn));
    return (
      turns.find(({ penalty, action }, i) => penalty > 0 || (replies[i] !== undefined && replies[i].action.text !== action.text)) ?? null
    );
  }

  /** The same episode with the teacher in the learner's place from a turn on. */
  async #goneOn(log: readonly EpisodeEvent[], { seat, at }: LoggedTurn): Promise<readonly EpisodeEvent[]> {
    const { environment, policy, others, teachers } = this.#parts;
    const [start] = log;
    const seats = start?.kind === 'start' ? start.seats : [];
    const cast = seats.map(
      (otherSeat) => [otherSeat, agentOf(otherSeat === seat ? (teachers[0] ?? policy) : (others[otherSeat] ?? policy))] as const,
    );
    return Array.fromAsync(fork(environment, log, at, Object.fromEntries(cast)));
  }
}

/** The log with an explanation of the error before the first move after it, for text learners to train on (STeP). */
export function withReflection(log: readonly EpisodeEvent[], { seat, action }: LoggedTurn, from: number): readonly EpisodeEvent[] {
  const at = log.findIndex((event, i) => i >= from && event.kind === 'action' && event.seat === seat);
  return log.map((event, i) => {
    if (i !== at || event.kind !== 'action') return event;
    const { text } = event.action;
    return { ...event, action: { ...event.action, text: `My last move was a mistake: ${action.text.replaceAll(/[[\]]/g, '')}. ${text}` } };
  });
}

export class RefinementGuide extends Forgetful implements LessonGuide {
  readonly name = 'refinements';
  readonly #parts: ErrorParts;

  constructor(parts: ErrorParts) {
    super();
    this.#parts = parts;
  }

  async lessons({ update, done, played }: PlayedBatch): Promise<GuidedLessons> {
    const { guidance, seed } = this.#parts;
    const [share, dice] = [settingAt(guidance.share, done), rng(seed, 'refinements', update)];
    const tokenRows: TokenRow[] = [];
    let tokens = 0;
    for (const episode of played) {
      if (dice.next() >= share) continue;
      for (const turn of turnsInLog(episode.log, [episode.sample.seat])) {
        const { row, tried } = await this.#best(episode, turn, dice.int(2 ** 32));
        tokens += tried;
        if (row !== null) tokenRows.push(row);
      }
    }
    return { shown: tokenRows, figures: { refined: tokenRows.length, guided: tokens } };
  }

  /** The best of several answers at a turn, as a row with only that answer, weighted by its reward. */
  async #best({ log, sample }: PlayedEpisode, logged: LoggedTurn, salt: number): Promise<{ row: TokenRow | null; tried: number }> {
    const { learner, policy, teachers, guidance } = this.#parts;
    const { turn, action, reward, penalty } = logged;
    const answers = new Map<string, number>([[action.text, reward - penalty]]);
    const tries = guidance.tries ?? 1;
    const replies = await Promise.all([
      ...Array.from({ length: tries }, async (_, i) => (await withSalt(policy, salt + i).act([{ ...turn, rng: rng(salt, 'try', i) }]))[0]),
      ...teachers.map(async (teacher) => (await teacher.act([turn]))[0]),
    ]);
    for (const { action: other } of replies)
      if (!answers.has(other.text)) answers.set(other.text, await this.#paid(log, logged, other.text));
    const [best] = [...answers].toSorted((a, b) => b[1] - a[1]) as [[string, number]];
    const listed = learner.rowFor !== undefined || (turn.ask.choices ?? []).includes(best[0]);
    const row = listed ? toDemonstrationRow(learner, turn, best[0]) : null;
    const weight = Math.exp(best[1] / (guidance.temperature ?? 1));
    const mean = sample.turns.reduce((sum, { written }) => sum + written.length, 0) / Math.max(1, sample.turns.length);
    return { row: row === null ? null : { ...row, weights: Array.from(row.mask, (bit) => bit * weight) }, tried: Math.round(tries * mean) };
  }

  /** The reward of another answer at a turn until the seat is asked again, or until the end. */
  async #paid(log: readonly EpisodeEvent[], { seat, at, number }: LoggedTurn, text: string): Promise<number> {
    const { environment, policy, others } = this.#parts;
    const [start] = log;
    const seats = start?.kind === 'start' ? start.seats : [];
    let first = true;
    const mine = agentOf(policy);
    const observation = {
      name: policy.name,
      act: (turn: Parameters<typeof mine.act>[0], signal: AbortSignal) => {
        if (!first) return mine.act(turn, signal);
        first = false;
        return { action: { text } };
      },
    };
    const cast = seats.map((otherSeat) => [otherSeat, otherSeat === seat ? observation : agentOf(others[otherSeat] ?? policy)] as const);
    const branch = await Array.fromAsync(fork(environment, log, at, Object.fromEntries(cast)));
    const turn = turnsInLog(branch, [seat]).find((turn) => turn.number === number);
    return (turn?.reward ?? 0) - (turn?.penalty ?? 0);
  }
}
