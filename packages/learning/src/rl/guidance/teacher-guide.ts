/**
 * @file Teachers in the loop. If a whole group has failed, a teacher gives hints (from the first move that it would have made differently:
 * Agent-RLVR), provides a plan (the moves of its own attempt, under which the learner retries: BEPA) or answers itself (AMPO); the results
 * replace failures. Or it acts at the learner's own states, as a term of the loss (Refined Policy Distillation).
 */

import type { EpisodeEvent, JsonObject, Policy, Rng, Seat, Seed, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng, textOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { settingAt } from '../channels.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../lesson-guide.ts';
import { turnsInLog } from '../log-turns.ts';
import type { Guidance } from '../recipe.ts';
import { SuccessBuffer } from '../replay.ts';
import type { EpisodeSample } from '../samples.ts';
import { toDemonstrationRow } from '../warm-up.ts';
import { type GuidedPlace, groupsOf, playGuided, replaceTurns, sampleWithoutHelp } from './guided-play.ts';

export interface TeacherParts extends GuidedPlace {
  readonly guidance: Guidance;
  readonly teachers: readonly Policy[];
  readonly seed: Seed;
}

/** A group that failed. */
interface Failure {
  readonly log: readonly EpisodeEvent[];
  readonly sample: EpisodeSample;
  readonly dice: Rng;
}

/** The results of the help, and the number of tokens sampled for it. */
interface Help {
  readonly found: readonly EpisodeSample[];
  readonly tokens: number;
}

/** The maximum number of remembered moves from own successes. */
const mostMoves = 4096;

const nothing: Help = { found: [], tokens: 0 };

export class TeacherGuide implements LessonGuide {
  readonly name = 'teachers';
  readonly #parts: TeacherParts;
  /** The last success at each task, unaided or under a plan. */
  readonly #plans = new SuccessBuffer<EpisodeSample>(1);
  /** The moves of the learner's successes, by the seat's observations. */
  #moves = new Map<string, string>();

  constructor(parts: TeacherParts) {
    this.#parts = parts;
  }

  async lessons(batch: PlayedBatch): Promise<GuidedLessons> {
    const { guidance, seed } = this.#parts;
    const share = settingAt(guidance.share, batch.done);
    if (guidance.kind === 'action') return this.#acted(batch, share);
    let { episodes } = batch;
    let [helped, failed, tokens] = [0, 0, 0];
    for (const [number, members] of groupsOf(episodes).entries()) {
      const group = members.map((i) => batch.episodes[i]);
      const best = group.find(({ returned }) => returned > (guidance.success ?? 0));
      if (best !== undefined) {
        if (guidance.kind === 'plan') this.#plans.add(taskOf(best), best);
        if (guidance.kind === 'recall') this.#remember(batch.played[members[group.indexOf(best)]].log, best.seat);
        continue;
      }
      failed++;
      const dice = rng(seed, 'guidance', batch.update, number);
      if (dice.next() >= share) continue;
      const { log, sample } = batch.played[members[0]];
      const help = await this.#help({ log, sample, dice });
      tokens += help.tokens;
      if (help.found.length === 0) continue;
      helped++;
      episodes = replaceTurns(episodes, members, { by: help.found, dice });
    }
    return { episodes, figures: { failed, helped, guided: tokens } };
  }

  write(): JsonObject {
    return { plans: this.#plans.write(), moves: [...this.#moves] };
  }

  read(from: JsonObject): void {
    const { plans, moves = [] } = from as {
      readonly plans: readonly (readonly [string, readonly EpisodeSample[]])[];
      readonly moves?: readonly (readonly [string, string])[];
    };
    this.#plans.read(plans);
    this.#moves = new Map(moves);
  }

  #help(failure: Failure): Promise<Help> {
    const { kind } = this.#parts.guidance;
    if (kind === 'hint') return this.#hinted(failure);
    if (kind === 'recall') return this.#recalled(failure);
    return kind === 'plan' ? this.#planned(failure) : this.#answered(failure);
  }

  /** Replays the failed episode from the first move that the teacher would not have made, with a hint at every turn from there on. */
  async #hinted({ log, sample, dice }: Failure): Promise<Help> {
    const { teachers } = this.#parts;
    const teacher = dice.pick(teachers);
    const turns = turnsInLog(log, [sample.seat]);
    const statements = await Promise.all(turns.map(({ turn }) => moveOf(teacher, turn)));
    const first = turns.find(({ action }, i) => statements[i] !== action.text);
    return first === undefined
      ? nothing
      : this.#tried({ log, sample, dice }, { at: first.at, advice: () => (turn) => moveOf(teacher, turn) });
  }

  /** Replays from the start, with the moves of own successes in similar situations (AgentEvolver); needs no teacher. */
  #recalled(failure: Failure): Promise<Help> {
    if (this.#moves.size === 0) return Promise.resolve(nothing);
    return this.#tried(failure, { at: null, advice: () => (turn) => this.#moves.get(textOf(turn.view)) ?? null });
  }

  #remember(log: readonly EpisodeEvent[], seat: Seat): void {
    for (const { turn, action } of turnsInLog(log, [seat])) {
      const visitedText = textOf(turn.view);
      // Reinserting makes the latest entry the last to be evicted.
      this.#moves.delete(visitedText);
      this.#moves.set(visitedText, action.text);
    }
    for (const oldest of [...this.#moves.keys()].slice(0, Math.max(0, this.#moves.size - mostMoves))) this.#moves.delete(oldest);
  }

  /** The stored success of the task, or one played under the moves of a teacher's success, which is then stored. */
  async #planned({ log, sample, dice }: Failure): Promise<Help> {
    const { learner, teachers } = this.#parts;
    const [episodeSample] = this.#plans.of(taskOf(sample));
    if (episodeSample !== undefined) return { found: [await this.#current(episodeSample)], tokens: 0 };
    const trace = await this.#traceOf(dice.pick(teachers), log, sample.seat);
    if (trace === null) return nothing;
    const plan = turnsInLog(trace, [sample.seat]).map(({ action }) => action.text);
    const advice = () => {
      let next = 0;
      return () => plan[next++] ?? null;
    };
    const help = await this.#tried({ log, sample, dice }, { at: null, advice });
    for (const matchingEpisodeSample of help.found) this.#plans.add(taskOf(sample), matchingEpisodeSample);
    // If the learner never succeeds under the plan, uses the teacher's trace itself.
    if (help.found.length > 0) return help;
    const withoutHelp = await sampleWithoutHelp(learner, trace, sample);
    return { ...help, found: withoutHelp === null ? [] : [withoutHelp] };
  }

  /** Successful answers of all teachers; those most likely under the learner replace failures. */
  async #answered({ log, sample }: Failure): Promise<Help> {
    const { learner, teachers, guidance } = this.#parts;
    const matches: { readonly sample: EpisodeSample; readonly likely: number }[] = [];
    for (const teacher of teachers) {
      const trace = await this.#traceOf(teacher, log, sample.seat);
      const episodeSample = trace === null ? null : await sampleWithoutHelp(learner, trace, sample);
      if (episodeSample === null) continue;
      const chances = episodeSample.turns.flatMap(({ logprobs }) => logprobs.map(Math.exp));
      const likely = chances.reduce((sum, value) => sum + value, 0) / Math.max(1, chances.length);
      const turns = episodeSample.turns.map((turn) => ({ ...turn, shape: guidance.shape ?? 0.1 }));
      matches.push({ sample: { ...episodeSample, turns, returned: Math.max(1, episodeSample.returned) }, likely });
    }
    const ranked = matches.toSorted((a, b) => b.likely - a.likely);
    return { found: ranked.slice(0, guidance.places ?? 1).map((item) => item.sample), tokens: 0 };
  }

  /** Retries under guidance until one attempt succeeds. */
  async #tried(
    { log, sample, dice }: Failure,
    { at, advice }: { readonly at: number | null; readonly advice: () => (turn: Turn) => string | null | Promise<string | null> },
  ): Promise<Help> {
    const { learner, guidance } = this.#parts;
    let tokens = 0;
    for (let salt = 0; salt < (guidance.tries ?? 1); salt++) {
      const heeding = { advice: advice(), heed: guidance.heed ?? 0.9, salt: dice.int(2 ** 32) };
      const guided = await playGuided(this.#parts, log, { ...heeding, seat: sample.seat, at });
      const episodeSample = await sampleWithoutHelp(learner, guided, sample);
      if (episodeSample === null) continue;
      tokens += episodeSample.turns.filter((turn) => turn.at >= (at ?? 0)).reduce((sum, { written }) => sum + written.length, 0);
      if (episodeSample.returned > (guidance.success ?? 0)) return { found: [episodeSample], tokens };
    }
    return { found: [], tokens };
  }

  /** A teacher's own attempt at the task of a log, if it succeeds. */
  async #traceOf(teacher: Policy, log: readonly EpisodeEvent[], seat: Seat): Promise<readonly EpisodeEvent[] | null> {
    const { environment, others, policy, guidance } = this.#parts;
    const [start] = log;
    if (start?.kind !== 'start') return null;
    const cast = Object.fromEntries(
      start.seats.map((otherSeat) => [otherSeat, otherSeat === seat ? teacher : (others[otherSeat] ?? policy)]),
    );
    const [trace] = (await rollout(environment, cast, { seeds: [start.seed], task: start.task })) as [readonly EpisodeEvent[]];
    const end = trace.at(-1);
    const payment = end?.kind === 'end' ? (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0) : 0;
    return payment > (guidance.success ?? 0) ? trace : null;
  }

  /** A stored episode with the learner's current log-probabilities. */
  async #current(episode: EpisodeSample): Promise<EpisodeSample> {
    const rows = episode.turns.map(({ read, written }) => ({
      tokens: [...read, ...written],
      mask: [...read.map(() => 0), ...written.map(() => 1)],
    }));
    const logprobs = await this.#parts.learner.logprobs(rows);
    return { ...episode, turns: episode.turns.map((turn, i) => ({ ...turn, logprobs: Array.from(logprobs[i]).slice(turn.read.length) })) };
  }

  /** The teacher's move at every state of the learner, as a term of the loss. */
  async #acted({ played }: PlayedBatch, weight: number): Promise<GuidedLessons> {
    const { learner, teachers } = this.#parts;
    const [teacher] = teachers;
    if (teacher === undefined || weight === 0) return { figures: { asked: 0 } };
    const turns = played.flatMap(({ log, sample }) => turnsInLog(log, [sample.seat]).map(({ turn }) => turn));
    const moves = (await teacher.act(turns)).map(({ action }) => action.text);
    const rows = turns.flatMap((turn, i) => {
      const listed = learner.rowFor !== undefined || (turn.ask.choices ?? []).includes(moves[i]);
      return listed ? [toDemonstrationRow(learner, turn, moves[i])] : [];
    });
    const tokens = rows.reduce((sum, { mask }) => sum + Array.from(mask).reduce((subtotal, bit) => subtotal + bit, 0), 0);
    const terms = rows.map((row) => ({ ...row, weights: Array.from(row.mask, (bit) => (bit * weight) / Math.max(1, tokens)) }));
    return { terms, figures: { asked: turns.length } };
  }
}

async function moveOf(teacher: Policy, turn: Turn): Promise<string> {
  return (await teacher.act([turn]))[0].action.text;
}

/** Successes are stored by task and seat, because the seats of a game have different tasks. */
function taskOf({ key, seat }: EpisodeSample): string {
  return `${key ?? ''} ${seat}`;
}
