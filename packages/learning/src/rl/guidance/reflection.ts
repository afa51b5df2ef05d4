/**
 * @file Texts about the learner's moves. rationale: a reason for each sampled move, written afterwards from the seat's view and the move,
 * and trained before the move; the loss contrasts good and bad episodes of a task (ActRe, A3T: arXiv 2403.14589). feedback: a critique of
 * an answer and a refined answer, which is trained without the feedback if its episode ends better (SELF: arXiv 2310.00533). During the
 * first share of a run, a text learner also imitates its teacher's feedback and the refined answers: the meta-skills. After that it gives
 * its own feedback.
 */

import { type JsonObject, type Rng, rng, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { settingAt } from '../channels.ts';
import { returnOf } from '../kept-lessons.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../lesson-guide.ts';
import { type LoggedTurn, turnsInLog } from '../log-turns.ts';
import type { PlayedEpisode } from '../rollouts.ts';
import type { EpisodeSample } from '../samples.ts';
import { toDemonstrationRow } from '../warm-up.ts';
import type { ErrorParts } from './error-lessons.ts';
import { playGuided, withHint } from './guided-play.ts';
import { askAbout, questionAbout, type StepReviewer } from './verdict.ts';

abstract class Reflection implements LessonGuide {
  abstract readonly name: string;
  protected readonly parts: ErrorParts;

  constructor(parts: ErrorParts) {
    this.parts = parts;
  }

  /** The first teacher writes, or the learner itself. */
  protected get asked(): StepReviewer {
    const { environment, teachers, policy } = this.parts;
    return { environment, writer: teachers[0] ?? policy };
  }

  abstract lessons(batch: PlayedBatch): Promise<GuidedLessons>;

  /** Lessons are created from every batch, so the checkpoint has no state. */
  write(): JsonObject {
    return {};
  }

  read(): void {}
}

export class RationaleGuide extends Reflection {
  readonly name = 'rationales';

  async lessons({ update, done, played, episodes }: PlayedBatch): Promise<GuidedLessons> {
    const { learner, guidance, seed } = this.parts;
    // A learner that chooses among listed moves cannot write a reason before one.
    if (learner.rowFor === undefined) return { figures: { rationales: 0 } };
    const [share, dice] = [settingAt(guidance.share, done), rng(seed, 'rationales', update)];
    let written = 0;
    const out: EpisodeSample[] = [];
    for (const [i, sample] of episodes.entries()) {
      const logged = turnsInLog(played[i].log, [sample.seat]);
      if (dice.next() >= share || logged.length !== sample.turns.length) {
        out.push(sample);
        continue;
      }
      const texts = await Promise.all(
        logged.map(async (loggedTurn, n) => {
          const reason = await askAbout(this.asked, loggedTurn, 'Say in one sentence why.', rng(seed, 'reason', update, i, n));
          return isReason(reason, loggedTurn) ? `${reason} ${loggedTurn.action.text}` : null;
        }),
      );
      written += texts.filter((text) => text !== null).length;
      const rows = logged.map(({ turn, action }, n) => toDemonstrationRow(learner, turn, texts[n] ?? action.text));
      const logprobs = await learner.logprobs(rows);
      const turns = sample.turns.map((turn, n) => {
        const { tokens, mask } = rows[n];
        const part = (list: ArrayLike<number>, bit: number) => Array.from(list).filter((_, at) => mask[at] === bit);
        return texts[n] === null ? turn : { ...turn, read: part(tokens, 0), written: part(tokens, 1), logprobs: part(logprobs[n], 1) };
      });
      out.push({ ...sample, turns });
    }
    return { episodes: out, figures: { rationales: written } };
  }
}

/** A reason that names another move would be parsed as that move. */
function isReason(text: string, { turn, action }: LoggedTurn): boolean {
  const names = (move: string) => new RegExp(`(^|[^\\w])${move.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}([^\\w]|$)`).test(text);
  return text !== '' && !(turn.ask.choices ?? []).some((item) => item !== action.text && names(item));
}

export class FeedbackGuide extends Reflection {
  readonly name = 'feedback';

  async lessons({ update, done, played }: PlayedBatch): Promise<GuidedLessons> {
    const { guidance, seed } = this.parts;
    const [share, dice] = [settingAt(guidance.share, done), rng(seed, 'feedback', update)];
    const { skills = 0, teachers: named } = guidance;
    const isTaught = done < skills && named.length > 0 && this.parts.learner.rowFor !== undefined;
    const tokenRows: TokenRow[] = [];
    let [tried, retainedCount, guided, taught] = [0, 0, 0, 0];
    for (const episode of played) {
      if (dice.next() >= share) continue;
      const turns = turnsInLog(episode.log, [episode.sample.seat]);
      for (let n = 0; n < Math.min(guidance.tries ?? 1, turns.length); n++) {
        tried++;
        const { row, tokens, skill } = await this.#refined(episode, dice.pick(turns), { dice, done });
        guided += tokens;
        if (row === null) continue;
        retainedCount++;
        tokenRows.push(row);
        if (!isTaught) continue;
        tokenRows.push(...skill);
        taught += skill.length;
      }
    }
    return { shown: tokenRows, figures: { tried, kept: retainedCount, guided, ...(skills > 0 && { taught }) } };
  }

  /** The refined answer as a row without the feedback, if the episode ends better with it. */
  async #refined(
    { log, sample }: PlayedEpisode,
    logged: LoggedTurn,
    { dice, done }: { readonly dice: Rng; readonly done: number },
  ): Promise<{ readonly row: TokenRow | null; readonly tokens: number; readonly skill: readonly TokenRow[] }> {
    const { seat } = sample;
    const { learner, guidance, policy } = this.parts;
    const wanted = 'Say what is wrong with it, or what to answer instead.';
    // After the phase of teaching skills, the learner gives its own feedback.
    const isOwn = guidance.skills !== undefined && done >= guidance.skills && learner.rowFor !== undefined;
    const writer = isOwn ? { ...this.asked, writer: policy } : this.asked;
    const feedback = await askAbout(writer, logged, wanted, rng(dice.int(2 ** 32), 'feedback'));
    let first = true;
    const advice = () => {
      const now = first;
      first = false;
      return now ? feedback : null;
    };
    const heeding = { advice, heed: guidance.heed ?? 0.9, seat, at: logged.at, salt: dice.int(2 ** 32) };
    const again = await playGuided(this.parts, log, heeding);
    const turns = turnsInLog(again, [seat]);
    const answer = turns.find(({ number }) => number === logged.number)?.action.text;
    // Every repeated turn was sampled again.
    const mean = sample.turns.reduce((sum, { written }) => sum + written.length, 0) / Math.max(1, sample.turns.length);
    const tokens = Math.round(mean * turns.filter(({ number }) => number >= logged.number).length);
    if (answer === undefined || answer === logged.action.text || returnOf({ log: again, seat }) <= returnOf({ log, seat }))
      return { row: null, tokens, skill: [] };
    const isListed = learner.rowFor !== undefined || (logged.turn.ask.choices ?? []).includes(answer);
    const row = isListed ? toDemonstrationRow(learner, logged.turn, answer) : null;
    if (learner.rowFor === undefined) return { row, tokens, skill: [] };
    const skill = [
      toDemonstrationRow(learner, questionAbout(logged, wanted), feedback),
      toDemonstrationRow(learner, withHint(logged.turn, feedback), answer),
    ];
    return { row, tokens, skill };
  }
}
