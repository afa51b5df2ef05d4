/**
 * @file Logs that are expected to be new, as rows in database format: values one after the other, in column order. They are created in the
 * thread that packs the logs, so that the storing thread does not have to convert anything.
 */

import type { SQLInputValue } from 'node:sqlite';
import { type Append, appearancesOf, newLog, rowOf, type ScoreWrite } from './log-rows.ts';

/** Rows of some logs. In them a log is named by its number among these: its place is known when it is stored. */
export interface NewRows {
  readonly logs: number;
  readonly events: number;
  /** The values of `newEpisodeColumns`. */
  readonly episodes: readonly SQLInputValue[];
  /** How many events, and their body; one row for each log. */
  readonly chunks: readonly SQLInputValue[];
  readonly appearances: readonly NewAppearances[];
  /** Log, and number among the different scores. */
  readonly scores: readonly number[];
  /** Each once: most logs of a run have the same. */
  readonly differentScores: readonly AddressedScore[];
}

/** Logs with the same agent in them that are alike in all else that a row says of them: these values are bound once for many rows. */
interface NewAppearances {
  /** Agent, status, environment and run. */
  readonly values: readonly SQLInputValue[];
  readonly logs: readonly number[];
}

type AddressedScore = ScoreWrite['scores'][number];

/** All but the place of a log and the time at which it is stored. */
export const newEpisodeColumns = [
  ...(['id', 'run', 'environment', 'status', 'seed', 'events'] as const),
  ...(['begun', 'turns', 'returns', 'casting', 'task', 'versions'] as const),
];

/** Puts rows together, log by log. */
export class NewRowsMaker {
  readonly #episodes: SQLInputValue[] = [];
  readonly #chunks: SQLInputValue[] = [];
  readonly #appearances = new Map<string, NewAppearances & { readonly logs: number[] }>();
  readonly #scores: number[] = [];
  readonly #scoreNumbers = new Map<AddressedScore, number>();
  #logs = 0;
  #events = 0;

  /** Adds a log that begins with this append, and returns its number. */
  addLog(append: Append): number {
    const number = this.#logs++;
    const log = newLog(append);
    const row = rowOf(log) as Record<(typeof newEpisodeColumns)[number], SQLInputValue>;
    for (const column of newEpisodeColumns) this.#episodes.push(row[column]);
    this.#chunks.push(append.portion.count, append.body);
    for (const { agent, status, environment, run } of appearancesOf(log)) this.#addAppearance(number, [agent, status, environment, run]);
    this.#events += append.portion.count;
    return number;
  }

  addScore(log: number, score: AddressedScore): void {
    let number = this.#scoreNumbers.get(score);
    if (number === undefined) {
      number = this.#scoreNumbers.size;
      this.#scoreNumbers.set(score, number);
    }
    this.#scores.push(log, number);
  }

  #addAppearance(log: number, values: readonly (string | null)[]): void {
    const key = JSON.stringify(values);
    const alike = this.#appearances.get(key);
    if (alike === undefined) this.#appearances.set(key, { values, logs: [log] });
    else alike.logs.push(log);
  }

  made(): NewRows {
    return {
      ...{ logs: this.#logs, events: this.#events, episodes: this.#episodes, chunks: this.#chunks },
      ...{ appearances: [...this.#appearances.values()], scores: this.#scores, differentScores: [...this.#scoreNumbers.keys()] },
    };
  }
}
