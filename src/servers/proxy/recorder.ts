/**
 * @file Calls of outside programs as episodes: what came to a seat since its last call is what the world told it, what its model answered is
 * its action, and the call itself stands in the log with its tokens.
 *
 * A caller does not wait for the disk. But nothing goes on that cannot be recorded: once a record of an episode has failed, its next calls
 * are refused. Of an open episode only the state of its rules and hashes of what was read are held; one that nobody has called for a while
 * is ended.
 */

import { createHash, randomBytes } from 'node:crypto';
import { Carried } from '../../company/carried.ts';
import {
  type ChatMessage,
  canonical,
  type EpisodeEvent,
  type Json,
  type JsonObject,
  type Message,
  type ModelCall,
  type Seat,
  type Store,
  sentenceOf,
} from '../../core/index.ts';
import { argumentsIn as argumentsOf } from '../../models/openai.wire.ts';
import type { Place } from './place.ts';
import { Refused } from './wire.ts';

export interface RecorderOptions {
  readonly store: Store;
  /** What stands behind the door, for the record of a run. */
  readonly upstream: string | null;
  /** Seconds without a call after which an episode is over. */
  readonly idleSeconds?: number;
}

/** An episode that is being recorded. */
interface Open {
  readonly id: string;
  readonly carried: Carried;
  /** For each seat, hashes of the messages it has read and written, in order. */
  readonly read: Map<Seat, readonly string[]>;
  /** What the log should tell besides, with the next call. */
  notes: Message[];
  /** Writes in their order; it never rejects. */
  line: Promise<void>;
  fault: string | null;
  last: number;
}

/** A call and where it belongs. */
export interface Recording {
  readonly place: Place;
  readonly calls: readonly ModelCall[];
  readonly about: JsonObject;
}

/** Conversations without a name that can be gone on with. */
const mostTails = 10_000;

export class Recorder {
  readonly #store: Store;
  readonly #upstream: string | null;
  readonly #idle: number;
  readonly #runs = new Map<string, Promise<void>>();
  readonly #open = new Map<string, Promise<Open>>();
  /** Hash of a whole conversation, with its run and seat, and the episode it is. */
  readonly #tails = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;

  constructor({ store, upstream, idleSeconds = 3600 }: RecorderOptions) {
    this.#store = store;
    this.#upstream = upstream;
    this.#idle = idleSeconds * 1000;
    this.#timer = setInterval(() => this.#expire(), Math.min(this.#idle, 30_000)).unref();
  }

  /** How many episodes are open. */
  get size(): number {
    return this.#open.size;
  }

  /** The episode that a call will be recorded in, once it is known that it can be. */
  async admit(place: Place, messages: readonly ChatMessage[]): Promise<string> {
    const id =
      place.episode === null ? (this.#continued(place, messages) ?? randomBytes(10).toString('hex')) : `${place.run}.${place.episode}`;
    const open = await this.#opened(id, place);
    if (open.fault !== null) throw new Refused(503, `Episode ${id} cannot be recorded any more, so nothing goes on in it: ${open.fault}`);
    if (open.carried.over) throw new Refused(409, `Episode ${id} is over; give the next one another name.`, { code: 'episode_over' });
    if (!open.carried.seats.includes(place.seat))
      throw new Refused(
        409,
        `Episode ${id} was opened with the seats ${open.carried.seats.join(', ')}, not "${place.seat}"; name all of them in x-ludus-seats with the first call.`,
      );
    return id;
  }

  /** Records calls that were answered, as one action of the seat; the promise is for tests and for closing. */
  record(id: string, { place, calls, about }: Recording): Promise<void> {
    const call = calls[0] as ModelCall;
    return this.#write(id, (open) => {
      const { seat } = place;
      const before = open.read.get(seat) ?? [];
      const hashes = call.prompt.messages.map(hashOf);
      const known = commonLength(before, hashes);
      const told = [...open.notes, ...call.prompt.messages.slice(known).map((message) => toldTo(seat, message))];
      open.notes = [];
      const answer: ChatMessage = {
        role: 'assistant',
        content: call.text,
        ...(call.toolCalls === undefined ? {} : { toolCalls: call.toolCalls }),
      };
      const read = [...hashes, hashOf(answer)];
      open.read.set(seat, read);
      if (place.episode === null) this.#remember(tailOf(place, read), id);
      const data = { ...about, ...(call.toolCalls === undefined ? {} : { toolCalls: call.toolCalls as unknown as JsonObject[] }) };
      return open.carried.turn(seat, told, { action: { text: call.text, data }, calls });
    });
  }

  /** A call that came to nothing: a note for whoever reads the log, told with the next call. */
  async failed(id: string, seat: Seat, sentence: string): Promise<void> {
    const open = await this.#open.get(id);
    if (open === undefined) return;
    open.notes.push({ to: [], text: `A call of ${seat} failed: ${sentence}`.slice(0, 500) });
    // Somebody may fail for hours; what is told of it stays short.
    if (open.notes.length > 20) open.notes.splice(10, 1);
  }

  /** Ends an episode and pays its seats. */
  async end(id: string, rewards?: Readonly<{ [seat: Seat]: number }>): Promise<void> {
    const stored = this.#open.has(id) ? null : await this.#store.episode(id);
    if (!this.#open.has(id) && stored === null) throw new Refused(404, `There is no episode ${id}.`);
    if (stored !== null) this.#open.set(id, this.#resumed(id));
    const open = (await this.#open.get(id)) as Open;
    if (open.carried.over) throw new Refused(409, `Episode ${id} is over already.`, { code: 'episode_over' });
    for (const seat of Object.keys(rewards ?? {}))
      if (!open.carried.seats.includes(seat))
        throw new Refused(400, `Episode ${id} has the seats ${open.carried.seats.join(', ')}, not "${seat}".`);
    await this.#finish(id, open, rewards);
    if (open.fault !== null) throw new Refused(503, `The end of episode ${id} could not be recorded: ${open.fault}`);
  }

  /** Ends every episode and waits for the disk. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(
      [...this.#open].map(async ([id, opened]) => {
        const open = await opened.catch(() => null);
        if (open !== null) await this.#finish(id, open);
      }),
    );
  }

  async #finish(id: string, open: Open, rewards?: Readonly<{ [seat: Seat]: number }>): Promise<void> {
    await this.#write(id, () => (open.carried.over ? [] : open.carried.end(open.notes.splice(0), rewards)));
    this.#open.delete(id);
  }

  /** Events are made in the order of the writes, and written one after the other. */
  async #write(id: string, make: (open: Open) => readonly EpisodeEvent[]): Promise<void> {
    const open = await this.#open.get(id);
    if (open === undefined) return;
    open.last = Date.now();
    open.line = open.line.then(async () => {
      if (open.fault !== null || open.carried.over) return;
      const index = open.carried.events;
      try {
        const events = make(open);
        if (events.length > 0) await this.#store.append(open.id, index, events);
      } catch (thrown) {
        open.fault = sentenceOf(thrown);
      }
    });
    await open.line;
  }

  #opened(id: string, place: Place): Promise<Open> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const opening =
      place.episode === null
        ? this.#begun(id, place)
        : this.#store.episode(id).then((stored) => (stored === null ? this.#begun(id, place) : this.#resumed(id)));
    this.#open.set(id, opening);
    opening.catch(() => this.#open.delete(id));
    return opening;
  }

  async #begun(id: string, { run, seat, seats, episode }: Place): Promise<Open> {
    const about = { task: { run, episode: episode ?? id } };
    const { carried, events } = Carried.open({ seats: seats ?? [seat], cast: {}, world: 'proxy', about, seed: 0 });
    const open: Open = { id, carried, read: new Map(), notes: [], line: Promise.resolve(), fault: null, last: Date.now() };
    open.line = this.#running(run)
      .then(() => this.#store.append(id, 0, events, run))
      .catch((thrown: unknown) => {
        open.fault = sentenceOf(thrown);
      });
    return open;
  }

  /** An episode that was recorded before, by this process or another. */
  async #resumed(id: string): Promise<Open> {
    const log = await this.#store.events(id);
    const read = new Map<Seat, readonly string[]>();
    for (const event of log) {
      if (event.kind !== 'action' || event.calls === undefined) continue;
      const call = event.calls[0] as ModelCall;
      const answer: ChatMessage = {
        role: 'assistant',
        content: call.text,
        ...(call.toolCalls === undefined ? {} : { toolCalls: call.toolCalls }),
      };
      read.set(event.seat, [...call.prompt.messages.map(hashOf), hashOf(answer)]);
    }
    return { id, carried: Carried.resume(log), read, notes: [], line: Promise.resolve(), fault: null, last: Date.now() };
  }

  #running(run: string): Promise<void> {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const plan = { name: run, environments: [], seeds: [], casts: [] };
    const put = this.#store.putRun({ id: run, plan, episodes: 0, work: { kind: 'proxy', upstream: this.#upstream } });
    this.#runs.set(run, put);
    put.catch(() => this.#runs.delete(run));
    return put;
  }

  /** The episode whose conversation these messages go on with, if it has no name. */
  #continued(place: Place, messages: readonly ChatMessage[]): string | undefined {
    const hashes = messages.map(hashOf);
    for (let length = messages.length - 1; length > 0; length--) {
      if (messages[length - 1]?.role !== 'assistant') continue;
      const id = this.#tails.get(tailOf(place, hashes.slice(0, length)));
      if (id !== undefined && this.#open.has(id)) return id;
    }
    return undefined;
  }

  #remember(tail: string, id: string): void {
    this.#tails.set(tail, id);
    if (this.#tails.size > mostTails) this.#tails.delete(this.#tails.keys().next().value as string);
  }

  #expire(): void {
    const before = Date.now() - this.#idle;
    for (const [id, opened] of this.#open) opened.then((open) => (open.last < before ? this.#finish(id, open) : undefined)).catch(() => {});
  }
}

/** A message of a prompt as the world tells it. */
function toldTo(seat: Seat, { role, content, name, toolCalls, toolCallId }: ChatMessage): Message {
  const data = {
    role,
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls as unknown as JsonObject[] }),
  };
  return { to: [seat], text: content, data };
}

/** Arguments that are the same JSON are the same, however they are written: a program hands them back with its own blanks. */
function hashOf({ role, content, name, toolCalls, toolCallId }: ChatMessage): string {
  const calls = toolCalls?.map((call) => [call.id, call.name, canonical(argumentsIn(call.arguments))]);
  return digest(JSON.stringify([role, content, name ?? null, calls ?? null, toolCallId ?? null]));
}

function argumentsIn(given: Json): Json {
  return typeof given === 'string' ? argumentsOf(given) : given;
}

function tailOf({ run, seat }: Place, hashes: readonly string[]): string {
  return digest([run, seat, ...hashes].join(' '));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
