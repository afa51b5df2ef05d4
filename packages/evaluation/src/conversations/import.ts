/**
 * @file Imports external conversations into a store: the format is detected from the file, and every conversation becomes an episode.
 */

import { basename } from 'node:path';
import type { EpisodeEvent, EpisodeRecord, Json, JsonObject, Message, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { type ImportCounts, importJsonl } from '@ludus-agents/store/internal/import-jsonl';
import { itemsIn, readerOf, readers, type Transcript, type TranscriptLine } from '@ludus-agents/store/internal/imports/index';
import { testedSeats } from '../scoring/evaluation/index.ts';
import { redactTranscript } from './redact.ts';
import { mostTurns, RelayEpisode } from './relay-episode.ts';

export interface ImportSource {
  /** The file name as given. */
  readonly file: string;
  readonly licence?: string | undefined;
  /** Personal data is redacted first, including these words, such as names. */
  readonly redact?: readonly string[] | undefined;
}

export interface ImportReport extends ImportCounts {
  /** The detected formats, and the number of conversations in each. */
  readonly formats: Readonly<Record<string, number>>;
  readonly run: string | null;
  readonly left: Readonly<Record<string, number>>;
  /** Episodes that the run has from an earlier import and that are not in this file, if any. */
  readonly others?: number;
  /** Episodes stored by an earlier edition with a reward of 0 although the file has none: they count as missing now. */
  readonly corrected?: number;
  /** The number of redacted values. */
  readonly redacted?: number;
}

/** Reads lines of any known format into a store. A repeated import only corrects errors of earlier editions. */
export async function importAny(store: Store, lines: AsyncIterable<string>, origin: ImportSource): Promise<ImportReport> {
  const reading = lines[Symbol.asyncIterator]();
  let first = await reading.next();
  const before: string[] = [];
  while (first.done !== true && first.value.trim() === '') {
    before.push(first.value);
    first = await reading.next();
  }
  if (first.done === true) throw new Fault('input', `${origin.file} is empty, so there is nothing to import.`);
  const rest = { [Symbol.asyncIterator]: () => reading };
  const opened = parseOrUndefined(first.value);
  if (isObject(opened) && opened['kind'] === 'ludus')
    return { ...(await importJsonl(store, after([...before, first.value], rest))), formats: { ludus: 1 }, run: null, left: {} };
  const intake = new Intake(store, origin);
  if (isObject(opened)) {
    // A whole document may be on one line; then the file has no other lines.
    let number = before.length + 1;
    for (const item of itemsIn(opened)) await intake.take(item, `line ${number}`);
    for await (const line of rest) {
      number++;
      if (line.trim() !== '') await intake.take(lineOf(line, number), `line ${number}`);
    }
  } else {
    const text = [first.value];
    for await (const line of rest) text.push(line);
    let item = 0;
    for (const conversation of itemsIn(documentOf(text.join('\n'), origin.file))) await intake.take(conversation, `item ${++item}`);
  }
  return intake.finish();
}

async function* after(first: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield* first;
  yield* rest;
}

/** Imports conversations into a store. */
class Intake {
  readonly #store: Store;
  readonly #origin: ImportSource;
  readonly #counts = { runs: 0, specs: 0, episodes: 0, continued: 0, skipped: 0, events: 0, scores: 0 };
  readonly #formats: Record<string, number> = {};
  readonly #left: Record<string, number> = {};
  readonly #run: string;
  /** Conversations of the file that the run has from an earlier import. */
  readonly #again = new Set<string>();
  #index = 0;
  #corrected = 0;
  #redacted = 0;

  constructor(store: Store, origin: ImportSource) {
    this.#store = store;
    this.#origin = origin;
    this.#run = `import-${
      basename(origin.file)
        .replace(/\.[a-z]+$/i, '')
        .replace(/[^\w.-]+/g, '-') || 'input'
    }`;
  }

  async take(item: Json, at: string): Promise<void> {
    const reader = isObject(item) ? readerOf(item) : null;
    if (reader === null)
      throw new Fault(
        'input',
        `${this.#origin.file}: ${at} has an unknown format (known: ludus, ${readers.map(({ name }) => name).join(', ')}). It starts with ${JSON.stringify(item).slice(0, 60)}.`,
        { code: 'E_INVALID_DOCUMENT' },
      );
    let transcript: Transcript;
    try {
      transcript = reader.read(item as JsonObject, this.#index++);
    } catch (thrown) {
      throw new Fault('input', `${this.#origin.file}: ${at} (${reader.name}): ${sentenceOf(thrown)}`, { cause: thrown });
    }
    if (this.#origin.redact !== undefined) {
      const { transcript: clean, replaced } = redactTranscript(transcript, this.#origin.redact);
      transcript = clean;
      this.#redacted += replaced;
    }
    const spokenLength = transcript.lines.filter((line) => line.kind === 'said').length;
    if (spokenLength >= mostTurns)
      throw new Fault(
        'input',
        `${this.#origin.file}: ${at} has ${spokenLength} turns, but an episode must have fewer than ${mostTurns}. Split it.`,
      );
    for (const why of transcript.left ?? []) this.#left[why] = (this.#left[why] ?? 0) + 1;
    this.#formats[reader.name] = (this.#formats[reader.name] ?? 0) + 1;
    await this.#add(reader.name, transcript);
  }

  async finish(): Promise<ImportReport> {
    const tallies = this.#counts.episodes === 0 ? [] : await this.#store.tally({ run: this.#run });
    const others = tallies.reduce((sum, { count }) => sum + count, 0) - this.#counts.episodes - this.#again.size;
    return {
      ...this.#counts,
      formats: this.#formats,
      run: this.#counts.episodes > 0 ? this.#run : null,
      left: this.#left,
      ...(others > 0 ? { others } : {}),
      ...(this.#corrected > 0 ? { corrected: this.#corrected } : {}),
      ...(this.#origin.redact === undefined ? {} : { redacted: this.#redacted }),
    };
  }

  /** An episode is named by its content, so importing a file again adds nothing. */
  async #add(format: string, transcript: Transcript): Promise<void> {
    const { file, licence } = this.#origin;
    const source = { format, file: basename(file), ...(licence === undefined ? {} : { licence }) };
    const events = toEpisodeEvents(transcript, source);
    const { pass: _, ...content } = transcript;
    const named = hash([format, content]).slice(0, 20);
    const first = await this.#store.episode(named);
    // A conversation that is also in another file counts in both runs.
    const id = first === null || first.run === this.#run ? named : hash([format, content, this.#run]).slice(0, 20);
    const stored = first?.run === this.#run ? first : await this.#store.episode(id);
    if (stored !== null) {
      this.#counts.skipped++;
      this.#again.add(id);
      await this.#correct(stored, transcript);
      return;
    }
    if (this.#counts.episodes === 0) await this.#begin(source);
    await this.#store.append(id, 0, events, this.#run);
    const scores = transcript.scores ?? [];
    if (scores.length > 0) await this.#store.putScores(id, scores);
    this.#counts.episodes++;
    this.#counts.events += events.length;
    this.#counts.scores += scores.length;
  }

  /** An earlier edition stored a reward of 0 for conversations without a reward. A missing reward must not become a score. */
  async #correct(record: EpisodeRecord, { rewards = {} }: Transcript): Promise<void> {
    const { id, task } = record;
    const about = (task as { readonly world?: JsonObject | null } | null)?.world;
    if (Array.isArray(about?.['rewarded'])) return;
    const existing = await this.#store.scores(id);
    const isCorrected = (seat: Seat) => existing.some((score) => score.name === 'return' && score.seat === seat && score.value === null);
    const seats = testedSeats(record).filter((seat) => rewards[seat] === undefined && !isCorrected(seat));
    if (seats.length === 0) return;
    await this.#store.putScores(
      id,
      seats.map((seat) => ({
        ...{ name: 'return', value: null, status: 'not-applicable', seat, evidence: [] },
        ...{ reason: 'The file has no reward for this seat.', cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 } },
      })),
    );
    this.#corrected++;
  }

  async #begin(source: JsonObject): Promise<void> {
    if ((await this.#store.run(this.#run)) !== null) return;
    const plan = { name: this.#run, environments: [], seeds: [], casts: [] };
    await this.#store.putRun({ id: this.#run, plan, episodes: 0, work: { kind: 'import', source } });
    this.#counts.runs++;
  }
}

/** The log of a conversation: before a seat speaks, the world sends it the messages that it has not received yet. */
function toEpisodeEvents(transcript: Transcript, source: JsonObject): readonly EpisodeEvent[] {
  const { seats, cast, task, trial, lines, tools, rewards, pass } = transcript;
  const about = { source, task, rewarded: Object.keys(rewards ?? {}), ...(pass === undefined ? {} : { pass }) };
  const { carried, events } = RelayEpisode.open({ seats, cast, world: `import:${source['format']}`, about, seed: trial });
  const log = [...events];
  const unheard = new Map<Seat, Message[]>(seats.map((seat) => [seat, []]));
  let offered = tools;
  for (const line of lines) {
    for (const message of messagesOf(line)) {
      const data = { ...(message.data as JsonObject), ...(offered === undefined ? {} : { tools: offered }) };
      if (message.to.includes(seats[0])) offered = undefined;
      for (const seat of message.to) unheard.get(seat)?.push({ ...message, to: [seat], data });
    }
    if (line.kind === 'told') continue;
    const messages = unheard.get(line.seat) ?? [];
    unheard.set(line.seat, []);
    const { toolCalls, weight } = line;
    const marks = { ...(toolCalls !== undefined && { toolCalls }), ...(weight !== undefined && { weight }) };
    const data = Object.keys(marks).length === 0 ? {} : { data: marks };
    log.push(...carried.turn(line.seat, messages, { action: { text: line.text, ...data } }));
  }
  log.push(...carried.end([...unheard.values()].flat(), rewards));
  return log;
}

/** A line as other seats read it: a seat's text becomes a user message; messages of the environment keep their role. */
function messagesOf(line: TranscriptLine): readonly Message[] {
  if (line.kind === 'said') return line.to.map((seat) => ({ to: [seat], from: line.seat, text: line.text, data: { role: 'user' } }));
  const { to, text, role, toolCallId, name } = line;
  const data = { role, ...(toolCallId === undefined ? {} : { toolCallId }), ...(name === undefined ? {} : { name }) };
  return [{ to, text, data }];
}

function parseOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function lineOf(text: string, number: number): Json {
  const value = parseOrUndefined(text);
  if (value === undefined)
    throw new Fault('input', `Line ${number}: expected a JSON object, but found ${JSON.stringify(text.slice(0, 40))}.`);
  return value;
}

function documentOf(text: string, file: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new Fault('input', `${file} is neither JSON Lines nor a JSON document: ${sentenceOf(thrown)}.`);
  }
}
