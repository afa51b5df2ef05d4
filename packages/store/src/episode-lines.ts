/**
 * @file Reads lines of episodes event by event: many events of a run come again and again, to the letter, and each of these is read and
 * checked once. Where they do not, lines are better read as a whole.
 */

import { type EpisodeEvent, type EpisodeVersions, freeze, type Json } from '@ludus-agents/kernel/internal/core/index';
import { keepPackedText } from './pack.ts';
import { eventProblem, isTextTooDeep, isUsualEvent, versionsProblem } from './records.ts';
import { TextMemo, withoutLine } from './text-memo.ts';

const opening = '{"kind":"episode","id":"';
const closing = ']}';
const head =
  /^\{"kind":"episode","id":"([\w:.-]+)","run":(?:null|"([\w:.-]+)"),(?:"versions":(\{"environment":"[^"\n]*","agents":\{[^{}\n]*\}\}),)?"events":\[(?=\{"kind":")/;
/** Between two events. Inside a text its quotes would be escaped; inside an event it would cut off something that is no JSON. */
const seam = '},{"kind":"';
/** Characters of a line in which its head ends. */
const longestHead = 1000;

interface EpisodeLine {
  readonly id: string;
  readonly run: string | null;
  readonly versions?: EpisodeVersions;
  readonly events: readonly EpisodeEvent[];
}

/** Lines of one section of a file, in which shared values have the same meaning. */
export class EpisodeLines {
  readonly #unpack: (packed: Json) => Json;
  readonly #known = new TextMemo<EpisodeEvent | null>();
  readonly #versions = new TextMemo<EpisodeVersions | null>();
  /** Characters that were looked at, and how many of them were parsed. */
  #seen = 0;
  #parsed = 0;

  /** `unpack` returns a packed value with everything that it shares. */
  constructor(unpack: (packed: Json) => Json) {
    this.#unpack = unpack;
  }

  /**
   * Parses a line in the format that exports write; its events are frozen, and shared by all lines that contain the same. Null for any
   * other line, and for an invalid one: such a line must be parsed as a whole.
   */
  read(line: string): EpisodeLine | null {
    if (this.#isUnlike() || !line.startsWith(opening) || !line.endsWith(closing)) return null;
    const match = head.exec(line.slice(0, longestHead));
    if (match === null) return null;
    const events: EpisodeEvent[] = [];
    for (let from = match[0].length; ; ) {
      const cut = line.indexOf(seam, from);
      const to = cut < 0 ? line.length - closing.length : cut + 1;
      const text = line.slice(from, to);
      // A start names its seed, and seldom comes twice.
      const event = events.length === 0 ? this.#read(text) : this.#known.get(text, this.#readNew, withoutLine);
      if (event === null) return null;
      events.push(event);
      if (cut < 0) break;
      from = to + 1;
    }
    this.#seen += line.length;
    const versions = match[3] === undefined ? undefined : this.#readVersions(match[3]);
    if (versions === null) return null;
    const run = match[2] === undefined ? null : withoutLine(match[2]);
    return { id: withoutLine(match[1]!), run, ...(versions === undefined ? {} : { versions }), events };
  }

  /** Fingerprints from their JSON, the same object for the same text; null if it is invalid. */
  #readVersions(text: string): EpisodeVersions | null {
    return this.#versions.get(
      text,
      (written) => {
        try {
          const read: unknown = JSON.parse(written);
          return versionsProblem(read) === null ? freeze(read as EpisodeVersions) : null;
        } catch {
          return null;
        }
      },
      withoutLine,
    );
  }

  /** Whether most of the text so far was new. */
  #isUnlike(): boolean {
    return this.#parsed > 2 ** 16 && this.#parsed > this.#seen / 2;
  }

  readonly #readNew = (text: string): EpisodeEvent | null => {
    const event = this.#read(text);
    return event === null ? null : keepPackedText(freeze(event));
  };

  /** An event from its JSON; null if it is invalid, or may not be stored. */
  #read(text: string): EpisodeEvent | null {
    this.#parsed += text.length;
    // It is in a list in an object.
    if (isTextTooDeep(`[[${text}]]`)) return null;
    try {
      const packed = JSON.parse(text) as Json;
      // A tilde may be written as an escape.
      const event = text.includes('~') || text.includes('\\u') ? this.#unpack(packed) : packed;
      return isUsualEvent(event) || eventProblem(event, 0) === null ? (event as EpisodeEvent) : null;
    } catch {
      return null;
    }
  }
}
