/**
 * @file Lines of an import, checked and packed: all that is to be done about them without the store. Where anything in them is not as exports
 * write it, nothing is said about it here: then they are read one by one, which says what it is, and on which line.
 */

import { toAddressed } from './append-rules.ts';
import { ImportSection, parseLine, type ReadEpisode, type ReadScores, refuseDepth } from './import-section.ts';
import { Packer, type Shared } from './pack.ts';
import { packAppend } from './pack-append.ts';
import type { Append, ScoreWrite, Write } from './write-batch.ts';

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
  readonly logs: readonly PackedArrival[] | null;
}

/** A log that may be new, with its scores. */
export interface PackedArrival {
  /** Its place in the block. */
  readonly line: number;
  readonly append: Append;
  readonly scores: ScoreWrite['scores'];
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
    let logs: readonly PackedArrival[] | null = null;
    try {
      logs = this.#read(lines);
    } catch {
      // To read the lines one by one finds the same, and its place.
    }
    const parts = this.#parts;
    this.#parts = [];
    return { parts, logs };
  }

  #read(lines: readonly string[]): readonly PackedArrival[] | null {
    const logs = new Map<string, PackedArrival & { scores: ScoreWrite['scores'][number][] }>();
    for (const [line, text] of lines.entries()) {
      const read = this.#readLine(text);
      if (read === null) continue;
      if ('events' in read) {
        const append = packAppend(this.#packer, read.id, 0, read.events, read.run ?? undefined);
        if (append === null || logs.has(read.id)) return null;
        logs.set(read.id, { line, append: { ...append, portion: { ...append.portion, start: null } }, scores: [] });
        continue;
      }
      const log = logs.get(read.episode);
      if (log === undefined) return null;
      for (const score of read.scores) log.scores.push(toAddressed(score));
    }
    return [...logs.values()];
  }

  #readLine(text: string): ReadEpisode | ReadScores | null {
    const usual = this.#section.readUsual(text);
    if (usual !== null) return usual;
    const line = parseLine(text);
    if (line['kind'] === 'episode') return this.#section.readEpisode(line, text);
    refuseDepth(text);
    if (line['kind'] === 'scores') return this.#section.readScores(line);
    if (line['kind'] !== 'value') throw new Error('expected an episode, scores or a shared value');
    this.#section.addValue(line);
    return null;
  }
}

/** The writes of some logs, in the order in which they are to be stored. */
export function writesOf(logs: readonly PackedArrival[]): readonly Write[] {
  return logs.flatMap(({ append, scores }): readonly Write[] =>
    scores.length === 0 ? [append] : [append, { kind: 'scores', episode: append.episode, scores }],
  );
}
