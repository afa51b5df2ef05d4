/**
 * @file Episodes played by this server: stored event by event, regardless of viewers.
 *
 * The settings of an episode (environment, task, seed, cast, origin of a branch) are in a journal of the store before its first event.
 * So after a crash, a new server resumes open episodes from their logs; a page only reads stored data. Only entries with
 * the mark of this installation are resumed: a journal may have been imported, and data is never an order.
 */

import { randomBytes, randomInt } from 'node:crypto';
import { standIn } from '@ludus-agents/agents/internal/kinds';
import { once } from '@ludus-agents/agents/internal/once';
import { isPath, resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { castFrom, castOfEntry, putCastSpecs, readCast, studioRun, trustOf } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Agent, AgentSpec, AnyEnvironment, EpisodeEvent, Json, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, pause, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { type Playing as EpisodeStream, fork, play, resume } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { AnswerRequest, ForkRequest, PlayRequest, StartedGame } from './api.ts';
import { EpisodeJournal, type LiveEpisode } from './episode-journal.ts';
import { answerProblem, createSeatAgent, isPerson, Person, specOf } from './seat-agents.ts';

/** Notifications by name: waiters get the next one, or none when the server closes. */
export class Notifier {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  ring(name: string): void {
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves at the next notification, or after this many milliseconds. */
  heard(name: string, within: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
        resolve();
      };
      const timer = setTimeout(wake, within);
      timer.unref();
      const waiting = this.#waiting.get(name) ?? new Set();
      waiting.add(wake);
      this.#waiting.set(name, waiting);
    });
  }

  /** The number of awaited names. */
  get size(): number {
    return this.#waiting.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    for (const name of [...this.#waiting.keys()]) this.ring(name);
  }
}

interface Playing {
  readonly entry: LiveEpisode;
  readonly people: ReadonlyMap<Seat, Person>;
  readonly off: AbortController;
  done: Promise<void>;
}

export class LiveEpisodes {
  /** Notifies waiters of an episode when its log has grown. */
  readonly notifier = new Notifier();
  readonly #store: Store;
  readonly #place: WorkingFolder;
  readonly #journal: EpisodeJournal;
  readonly #playing = new Map<string, Playing>();
  #closing = false;

  constructor(store: Store, place: WorkingFolder) {
    this.#store = store;
    this.#place = place;
    this.#journal = new EpisodeJournal(store, place);
  }

  /** Reads the earlier episodes of this stage, and resumes interrupted ones. */
  async takeUp(): Promise<void> {
    // An archive is read-only: nothing in it is resumed.
    if (this.#store.readOnly === true) return;
    const entries = await this.#journal.read();
    const statuses = await this.#store.statuses(studioRun);
    for (const entry of entries) {
      const status = statuses.get(entry.episode);
      if (status !== undefined && status !== 'running') continue;
      await this.#perform(entry).catch((thrown: unknown) =>
        process.emitWarning(`The episode ${entry.episode} could not be resumed: ${sentenceOf(thrown)}`),
      );
    }
  }

  async entry(episode: string): Promise<LiveEpisode | undefined> {
    return this.#playing.get(episode)?.entry ?? (await this.#journal.entry(episode));
  }

  isLive(episode: string): boolean {
    return this.#playing.has(episode);
  }

  /** Episodes in progress, with the seats that wait for a person. */
  *playing(): Generator<{ readonly entry: LiveEpisode; readonly waiting: readonly Seat[] }> {
    for (const { entry, people } of this.#playing.values()) {
      const waiting = [...people].flatMap(([seat, person]) => (person.turn === null ? [] : [seat]));
      yield { entry, waiting };
    }
  }

  branches(episode: string): ReturnType<EpisodeJournal['branches']> {
    return this.#journal.branches(episode);
  }

  async begin({ environment, task = {}, seed = randomInt(2 ** 31), cast, pace = 0 }: PlayRequest): Promise<string> {
    const rules = await resolveEnvironment(environment, this.#place.cwd, Trust.request);
    const read = rules.task(task) as Json;
    const seats = rules.seats(read);
    for (const seat of Object.keys(cast))
      if (!seats.includes(seat))
        throw new Fault('input', `${rules.id} has no seat "${seat}"; its seats are ${seats.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
    const seated = Object.fromEntries(seats.map((seat) => [seat, specOf(cast[seat] ?? standIn(rules, seat), this.#place.cwd)]));
    const specs = await putCastSpecs(this.#store, seated, this.#place.cwd);
    return this.#start({ episode: idOf(), environment, task: read, seed, cast: seated, specs, pace });
  }

  /** Starts another episode with the same environment, parameters, and cast, and a new seed; players move one seat if seats alternate. */
  async again(episode: string, alternate: boolean): Promise<StartedGame> {
    const entry = await this.entry(episode);
    if (entry === undefined)
      throw new Fault('input', 'This episode was not started in the studio. Choose its environment and agents under "Play".');
    const { environment, task, cast, specs, pace } = entry;
    const seats = Object.keys(cast);
    const next = alternate && seats.every((seat) => isMovable(cast[seat]!, seats)) ? seats.map((_, i) => seats.at(i - 1)!) : seats;
    const seated = Object.fromEntries(seats.map((seat, i) => [seat, cast[next[i]!]!]));
    const saved = Object.fromEntries(seats.flatMap((seat, i) => (specs?.[next[i]!] === undefined ? [] : [[seat, specs[next[i]!]!]])));
    const dice = { task, seed: randomInt(2 ** 31) };
    const id = await this.#start({ episode: idOf(), environment, ...dice, cast: seated, specs: saved, pace, after: episode });
    return { episode: id, people: seats.filter((seat) => isPerson(seated[seat]!)) };
  }

  /** Branches off before an event; the branch is a separate episode. */
  async fork(parent: string, { at, cast = {}, seed, answer }: ForkRequest): Promise<string> {
    const [start, ...rest] = await this.#store.events(parent);
    if (start?.kind !== 'start') throw new Fault('input', `The episode ${parent} has no events yet.`);
    if (at < 1 || at > rest.length + 1)
      throw new Fault('input', `A fork must be before an event from 1 to ${rest.length + 1}, but got ${at}.`);
    if (answer !== undefined && rest[at - 1]?.kind !== 'action')
      throw new Fault('input', `Event ${at} is not an answer, so it cannot be replaced. Fork at an answer.`);
    const entry = await this.entry(parent);
    // An external log may name any file as its environment; only episodes started here may use files.
    if (entry === undefined && isPath(start.environment))
      throw new Fault('input', `The environment of this episode is the file ${start.environment.slice(0, 80)}. Fork it with "ludus fork".`);
    const record = await this.#store.episode(parent);
    const run = record?.run ?? null;
    const before = entry?.cast ?? (record === null ? castFrom(start, null) : await readCast(this.#store, record));
    // Unnamed agents come from stored data, and may call or open only what was allowed.
    if (entry === undefined) for (const seat of start.seats) if (cast[seat] === undefined) trustOf(before[seat] ?? '', run, this.#place);
    const named = await putCastSpecs(this.#store, cast, this.#place.cwd);
    return this.#start({
      episode: idOf(),
      environment: entry?.environment ?? start.environment,
      task: start.task,
      seed: start.seed,
      cast: Object.fromEntries(start.seats.map((seat) => [seat, specOf(cast[seat] ?? before[seat]!, this.#place.cwd)])),
      specs: { ...Object.fromEntries(Object.entries(entry?.specs ?? {}).filter(([seat]) => cast[seat] === undefined)), ...named },
      pace: entry?.pace ?? 0,
      fork: { episode: parent, at, ...(seed === undefined ? {} : { seed }), ...(answer === undefined ? {} : { answer }) },
    });
  }

  /** Accepts a person's answer to a turn. */
  async answer(episode: string, { seat, text, turn }: AnswerRequest): Promise<void> {
    const playing = this.#playing.get(episode);
    if (playing === undefined) throw new Fault('input', 'This episode is no longer being played here. Reload the page.');
    const person = playing.people.get(seat);
    if (person === undefined) throw new Fault('input', `The seat "${seat}" is not played by a person.`);
    const problem = answerProblem(await this.#store.events(episode, Math.max(0, turn)), seat, turn);
    if (problem !== null) throw new Fault('input', problem);
    await person.answer(turn, text);
  }

  /** Cancels an episode permanently. */
  async stop(episode: string): Promise<void> {
    const playing = this.#playing.get(episode);
    playing?.off.abort();
    await playing?.done;
  }

  /** Leaves all logs open, so the next server can resume them. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { off } of this.#playing.values()) off.abort();
    await Promise.all([...this.#playing.values()].map(({ done }) => done));
    this.notifier.close();
  }

  async #start(entry: LiveEpisode): Promise<string> {
    if (this.#closing) throw new Fault('server', 'The server is shutting down and does not start anything new.');
    // Agents that can't be created are detected before anything is written.
    await this.#company(entry, new Map());
    await this.#journal.write(entry);
    await this.#perform(entry);
    return entry.episode;
  }

  async #company(entry: LiveEpisode, people: Map<Seat, Person>): Promise<{ environment: AnyEnvironment; agents: Record<Seat, Agent> }> {
    const loaded = await resolveEnvironment(entry.environment, this.#place.cwd, Trust.request);
    const agents: Record<Seat, Agent> = {};
    for (const [seat, spec] of Object.entries(await castOfEntry(this.#store, entry))) {
      if (isPerson(spec)) people.set(seat, new Person());
      agents[seat] = people.get(seat) ?? (await createSeatAgent(spec, { seat, environment: loaded, place: this.#place }));
    }
    return { environment: loaded, agents };
  }

  /** Starts or resumes play; resolves once the first events are stored. */
  async #perform(entry: LiveEpisode): Promise<void> {
    const { episode } = entry;
    const people = new Map<Seat, Person>();
    const { environment, agents } = await this.#company(entry, people);
    const before = (await this.#store.episode(episode)) === null ? [] : await this.#store.events(episode);
    const off = new AbortController();
    const stream = await this.#stream(entry, { environment, agents, before, signal: off.signal });
    const begun = Promise.withResolvers<void>();
    const playing: Playing = { entry, people, off, done: Promise.resolve() };
    // A resumed log may wait for a person, and then no new event follows.
    if (before.length > 0) begun.resolve();
    for (const person of people.values()) person.latest = before.findLastIndex(({ kind }) => kind === 'turn');
    this.#playing.set(episode, playing);
    playing.done = this.#record(entry, stream, { length: before.length, people, off, begun: begun.resolve })
      .catch((thrown: unknown) => process.emitWarning(`The episode ${episode} stopped: ${sentenceOf(thrown)}`))
      .finally(() => {
        this.#playing.delete(episode);
        for (const person of people.values()) person.leave();
        this.notifier.ring(episode);
        begun.resolve();
      });
    await begun.promise;
  }

  async #stream(
    entry: LiveEpisode,
    hand: { environment: AnyEnvironment; agents: Record<Seat, Agent>; before: readonly EpisodeEvent[]; signal: AbortSignal },
  ): Promise<EpisodeStream> {
    const { environment, agents, before, signal } = hand;
    const { task, seed, fork: branch } = entry;
    if (branch === undefined)
      return before.length > 0 ? resume(environment, agents, before, { signal }) : play(environment, agents, { task, seed, signal });
    const parent = await this.#store.events(branch.episode);
    const replaced = parent[branch.at];
    // The replacement answer is given once, unless the log already contains it.
    if (branch.answer !== undefined && replaced?.kind === 'action' && before.length <= branch.at)
      agents[replaced.seat] = once(branch.answer, agents[replaced.seat]!);
    if (before.length > 0) return resume(environment, agents, before, { signal });
    return fork(environment, parent, branch.at, agents, {
      episode: branch.episode,
      signal,
      ...(branch.seed === undefined ? {} : { seed: branch.seed }),
    });
  }

  /** Stores the events of an episode as they happen. */
  async #record(
    entry: LiveEpisode,
    stream: EpisodeStream,
    run: { length: number; people: ReadonlyMap<Seat, Person>; off: AbortController; begun: () => void },
  ): Promise<void> {
    const { episode, pace } = entry;
    const recorder = new EpisodeRecorder({ store: this.#store, episode, run: studioRun, from: run.length });
    await recordEpisode(stream, recorder, {
      durable: true,
      leaveOpen: () => this.#closing,
      onEvents: async (events, index) => {
        const turn = events.findLastIndex(({ kind }) => kind === 'turn');
        if (turn >= 0) for (const person of run.people.values()) person.latest = index + turn;
        this.notifier.ring(episode);
        run.begun();
        if (turn >= 0 && pace > 0) await pause(pace, run.off.signal).catch(() => undefined);
      },
    });
  }
}

/** Whether a player can take any seat: a script for one seat and a character of a scene cannot. */
function isMovable(spec: AgentSpec | string, seats: readonly Seat[]): boolean {
  return typeof spec === 'string' && !seats.some((seat) => spec === `scripted:${seat}`);
}

function idOf(): string {
  return randomBytes(10).toString('hex');
}
