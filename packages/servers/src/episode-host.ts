/**
 * @file Starts hosted episodes for remote clients and gives each client a seat.
 *
 * A remote client may name opponents. So a client's request can create only agents that cost nothing and access nothing: random and the
 * environment's own scripts. The owner of the server may allow more.
 */

import { randomInt, randomUUID } from 'node:crypto';
import { isBot } from '@ludus-agents/agents/internal/bot/settings';
import { type AgentOf, standIn } from '@ludus-agents/agents/internal/kinds';
import type { AgentSpec, AnyEnvironment, Json, Seat, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { canonical, Fault, safely } from '@ludus-agents/kernel/internal/core/index';
import { brief } from '@ludus-agents/kernel/internal/core/json';
import { AgentCache } from '@ludus-agents/kernel/internal/engine/agent-cache';
import { HostedEpisode, type RemoteSeat } from './hosted-episode.ts';
import { HostedRecorder } from './hosted-recorder.ts';
import type { RequestRetryOptions } from './retry.ts';

export interface EpisodeHostOptions {
  /** The playable environments, by requested name. */
  readonly environments: ReadonlyMap<string, () => Promise<AnyEnvironment>>;
  /** Creates the agents that clients name. */
  readonly agent: AgentOf;
  /** Creates the agents that the owner names: `others`, names of `allow` without a star, and those that a route assigns; `agent` by default. */
  readonly ownerAgent?: AgentOf;
  /** The store for episodes; null stores none. */
  readonly store: Store | null;
  /** The agent for unnamed seats without a script; random by default. */
  readonly others?: string | undefined;
  /** Paid agents that clients may name, exactly as written: "llm:openai/gpt-5" or "llm:*". */
  readonly allow?: readonly string[];
  /** Milliseconds that a match waits until all its seats are filled. */
  readonly patience?: number;
  /** The retry settings for temporary failures of the store. */
  readonly retry?: RequestRetryOptions;
}

type Wanted = string | AgentSpec;

/** A client's request for an episode. */
export interface EpisodeRequest {
  readonly environment: string;
  /** The run that stores the episode, one for each protocol. */
  readonly run: string;
  /** The client's name in the log. */
  readonly name: string;
  /** A seat by name or number; by default the first without its own script. */
  readonly seat?: Seat | number | undefined;
  readonly seed?: Seed | undefined;
  readonly task?: Json | undefined;
  /** One agent for all other seats, or one per seat, with "*" for the rest. */
  readonly opponents?: Wanted | Readonly<Record<Seat, Wanted>> | undefined;
  /** Agents that the route itself assigns, by seat; clients cannot change them. */
  readonly cast?: Readonly<Record<Seat, Wanted>> | undefined;
  /** Clients that name the same match join one episode. */
  readonly match?: string | undefined;
  /** False if the client may not name opponents that cost money, even those that the owner allows. */
  readonly spend?: boolean;
}

const free = ['random', 'scripted', 'scripted:*'];

/** A client that waits for a match to start. */
interface Gathering {
  readonly environment: AnyEnvironment;
  readonly wish: EpisodeRequest;
  readonly task: Json;
  readonly seats: readonly Seat[];
  readonly cast: Readonly<Record<Seat, Wanted>>;
  readonly arrived: Map<Seat, Arrival>;
  readonly timer: NodeJS.Timeout;
}

interface Arrival {
  readonly name: string;
  readonly resolve: (guest: RemoteSeat) => void;
  readonly reject: (fault: Fault) => void;
}

/** Starts episodes for remote clients and seats them. */
export class EpisodeHost {
  readonly ledger: HostedRecorder;
  readonly #options: EpisodeHostOptions;
  readonly #allowed: readonly string[];
  readonly #agents: AgentCache;
  readonly #ownerAgents: AgentCache;
  readonly #gatherings = new Map<string, Gathering>();

  constructor(options: EpisodeHostOptions) {
    this.#options = options;
    // Names come from clients, and unlimited ones would fill the memory.
    this.#agents = new AgentCache(options.agent, 1000);
    this.#ownerAgents = new AgentCache(options.ownerAgent ?? options.agent, 1000);
    this.#allowed = [...free, ...(options.allow ?? [])];
    this.ledger = new HostedRecorder(options.store, options.retry);
  }

  /** The names of all environments here. */
  get environmentNames(): readonly string[] {
    return [...this.#options.environments.keys()];
  }

  async environment(name: string): Promise<AnyEnvironment> {
    const load = this.#options.environments.get(name);
    if (load === undefined)
      throw new Fault('input', `Unknown environment ${brief(name)}. Available: ${this.environmentNames.join(', ')}.`, {
        code: 'E_UNKNOWN_NAME',
      });
    return load();
  }

  /** Returns a seat in an episode that is or will be asked. The signal withdraws a request for a match that has not started. */
  async sit(wish: EpisodeRequest, signal?: AbortSignal): Promise<RemoteSeat> {
    const environment = await this.environment(wish.environment);
    await this.ledger.room(wish.run);
    return wish.match === undefined ? this.#alone(environment, wish) : this.#join(environment, wish, signal);
  }

  async #alone(environment: AnyEnvironment, wish: EpisodeRequest): Promise<RemoteSeat> {
    const task = environment.task(wish.task ?? {}) as Json;
    const seats = environment.seats(task);
    const seat = seatOf(wish.seat, environment, seats);
    const cast: Record<Seat, Wanted> = {};
    const named = this.#named(wish, seats);
    for (const other of seats)
      if (other !== seat) cast[other] = wish.cast?.[other] ?? this.#filled(named, other, environment) ?? this.#house(environment);
    const table = await this.#lay({ environment, task, wish, cast, guests: { [seat]: wish.name } });
    return table.guests.get(seat) as RemoteSeat;
  }

  #join(environment: AnyEnvironment, wish: EpisodeRequest, signal: AbortSignal | undefined): Promise<RemoteSeat> {
    const key = canonical([environment.id, wish.match as string]);
    const gathering = this.#gatherings.get(key) ?? this.#gather(key, environment, wish);
    agreed(gathering, wish);
    const open = gathering.seats.filter((seat) => gathering.cast[seat] === undefined);
    const left = open.filter((seat) => !gathering.arrived.has(seat));
    const seat = wish.seat === undefined ? left[0]! : seatOf(wish.seat, environment, gathering.seats);
    if (!left.includes(seat))
      throw new Fault('input', `The seat "${seat}" of match "${wish.match}" is taken. Free seats: ${left.join(', ') || 'none'}.`);
    return new Promise((resolve, reject) => {
      gathering.arrived.set(seat, { name: wish.name, resolve, reject });
      const withdraw = () => {
        // A client with a seat cancels a match that has started.
        if (this.#gatherings.get(key) !== gathering) return;
        gathering.arrived.delete(seat);
        if (gathering.arrived.size === 0) this.#disband(key);
        reject(new Fault('server', 'The client disconnected.'));
      };
      signal?.addEventListener('abort', withdraw, { once: true });
      if (left.length === 1) void this.#start(key, gathering);
    });
  }

  #gather(key: string, environment: AnyEnvironment, wish: EpisodeRequest): Gathering {
    const task = environment.task(wish.task ?? {}) as Json;
    const seats = environment.seats(task);
    const named = this.#named(wish, seats);
    const first = seatOf(wish.seat, environment, seats);
    const cast: Record<Seat, Wanted> = {};
    for (const seat of seats) {
      const agent = this.#filled(named, seat, environment);
      if (seat !== first && agent !== undefined) cast[seat] = agent;
    }
    const timer = setTimeout(
      safely('A match', () => this.#giveUp(key)),
      this.#options.patience ?? 55_000,
    );
    const gathering: Gathering = { environment, wish, task, seats, cast, arrived: new Map(), timer };
    this.#gatherings.set(key, gathering);
    return gathering;
  }

  async #start(key: string, { environment, wish, task, cast, arrived }: Gathering): Promise<void> {
    this.#disband(key);
    try {
      const guests = Object.fromEntries([...arrived].map(([seat, { name }]) => [seat, name]));
      const table = await this.#lay({ environment, task, wish, cast, guests });
      for (const [seat, { resolve }] of arrived) resolve(table.guests.get(seat) as RemoteSeat);
    } catch (thrown) {
      for (const { reject } of arrived.values()) reject(thrown as Fault);
    }
  }

  #giveUp(key: string): void {
    const gathering = this.#gatherings.get(key);
    if (gathering === undefined) return;
    this.#disband(key);
    const missing = gathering.seats.filter((seat) => gathering.cast[seat] === undefined && !gathering.arrived.has(seat));
    const fault = new Fault('server', `No player joined match "${gathering.wish.match}" as ${missing.join(', ')}. Start it again.`);
    for (const { reject } of gathering.arrived.values()) reject(fault);
  }

  #disband(key: string): void {
    clearTimeout(this.#gatherings.get(key)?.timer);
    this.#gatherings.delete(key);
  }

  /** Creates the agents and starts the episode. */
  async #lay({ environment, task, wish, cast, guests }: Laying): Promise<HostedEpisode> {
    const owners: Record<Seat, Wanted> = {};
    const clients: Record<Seat, Wanted> = {};
    for (const [seat, wanted] of Object.entries(cast)) {
      const isOwners = wish.cast?.[seat] === wanted || this.#isOwners(wanted);
      (isOwners ? owners : clients)[seat] = wanted;
    }
    const agents = { ...(await this.#ownerAgents.cast(owners, environment)), ...(await this.#agents.cast(clients, environment)) };
    const id = randomUUID().replaceAll('-', '').slice(-20);
    return new HostedEpisode({
      id,
      run: wish.run,
      environment,
      task,
      seed: wish.seed ?? randomInt(2 ** 31),
      agents,
      guests,
      rested: this.ledger.note,
    });
  }

  /** True for a name that the owner typed: it is then safe even if a client typed it, too. */
  #isOwners(wanted: Wanted): boolean {
    const { others, allow = [] } = this.#options;
    return typeof wanted === 'string' && !wanted.endsWith('*') && [others, ...allow].includes(wanted);
  }

  /** The agent named for a seat. "*" does not apply to seats with their own script, such as an oracle or a patient. */
  #filled(named: Readonly<Record<Seat, Wanted>>, seat: Seat, environment: AnyEnvironment): Wanted | undefined {
    const stand = Object.hasOwn(environment.scripts ?? {}, seat) ? standIn(environment, seat) : undefined;
    return named[seat] ?? stand ?? named['*'];
  }

  /** The default opponent, if the environment has it. */
  #house({ scripts = {} }: AnyEnvironment): string {
    const { others = 'random' } = this.#options;
    const [, script] = others.match(/^script(?:ed)?:(.+)$/) ?? [];
    return script === undefined || Object.hasOwn(scripts, script) ? others : 'random';
  }

  /** Opponents by seat; each of them must be allowed for a client. */
  #named({ opponents, spend = true }: EpisodeRequest, seats: readonly Seat[]): Readonly<Record<Seat, Wanted>> {
    if (opponents === undefined) return {};
    const item = typeof opponents === 'string' || typeof (opponents as AgentSpec).kind === 'string';
    const named = (item ? { '*': opponents } : opponents) as Readonly<Record<Seat, Wanted>>;
    for (const [seat, wanted] of Object.entries(named)) {
      if (seat !== '*' && !seats.includes(seat))
        throw new Fault('input', `Unknown seat "${seat}" for an opponent. Available: ${seats.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
      this.#check(wanted, spend);
    }
    return named;
  }

  /** Whether a client names opponents that may cost money. */
  costs({ opponents }: EpisodeRequest): boolean {
    if (opponents === undefined) return false;
    const single = typeof opponents === 'string' || typeof (opponents as AgentSpec).kind === 'string';
    const wanted = single ? [opponents as Wanted] : Object.values(opponents as Readonly<Record<Seat, Wanted>>);
    return wanted.some((item) => !free.some((pattern) => fits(pattern, writtenName(item))));
  }

  /** Parses an opponent before anything is started or recorded, so invalid values never reach a log or a store. */
  #check(wanted: Wanted, spend: boolean): void {
    const spec = typeof wanted === 'string' ? { kind: wanted, name: wanted } : wanted;
    if (typeof spec !== 'object' || spec === null || typeof spec.kind !== 'string' || !isName(spec.kind) || !isName(spec.name ?? spec.kind))
      throw new Fault(
        'input',
        `An opponent must be the name of an agent, or a spec with "kind" and "name", but got ${brief(wanted as Json)}.`,
      );
    const { kind, tools, settings } = spec as AgentSpec;
    const written = writtenName(spec as AgentSpec);
    const matches = (pattern: string) => fits(pattern, written);
    if (!this.#allowed.some(matches) || tools !== undefined || /^(human|me)\b/.test(kind) || (isBot(kind) && settings !== undefined))
      throw new Fault('input', `Guests may not use ${brief(written)} here. Allowed: ${this.#allowed.join(', ')}.`);
    if (!spend && !free.some(matches))
      throw new Fault(
        'input',
        `${brief(written)} may cost money, which needs a token with the scope spend. Free agents: ${free.join(', ')}.`,
      );
  }
}

/** The form of an agent in `allow`: its kind, and its model, if any. */
function writtenName(wanted: Wanted): string {
  if (typeof wanted === 'string') return wanted;
  return wanted.model === undefined ? wanted.kind : `${wanted.kind}:${wanted.model}`;
}

function fits(pattern: string, written: string): boolean {
  return pattern.endsWith('*') ? written.startsWith(pattern.slice(0, -1)) : written === pattern;
}

/** A text that every store and index supports. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 255 && value.isWellFormed() && !value.includes('\0');
}

interface Laying {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  /** The request of the client that started it. */
  readonly wish: EpisodeRequest;
  readonly cast: Readonly<Record<Seat, Wanted>>;
  readonly guests: Readonly<Record<Seat, string>>;
}

/** The requested seat: by name, by number, or the first without a script. */
function seatOf(wanted: Seat | number | undefined, environment: AnyEnvironment, seats: readonly Seat[]): Seat {
  if (wanted === undefined) return seats.find((seat) => !Object.hasOwn(environment.scripts ?? {}, seat)) ?? seats[0]!;
  const seat = typeof wanted === 'number' ? seats[wanted] : seats.find((seat) => seat === wanted);
  if (seat === undefined)
    throw new Fault('input', `Unknown seat ${brief(wanted)}. Available: ${seats.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
  return seat;
}

/** A client that joins a match may omit its settings, but not change them. */
function agreed({ environment, wish, task }: Gathering, joining: EpisodeRequest): void {
  const same =
    (joining.seed === undefined || joining.seed === wish.seed) &&
    (joining.task === undefined || canonical(environment.task(joining.task) as Json) === canonical(task)) &&
    (joining.opponents === undefined || canonical(joining.opponents as Json) === canonical((wish.opponents ?? null) as Json));
  if (!same)
    throw new Fault('input', `Match "${wish.match}" was started with another seed, task, or opponents. Use the same ones, or omit them.`);
}
