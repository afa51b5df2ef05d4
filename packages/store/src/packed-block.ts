/**
 * @file Lines of an import, checked and packed: all work that does not need the store. If a line is not in the exported format, it is not
 * reported here: the lines are then parsed one by one, which reports the error with its line number.
 */

import type { EpisodeEvent, EpisodeVersions } from '@ludus-agents/kernel/internal/core/index';
import { checkName, portionOf, toAddressed } from './append-rules.ts';
import { ImportSection, parseLine, type ReadEpisode, type ReadScores, refuseDepth } from './import-section.ts';
import type { Append } from './log-rows.ts';
import { type NewRows, NewRowsMaker } from './new-rows.ts';
import { Packer, type Shared } from './pack.ts';

/** An append in stored form: validated and packed. It can be created in any thread. Null if there is nothing to append. */
export function packAppend(
  packer: Packer,
  episode: string,
  index: number,
  events: readonly EpisodeEvent[],
  run: string | undefined,
  versions: EpisodeVersions | undefined,
): Append | null {
  const portion = portionOf(episode, index, events);
  if (run !== undefined) checkName('A run', run);
  if (portion.count === 0) return null;
  const body = packer.packAll(events, (i) => `event ${index + i}`);
  return { kind: 'append', episode, run: run ?? null, portion, body, opening: openingOf(packer, portion.start, versions) };
}

function openingOf(packer: Packer, start: Append['portion']['start'], versions: EpisodeVersions | undefined): Append['opening'] {
  if (start === null) return null;
  const { environment, seed, cast, task } = start;
  return {
    environment,
    seed,
    casting: JSON.stringify(cast),
    task: packer.pack(task, 'task'),
    versions: versions === undefined ? null : JSON.stringify(versions),
  };
}

/** Lines that follow each other in a file. */
export interface ImportBlock {
  /** The number of the first. */
  readonly from: number;
  readonly lines: readonly string[];
  readonly size: number;
  /** Whether there are only episodes, scores and shared values in it. */
  readonly isPlain: boolean;
}

export interface PackedBlock {
  /** Needed by these logs or by later ones: they are stored even where the block is read line by line. */
  readonly parts: readonly Shared[];
  readonly logs: PackedLogs | null;
}

/** Logs that may be new, with their scores. */
export interface PackedLogs {
  /** The place of the first in the block. */
  readonly line: number;
  readonly rows: NewRows;
}

/** Packs the blocks of a file that come to one thread. */
export class BlockPacker {
  #section = new ImportSection();
  #parts: Shared[] = [];
  readonly #packer = new Packer((shared) => this.#parts.push(shared));

  /** Shared values of a block that is packed elsewhere. One that is wrong is not known here: to read that block refuses it. */
  learn(lines: readonly string[]): void {
    for (const line of lines)
      try {
        refuseDepth(line);
        this.#section.addValue(parseLine(line));
      } catch {
        // A block that needs it is read line by line.
      }
  }

  /** No value from before is referred to again. */
  forget(): void {
    this.#section = new ImportSection();
  }

  pack(lines: readonly string[]): PackedBlock {
    if (this.#packer.size > 2 ** 24) this.#packer.forget();
    let logs: PackedLogs | null = null;
    try {
      logs = this.#read(lines);
    } catch {
      // To read the lines one by one finds the same, and its place.
    }
    const parts = this.#parts;
    this.#parts = [];
    return { parts, logs };
  }

  #read(lines: readonly string[]): PackedLogs | null {
    const rows = new NewRowsMaker();
    const numbers = new Map<string, number>();
    let first: number | null = null;
    for (const [line, text] of lines.entries()) {
      const read = this.#readLine(text);
      if (read === null) continue;
      if ('events' in read) {
        const append = packAppend(this.#packer, read.id, 0, read.events, read.run ?? undefined, read.versions);
        if (append === null || numbers.has(read.id)) return null;
        numbers.set(read.id, rows.addLog(append));
        first ??= line;
        continue;
      }
      const number = numbers.get(read.episode);
      if (number === undefined) return null;
      for (const score of read.scores) rows.addScore(number, toAddressed(score));
    }
    return { line: first ?? 0, rows: rows.made() };
  }

  #readLine(text: string): ReadEpisode | ReadScores | null {
    const usual = this.#section.readUsual(text);
    if (usual !== null) return usual;
    const line = parseLine(text);
    if (line['kind'] === 'episode') return this.#section.readEpisode(line, text);
    refuseDepth(text);
    if (line['kind'] === 'scores') return this.#section.readScores(line);
    if (line['kind'] !== 'value') throw new Error('expected an episode, scores, or a shared value');
    this.#section.addValue(line);
    return null;
  }
}
