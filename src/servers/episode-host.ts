/**
 * @file The episode host: guests say what they want to play, and are led to a table.
 *
 * Whoever comes from outside may name opponents, so only agents that cost nothing and touch nothing are called in on a guest's word: chance
 * and the world's own scripts. Whoever runs the server may allow more.
 */

import { randomInt, randomUUID } from 'node:crypto';
import { isBot } from '../agents/bot/settings.ts';
import { type AgentOf, standIn } from '../agents/kinds.ts';
import {
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  canonical,
  Fault,
  type Json,
  type Seat,
  type Seed,
  type Store,
  safely,
} from '../core/index.ts';
import { HostedEpisode, type RemoteSeat } from './hosted-episode.ts';
import { HostedRecorder } from './hosted-recorder.ts';
import type { RequestRetryOptions } from './retry.ts';

export interface LobbyOptions {
  /** What can be played here, by the name it is asked for. */
  readonly worlds: ReadonlyMap<string, () => Promise<AnyEnvironment>>;
  readonly agent: AgentOf;
  /** Where episodes are kept; null keeps none. */
  readonly store: Store | null;
  /** Who takes the seats that nobody was named for and the world has no stand-in for; chance unless told. */
  readonly others?: string | undefined;
  /** What guests may name besides what is free, as it is written: "llm:openai/gpt-5" or "llm:*". */
  readonly allow?: readonly string[];
  /** Milliseconds that a match waits until all its seats are taken. */
  readonly patience?: number;
  /** How a store that fails for a while is tried again. */
  readonly retry?: RequestRetryOptions;
}

type Wanted = string | AgentSpec;

/** What a guest wants to play. */
export interface EpisodeRequest {
  readonly world: string;
  /** The run that the episode is kept under: the door that the guest came by. */
  readonly run: string;
  /** What the guest is called in the log. */
  readonly name: string;
  /** A seat by name or number; the first that is no stand-in's unless told. */
  readonly seat?: Seat | number | undefined;
  readonly seed?: Seed | undefined;
  readonly task?: Json | undefined;
  /** One agent for all other seats, or one by seat, "*" for the rest. */
  readonly opponents?: Wanted | Readonly<Record<Seat, Wanted>> | undefined;
  /** Agents that the door itself seats, by seat: no guest has a say in them. */
  readonly cast?: Readonly<Record<Seat, Wanted>> | undefined;
  /** Guests who name the same match sit down at one table. */
  readonly match?: string | undefined;
  /** False where the guest may not name opponents that cost money, even those that the owner allows. */
  readonly spend?: boolean;
}

const free = ['random', 'scripted', 'scripted:*'];

/** Whoever has sat down for a match that has not begun. */
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

export class EpisodeHost {
  readonly ledger: HostedRecorder;
  readonly #options: LobbyOptions;
  readonly #allowed: readonly string[];
  readonly #agents = new Map<string, Agent>();
  readonly #gatherings = new Map<string, Gathering>();

  constructor(options: LobbyOptions) {
    this.#options = options;
    this.#allowed = [...free, ...(options.allow ?? [])];
    this.ledger = new HostedRecorder(options.store, options.retry);
  }

  /** The names of all worlds here. */
  get worlds(): readonly string[] {
    return [...this.#options.worlds.keys()];
  }

  async world(name: string): Promise<AnyEnvironment> {
    const load = this.#options.worlds.get(name);
    if (load === undefined) throw new Fault('input', `There is no world ${brief(name)} here; there are ${this.worlds.join(', ')}.`);
    return load();
  }

  /** A seat at a table where it is the guest's turn, or will be. The signal takes back a wish for a match that has not begun. */
  async sit(wish: EpisodeRequest, signal?: AbortSignal): Promise<RemoteSeat> {
    const environment = await this.world(wish.world);
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
    const seat = wish.seat === undefined ? (left[0] as Seat) : seatOf(wish.seat, environment, gathering.seats);
    if (!left.includes(seat))
      throw new Fault('input', `The seat "${seat}" of match "${wish.match}" is taken; free is ${left.join(', ') || 'none'}.`);
    return new Promise((resolve, reject) => {
      gathering.arrived.set(seat, { name: wish.name, resolve, reject });
      const withdraw = () => {
        // A match that has begun is called off by whoever was led to its table.
        if (this.#gatherings.get(key) !== gathering) return;
        gathering.arrived.delete(seat);
        if (gathering.arrived.size === 0) this.#disband(key);
        reject(new Fault('server', 'The guest has left.'));
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
    const fault = new Fault('server', `Nobody came for ${missing.join(', ')} of match "${gathering.wish.match}"; begin it again.`);
    for (const { reject } of gathering.arrived.values()) reject(fault);
  }

  #disband(key: string): void {
    clearTimeout(this.#gatherings.get(key)?.timer);
    this.#gatherings.delete(key);
  }

  /** Calls the agents in and begins. */
  async #lay({ environment, task, wish, cast, guests }: Laying): Promise<HostedEpisode> {
    const agents: Record<Seat, Agent> = {};
    for (const [seat, wanted] of Object.entries(cast)) {
      const key = canonical([environment.id, seat, wanted as Json]);
      const agent = this.#agents.get(key) ?? (await this.#options.agent(wanted, seat, environment));
      // Names come from outside, and would otherwise fill the memory.
      if (this.#agents.size >= 1000) this.#agents.clear();
      this.#agents.set(key, agent);
      agents[seat] = agent;
    }
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

  /** Who was named for a seat. One that the world has a stand-in of its own for, an oracle or a patient, is never meant by "*". */
  #filled(named: Readonly<Record<Seat, Wanted>>, seat: Seat, environment: AnyEnvironment): Wanted | undefined {
    const own = Object.hasOwn(environment.scripts ?? {}, seat) ? standIn(environment, seat) : undefined;
    return named[seat] ?? own ?? named['*'];
  }

  /** The opponent of the house, where the world knows them. */
  #house({ scripts = {} }: AnyEnvironment): string {
    const { others = 'random' } = this.#options;
    const [, script] = others.match(/^script(?:ed)?:(.+)$/) ?? [];
    return script === undefined || Object.hasOwn(scripts, script) ? others : 'random';
  }

  /** Opponents by seat, each of whom a guest may call in. */
  #named({ opponents, spend = true }: EpisodeRequest, seats: readonly Seat[]): Readonly<Record<Seat, Wanted>> {
    if (opponents === undefined) return {};
    const one = typeof opponents === 'string' || typeof (opponents as AgentSpec).kind === 'string';
    const named = (one ? { '*': opponents } : opponents) as Readonly<Record<Seat, Wanted>>;
    for (const [seat, wanted] of Object.entries(named)) {
      if (seat !== '*' && !seats.includes(seat))
        throw new Fault('input', `There is no seat "${seat}" for an opponent; the seats are ${seats.join(', ')}.`);
      this.#check(wanted, spend);
    }
    return named;
  }

  /** Reads an opponent before anything is begun or recorded: what a log and a store cannot hold never gets there. */
  #check(wanted: Wanted, spend: boolean): void {
    const spec = typeof wanted === 'string' ? { kind: wanted, name: wanted } : wanted;
    if (typeof spec !== 'object' || spec === null || typeof spec.kind !== 'string' || !isName(spec.kind) || !isName(spec.name ?? spec.kind))
      throw new Fault(
        'input',
        `An opponent is the name of an agent, or a spec with texts as "kind" and "name", but came as ${brief(wanted)}.`,
      );
    const { kind, model, tools, settings } = spec as AgentSpec;
    const written = model === undefined ? kind : `${kind}:${model}`;
    const matches = (one: string) => (one.endsWith('*') ? written.startsWith(one.slice(0, -1)) : written === one);
    if (!this.#allowed.some(matches) || tools !== undefined || /^(human|me)\b/.test(kind) || (isBot(kind) && settings !== undefined))
      throw new Fault('input', `A guest may not call in ${brief(written)} here; allowed are ${this.#allowed.join(', ')}.`);
    if (!spend && !free.some(matches))
      throw new Fault(
        'input',
        `${brief(written)} may cost money, which needs a token with the scope spend; name one of ${free.join(', ')}.`,
      );
  }
}

/** A text that every store and every index can hold. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 255 && value.isWellFormed() && !value.includes('\0');
}

interface Laying {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  /** What the guest who began it wants. */
  readonly wish: EpisodeRequest;
  readonly cast: Readonly<Record<Seat, Wanted>>;
  readonly guests: Readonly<Record<Seat, string>>;
}

/** The seat that is meant: by name, by number, or the first that has no stand-in of its own. */
function seatOf(wanted: Seat | number | undefined, environment: AnyEnvironment, seats: readonly Seat[]): Seat {
  if (wanted === undefined) return seats.find((seat) => !Object.hasOwn(environment.scripts ?? {}, seat)) ?? (seats[0] as Seat);
  const seat = typeof wanted === 'number' ? seats[wanted] : seats.find((one) => one === wanted);
  if (seat === undefined) throw new Fault('input', `There is no seat ${brief(wanted)}; the seats are ${seats.join(', ')}.`);
  return seat;
}

/** Whoever joins a match may leave its terms out, but not change them. */
function agreed({ environment, wish, task }: Gathering, joining: EpisodeRequest): void {
  const same =
    (joining.seed === undefined || joining.seed === wish.seed) &&
    (joining.task === undefined || canonical(environment.task(joining.task) as Json) === canonical(task)) &&
    (joining.opponents === undefined || canonical(joining.opponents as Json) === canonical((wish.opponents ?? null) as Json));
  if (!same)
    throw new Fault('input', `Match "${wish.match}" was begun with another seed, task or opponents; join it with the same, or with none.`);
}

function brief(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
