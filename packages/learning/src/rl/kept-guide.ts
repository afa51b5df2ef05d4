/**
 * @file Learning from kept episodes: rows for every update, and rounds that add the learner's own successes.
 *
 * Rounds (AgentEvol, arXiv 2406.04151; expert iteration of BFS-Prover-V2, arXiv 2509.06493): the learner plays, its successes are kept, and
 * the next round learns from the base data and the last round's successes, starting over from the initial weights if `restart` is set. A
 * band drops rows that are already easy or that are noise, by the learner's own perplexity.
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
  /** The number of rows of one update, drawn again each time; all rows if unset. */
  readonly rows?: number | undefined;
  readonly rounds?: Rounds | undefined;
}

/** A success of a round, and the key of its task. */
type Found = KeptEpisode & { readonly key: string };

/** Everything the next update depends on; rows are rebuilt, because tokenization may change with the weights. */
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
  /** The training rows of this round, built on first use. */
  #rows: readonly TokenRow[] | null = null;
  #used: readonly Found[] = [];
  #found: Found[] = [];
  #start: string | null = null;
  #easy: number | null = null;
  /** The indices of rows within the band, computed when the round began. */
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
      // Successes of a round are counted once, when they become training data.
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

  /** Rows of the base data and of the last round's successes; only those within the band, if there is one. */
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

  /** Collects the first success of each task; at the end of a round they become the next round's data. */
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
      // The current reward, which a reward model may have changed.
      const sample = episodes[i];
      const start = log[0];
      const key = `${sample.environment} ${sample.key ?? (start?.kind === 'start' ? start.seed : update)} ${sample.seat}`;
      if (sample.returned < least || knownNames.has(key)) continue;
      knownNames.add(key);
      this.#found.push({ key, log, seat: sample.seat });
    }
  }
}

/** A row counts as easy if its tokens have at least this probability on average. */
const easyChance = 0.9;

function meanChance(logprobs: ArrayLike<number>, { mask }: TokenRow): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < mask.length; i++) if (mask[i] !== 0) [sum, count] = [sum + logprobs[i], count + 1];
  return Math.exp(sum / Math.max(1, count));
}

/** Rows whose log-perplexity is between two quantiles, which leaves out trivial rows and noise. */
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
