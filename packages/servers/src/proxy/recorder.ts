/**
 * @file Records calls of external programs as episodes: new input of a seat since its last call is a message of the environment, the
 * model's answer is the seat's action, and the log includes the call with its tokens.
 *
 * Callers do not wait for the disk: records are written a few times a second, and immediately when an episode ends. But unrecordable
 * episodes do not continue: after a failed write of an episode, its next calls are refused. For an open episode only the state of its
 * rules and hashes of its input stay in memory; an idle one is ended.
 */

import { randomBytes } from 'node:crypto';
import { RelayEpisode } from '@ludus-agents/evaluation/internal/conversations/relay-episode';
import type { ChatMessage, EpisodeEvent, JsonObject, Message, ModelCall, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { safely, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeRecorder } from '@ludus-agents/kernel/internal/engine/record';
import { answerOf } from '@ludus-agents/store/internal/exports/words';
import type { Health } from '../health.ts';
import { type RequestRetryOptions, retryingAppends, retryTransient } from '../retry.ts';
import { commonLength, hashOf, tailOf, toSeatMessage } from './reading.ts';
import type { ProxyTarget } from './target.ts';
import { type ProxyRequest, Refused } from './wire.ts';

export interface ProxyRecorderOptions {
  readonly store: Store;
  /** The models behind the proxy, for the record of a run. */
  readonly upstream: string | null;
  /** Idle seconds after which an episode ends. */
  readonly idleSeconds?: number;
  /** How temporary failures of a store are retried. */
  readonly retry?: RequestRetryOptions;
}

/** An episode that is being recorded. */
export interface Open {
  readonly id: string;
  /** Null if the store already has it. */
  readonly run: string | null;
  readonly carried: RelayEpisode;
  /** For each seat, hashes of the messages it has read and written, in order. */
  readonly read: Map<Seat, readonly string[]>;
  /** Notes for the log, written with the next call. */
  notes: Message[];
  readonly recorder: EpisodeRecorder;
  fault: string | null;
  /** Admitted calls without a result, and the time of the last result. */
  busy: number;
  last: number;
}

/** Calls that were answered as one action of a seat. */
export interface Recording {
  readonly place: ProxyTarget;
  readonly calls: readonly ModelCall[];
  /** Computed when written, because it takes time. */
  readonly about: () => JsonObject;
}

/** Unnamed conversations that can be continued. */
const mostTails = 10_000;

/** The maximum number of open episodes; beyond it, the least recently used ones are ended. */
const mostOpen = 10_000;

export class Recorder {
  readonly #store: Store;
  readonly #upstream: string | null;
  readonly #idle: number;
  readonly #retry: RequestRetryOptions;
  readonly #runs = new Map<string, Promise<void>>();
  readonly #open = new Map<string, Promise<Open>>();
  /** The hash of a whole conversation, with its run and seat, and the corresponding episode. */
  readonly #tails = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  /** Events to store once the pending answers are sent. */
  #due: (() => void)[] = [];
  #health: Health = { status: 'healthy' };

  constructor({ store, upstream, idleSeconds = 3600, retry = {} }: ProxyRecorderOptions) {
    this.#store = store;
    this.#upstream = upstream;
    this.#idle = idleSeconds * 1000;
    this.#retry = {
      ...retry,
      failed: (fault) => {
        this.#health = { status: 'degraded', reason: `The store is tried again: ${sentenceOf(fault)}` };
      },
    };
    this.#timer = setInterval(
      safely('Ending idle episodes', () => this.#expire()),
      Math.min(this.#idle, 30_000),
    ).unref();
  }

  /** Whether calls are being recorded, judging by the last one. */
  get health(): Health {
    return this.#health;
  }

  /** The number of open episodes. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * The episode that will record a call, once recording is certain to work. Every admitted call ends in `record` or in `failed`.
   */
  async admit(place: ProxyTarget, { model, prompt: { messages } }: ProxyRequest): Promise<Open> {
    this.#settle();
    const id =
      place.episode === null
        ? (this.#continued(place, messages) ?? idOf(place.run, randomBytes(10).toString('hex')))
        : idOf(place.run, place.episode);
    const open = await this.#opened(id, { ...place, agent: place.agent ?? model });
    if (open.fault !== null) throw new Refused(503, `Episode ${id} can no longer be recorded, so it was stopped: ${open.fault}`);
    if (open.carried.over) throw new Refused(409, `Episode ${id} is over; give the next one another name.`, { code: 'episode_over' });
    if (!open.carried.seats.includes(place.seat))
      throw new Refused(
        409,
        `Episode ${id} was opened with the seats ${open.carried.seats.join(', ')}, not "${place.seat}". List all seats in x-ludus-seats with the first call.`,
      );
    // One answer is reserved for the environment's last message.
    if (open.carried.left <= open.busy + 1)
      throw new Refused(409, `Episode ${id} has reached the maximum number of calls. End it and continue in another.`, {
        code: 'episode_full',
      });
    open.busy++;
    return open;
  }

  /** Records answered calls: after sending the answer, because the caller waits for it, and before anything else. */
  record(open: Open, recording: Recording): void {
    this.#later(open, () => this.#write(open, recording));
  }

  #later(open: Open, work: () => void): void {
    if (this.#due.length === 0) setImmediate(safely('Recording', () => this.#settle()));
    this.#due.push(() => {
      try {
        work();
      } catch (thrown) {
        // A recording failure ends the recording of its episode, not the server.
        open.fault = sentenceOf(thrown);
      }
    });
  }

  #settle(): void {
    const due = this.#due;
    this.#due = [];
    for (const work of due) work();
  }

  #write(open: Open, { place, calls, about }: Recording): void {
    leaveOpen(open);
    // The episode may have been ended in the meantime.
    if (open.carried.over) return;
    const call = calls[0]!;
    const { seat } = place;
    const hashes = call.prompt.messages.map(hashOf);
    const readCount = commonLength(open.read.get(seat) ?? [], hashes);
    const observedMessages = [...open.notes, ...call.prompt.messages.slice(readCount).map((message) => toSeatMessage(seat, message))];
    open.notes = [];
    const read = [...hashes, hashOf(answerOf(call))];
    open.read.set(seat, read);
    if (place.episode === null) this.#remember(tailOf(place, read), open.id);
    const data = { ...about(), ...(call.toolCalls === undefined ? {} : { toolCalls: call.toolCalls }) };
    this.#keep(open, open.carried.turn(seat, observedMessages, { action: { text: call.text, data }, calls }));
  }

  /** A call without a result: a note for readers of the log, written with the next call. */
  failed(open: Open, seat: Seat, sentence: string): void {
    leaveOpen(open);
    open.notes.push({ to: [], text: `A call of ${seat} failed: ${sentence}`.slice(0, 500) });
    // A program may fail for hours, so these notes are short.
    if (open.notes.length > 20) open.notes.splice(10, 1);
  }

  /** Ends an episode and records the rewards of its seats. */
  async end(id: string, rewards?: Readonly<{ [seat: Seat]: number }>): Promise<void> {
    this.#settle();
    const stored = this.#open.has(id) ? null : await this.#asked((store) => store.episode(id));
    if (!this.#open.has(id) && stored === null) throw new Refused(404, `Episode ${id} not found.`);
    if (stored !== null) this.#open.set(id, this.#resumed(id));
    const open = (await this.#open.get(id)) as Open;
    if (open.carried.over) throw new Refused(409, `Episode ${id} has already ended.`, { code: 'episode_over' });
    for (const seat of Object.keys(rewards ?? {}))
      if (!open.carried.seats.includes(seat))
        throw new Refused(400, `Episode ${id} has the seats ${open.carried.seats.join(', ')}, not "${seat}".`);
    await this.#finish(id, open, rewards);
    if (open.fault !== null) throw new Refused(503, `The end of episode ${id} could not be recorded: ${open.fault}`);
  }

  /** Ends every episode and waits for the disk. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#settle();
    await Promise.all(
      [...this.#open].map(async ([id, opened]) => {
        const open = await opened.catch(() => null);
        if (open !== null) await this.#finish(id, open);
      }),
    );
  }

  async #finish(id: string, open: Open, rewards?: Readonly<{ [seat: Seat]: number }>): Promise<void> {
    if (!open.carried.over) this.#keep(open, open.carried.end(open.notes.splice(0), rewards));
    // Reading must see earlier writes, so the store does not wait to batch the commit.
    await this.#store.episode(id).catch(() => null);
    await open.recorder.flush().catch(() => {});
    this.#open.delete(id);
  }

  /** Passes events to the store, which batches writes. */
  #keep(open: Open, events: readonly EpisodeEvent[]): void {
    open.last = performance.now();
    if (open.fault === null) open.recorder.append(events);
  }

  #opened(id: string, place: ProxyTarget): Promise<Open> {
    const existing = this.#open.get(id);
    if (existing !== undefined) {
      // The map is ordered from the least to the most recently used.
      this.#open.delete(id);
      this.#open.set(id, existing);
      return existing;
    }
    if (this.#open.size > mostOpen * 1.1) this.#expire();
    const opening =
      place.episode === null
        ? this.#begun(id, place)
        : this.#asked((store) => store.episode(id)).then((stored) => (stored === null ? this.#begun(id, place) : this.#resumed(id)));
    this.#open.set(id, opening);
    opening.catch(() => this.#open.delete(id));
    return opening;
  }

  async #begun(id: string, { run, seat, agent, seats, episode }: ProxyTarget): Promise<Open> {
    await this.#running(run);
    const about = { task: { run, episode: episode ?? id.slice(run.length + 1) } };
    const { carried, events } = RelayEpisode.open({
      seats: seats ?? [seat],
      cast: { [seat]: agent ?? seat },
      world: 'proxy',
      about,
      seed: 0,
    });
    const open = this.#tracked({ id, run, carried, read: new Map() }, 0);
    this.#later(open, () => this.#keep(open, events));
    return open;
  }

  /** An episode recorded earlier, by this process or another. */
  async #resumed(id: string): Promise<Open> {
    const log = await this.#asked((store) => store.events(id));
    const read = new Map<Seat, readonly string[]>();
    for (const event of log) {
      if (event.kind !== 'action' || event.calls === undefined) continue;
      const call = event.calls[0]!;
      read.set(event.seat, [...call.prompt.messages.map(hashOf), hashOf(answerOf(call))]);
    }
    return this.#tracked({ id, run: null, carried: RelayEpisode.resume(log), read }, log.length);
  }

  /** An open episode whose log the store has `from` events of. */
  #tracked(of: Pick<Open, 'id' | 'run' | 'carried' | 'read'>, from: number): Open {
    const recorder = new EpisodeRecorder({
      store: retryingAppends(this.#store, this.#retry),
      episode: of.id,
      run: of.run ?? undefined,
      from,
      ahead: true,
      onStored: () => {
        this.#health = { status: 'healthy' };
      },
      onFailure: (thrown) => {
        open.fault ??= sentenceOf(thrown);
        this.#health = { status: 'degraded', reason: `Episode ${of.id} could not be recorded: ${sentenceOf(thrown)}` };
      },
    });
    const open: Open = { ...of, recorder, notes: [], fault: null, busy: 0, last: performance.now() };
    return open;
  }

  /** Calls the store, and retries temporary failures. */
  #asked<T>(ask: (store: Store) => Promise<T>): Promise<T> {
    return retryTransient(() => ask(this.#store), this.#retry);
  }

  #running(run: string): Promise<void> {
    const existing = this.#runs.get(run);
    if (existing !== undefined) return existing;
    const plan = { name: run, environments: [], seeds: [], casts: [] };
    const record = { id: run, plan, episodes: 0, work: { kind: 'proxy', upstream: this.#upstream } };
    const put = this.#asked((store) => store.putRun(record));
    this.#runs.set(run, put);
    put.catch(() => this.#runs.delete(run));
    return put;
  }

  /** The episode whose conversation these messages continue with, if it has no name. */
  #continued(place: ProxyTarget, messages: readonly ChatMessage[]): string | undefined {
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

  /** Ends idle episodes, and the oldest ones if there are too many. */
  #expire(): void {
    const before = performance.now() - this.#idle;
    let over = this.#open.size - mostOpen;
    for (const [id, opening] of this.#open) {
      const spare = over-- > 0;
      opening.then((open) => (open.busy === 0 && (spare || open.last < before) ? this.#finish(id, open) : undefined)).catch(() => {});
    }
  }
}

/** The id of an episode in the store. */
export function idOf(run: string, episode: string): string {
  return `${run}.${episode}`;
}

function leaveOpen(open: Open): void {
  open.busy--;
  open.last = performance.now();
}
