/**
 * @file Learning from what is kept: rows of kept episodes for every update, and rounds in which own successes join them.
 *
 * Rounds (AgentEvol, arXiv 2406.04151; expert iteration of BFS-Prover-V2, arXiv 2509.06493): the learner plays, its successes are kept, and the
 * next round learns from the base data and the successes of the last, from the weights that the run began with where `restart` says so. A band
 * drops rows that are easy already, and those that are noise, by the learner's own perplexity.
 */

import { type JsonObject, type Learner, type Rng, rng, type Seed, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { type KeptEpisode, keptRows } from './kept-lessons.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from './lesson-guide.ts';
import type { Rounds, Weighing } from './recipe.ts';

export interface KeptParts {
  readonly learner: Learner;
  readonly seed: Seed;
  /** Kept episodes; rounds may begin with none. */
  readonly base: readonly KeptEpisode[];
  readonly weigh?: Weighing | undefined;
  /** Rows of one update, drawn again each time; all of them unless set. */
  readonly rows?: number | undefined;
  readonly rounds?: Rounds | undefined;
}

/** A success of a round, and what its task is known by. */
type Found = KeptEpisode & { readonly key: string };

/** Everything the next update depends on; rows are made again, since what tokens mean may change with the weights. */
interface Written {
  readonly used: readonly Found[];
  readonly found: readonly Found[];
  readonly start: string | null;
  readonly easy: number | null;
  readonly inside: readonly number[] | null;
}

export class KeptGuide implements LessonGuide {
  readonly name = 'kept';
  readonly anywhere = true;
  readonly #parts: KeptParts;
  /** What is learned from in this round, made when it is first needed. */
  #rows: readonly TokenRow[] | null = null;
  #used: readonly Found[] = [];
  #found: Found[] = [];
  #start: string | null = null;
  #easy: number | null = null;
  /** The rows inside of the band, by their numbers, as they were when the round began. */
  #inside: readonly number[] | null = null;

  constructor(parts: KeptParts) {
    this.#parts = parts;
  }

  async lessons({ update, played, episodes }: PlayedBatch): Promise<GuidedLessons> {
    const { rounds, seed } = this.#parts;
    if (rounds !== undefined) await this.#round(rounds, { update, played, episodes });
    this.#rows ??= await this.#lessons(rounds?.band);
    return {
      shown: drawRows(this.#rows, this.#parts.rows, rng(seed, 'kept', update)),
      // Successes of a round are counted once, when they become what is learned from.
      figures: {
        ...(this.#easy !== null && { easy: this.#easy }),
        ...(rounds !== undefined && update % rounds.updates === 0 && { successes: this.#used.length }),
      },
    };
  }

  write(): JsonObject {
    if (this.#parts.rounds === undefined) return {};
    return { used: this.#used, found: this.#found, start: this.#start, easy: this.#easy, inside: this.#inside } as unknown as JsonObject;
  }

  read(from: JsonObject): void {
    if (this.#parts.rounds === undefined) return;
    const { used, found, start, easy, inside } = from as unknown as Written;
    this.#used = used;
    this.#found = [...found];
    this.#start = start;
    this.#easy = easy;
    this.#inside = inside;
    this.#rows = null;
  }

  /** Rows of the base and of what the last round has found; where there is a band, those inside of it. */
  async #lessons(band: Rounds['band']): Promise<readonly TokenRow[]> {
    const rows = this.#allRows();
    if (band === undefined || rows.length === 0) return rows;
    if (this.#inside === null) {
      const perplexities = (await this.#chances()).map((value) => -Math.log(value));
      this.#inside = withinBand([...rows.keys()], perplexities, band);
    }
    return this.#inside.map((i) => rows[i]);
  }

  #allRows(): readonly TokenRow[] {
    const { learner, base, weigh } = this.#parts;
    return [...keptRows(learner, base, weigh).rows, ...keptRows(learner, this.#used).rows];
  }

  async #chances(): Promise<readonly number[]> {
    const rows = this.#allRows();
    const logprobs = rows.length === 0 ? [] : await this.#parts.learner.logprobs(rows);
    return logprobs.map((list, i) => meanChance(list, rows[i]));
  }

  /** Takes in successes, each task's first; at the end of a round they are what the next one learns from. */
  async #round(
    { updates, least, restart }: Rounds,
    { update, played, episodes }: Pick<PlayedBatch, 'update' | 'played' | 'episodes'>,
  ): Promise<void> {
    const { learner } = this.#parts;
    this.#start ??= await learner.save();
    if (update > 0 && update % updates === 0) {
      this.#used = this.#found;
      this.#found = [];
      const chances = await this.#chances();
      this.#easy = chances.filter((chance) => chance > easyChance).length / Math.max(1, chances.length);
      this.#rows = null;
      this.#inside = null;
      if (restart) await learner.load(this.#start);
    }
    const knownNames = new Set(this.#found.map(({ key }) => key));
    for (const [i, { log }] of played.entries()) {
      // As it is paid by now: a reward model may have had its say.
      const sample = episodes[i];
      const start = log[0];
      const key = `${sample.environment} ${sample.key ?? (start?.kind === 'start' ? start.seed : update)} ${sample.seat}`;
      if (sample.returned < least || knownNames.has(key)) continue;
      knownNames.add(key);
      this.#found.push({ key, log, seat: sample.seat });
    }
  }
}

/** A row whose every token is at least so likely on average is easy already. */
const easyChance = 0.9;

function meanChance(logprobs: ArrayLike<number>, { mask }: TokenRow): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < mask.length; i++) if (mask[i] !== 0) [sum, count] = [sum + logprobs[i], count + 1];
  return Math.exp(sum / Math.max(1, count));
}

/** Rows whose log-perplexity lies between two quantiles of all: what is trivial and what is noise is left out. */
export function withinBand<T>(rows: readonly T[], perplexities: readonly number[], [low, high]: readonly [number, number]): readonly T[] {
  const sorted = perplexities.toSorted((a, b) => a - b);
  const [from, to] = [quantile(sorted, low), quantile(sorted, high)];
  return rows.filter((_, i) => perplexities[i] >= from && perplexities[i] <= to);
}

function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  return below + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] ?? below) - below);
}

function drawRows(rows: readonly TokenRow[], count: number | undefined, dice: Rng): readonly TokenRow[] {
  if (count === undefined || rows.length <= count) return rows;
  return Array.from({ length: count }, () => dice.pick(rows));
}
