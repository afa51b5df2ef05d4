/** @file A section of an import: reads its lines into checked values. Lines of one section may refer to the shared values in it. */

import type { EpisodeEvent, EpisodeVersions, Json, JsonObject, Score } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeLines } from './episode-lines.ts';
import { addressOf, type Hole, holesIn, type Piece, Unpacker } from './pack.ts';
import { deepest, eventProblem, isTextTooDeep, isUsualEvent, scoreProblem, versionsProblem } from './records.ts';
import { readScoreLine } from './score-lines.ts';

export interface ReadEpisode {
  readonly id: string;
  readonly run: string | null;
  readonly versions?: EpisodeVersions;
  readonly events: readonly EpisodeEvent[];
}

export interface ReadScores {
  readonly episode: string;
  readonly scores: readonly Score[];
}

export class ImportSection {
  readonly #pieces = new Map<string, Piece>();
  readonly #unpacker = new Unpacker((address) => this.#pieces.get(address));
  readonly #lines = new EpisodeLines((packed) => this.#unpacker.unpack(packed));

  /** An episode or scores from a line that is written as exports write it; null for any other, which has to be read as a whole. */
  readUsual(text: string): ReadEpisode | ReadScores | null {
    return readScoreLine(text) ?? this.#lines.read(text);
  }

  addValue({ hash: address, parent = null, part = null }: JsonObject): void {
    if (parent !== null && typeof parent !== 'string') throw new Error('expected the hash of the value before this one, or null');
    if (typeof address !== 'string' || addressOf(parent, JSON.stringify(part)) !== address)
      throw new Error(`expected the value with the hash ${String(address).slice(0, 12)}…, but the hash differs, so the line was changed`);
    this.#pieces.set(address, { parent, part });
  }

  readEpisode(record: JsonObject, text: string): ReadEpisode {
    const { id, run = null, versions, events } = record;
    if (typeof id !== 'string' || !Array.isArray(events)) throw new Error('expected an episode with an id and events');
    if (run !== null && typeof run !== 'string') throw new Error('expected the id of a run, or null');
    if (versions !== undefined) refuse(versionsProblem(versions));
    const log = this.#unpack(record, text);
    for (let i = 0; i < log.length; i++) if (!isUsualEvent(log[i])) refuse(eventProblem(log[i], i));
    return {
      id,
      run: run as string | null,
      ...(versions === undefined ? {} : { versions: versions as EpisodeVersions }),
      events: log,
    };
  }

  readScores({ episode, scores }: JsonObject): ReadScores {
    if (typeof episode !== 'string' || !Array.isArray(scores)) throw new Error('expected the scores of an episode');
    for (const score of scores) refuse(scoreProblem(score));
    return { episode, scores: scores };
  }

  /** The events with their shared values. One walk finds references and depth; unusual values are checked further. */
  #unpack(record: JsonObject, text: string): readonly EpisodeEvent[] {
    const events = record['events'] as Json[];
    const holes: Hole[] = [];
    const isUsual = Object.keys(record).length === ('versions' in record ? 5 : 4) && 'run' in record;
    if (!isUsual || !holesIn(events, holes, deepest - 1)) {
      refuseDepth(text);
      return this.#unpacker.unpack(events) as EpisodeEvent[];
    }
    for (const hole of holes) this.#unpacker.fill(hole);
    return events as EpisodeEvent[];
  }
}

export function refuse(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}

export function parseLine(text: string): JsonObject {
  let line: Json;
  try {
    line = JSON.parse(text);
  } catch {
    throw new Error(`expected a JSON object, but found ${JSON.stringify(text.slice(0, 40))}`);
  }
  if (line === null || typeof line !== 'object' || Array.isArray(line))
    throw new Error(`expected a JSON object, but found ${text.slice(0, 40)}`);
  return line as JsonObject;
}

export function refuseDepth(text: string): void {
  if (isTextTooDeep(text)) throw new Error(`expected JSON of at most ${deepest} levels, but this line nests deeper`);
}
