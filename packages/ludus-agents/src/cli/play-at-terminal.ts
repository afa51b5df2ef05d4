/** @file Plays one episode at a terminal: agents are created, people take seats, and events are stored as they happen. */

import { randomBytes } from 'node:crypto';
import { type Human, human } from '@ludus-agents/agents/internal/human';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Agent, AgentSpec, AnyEnvironment, EndEvent, EpisodeEvent, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { hash, pause, printable, viewOf } from '@ludus-agents/kernel/internal/core/index';
import type { Playing } from '@ludus-agents/kernel/internal/engine/episode-player';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import { brief, type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { isHuman } from './cast.ts';
import { exits } from './command.ts';
import { type Colours, coloursFor } from './render/colours.ts';
import { ending, headline, scene, seenLine } from './render/episode.ts';
import { columnsOf, interruptible, printJson, type Screen, type Terminal } from './terminal.ts';
import { typedName } from './typed-name.ts';

export interface Staging {
  readonly terminal: Terminal;
  /** The store for it; opened once all agents are loaded. */
  readonly keep: StoreOptions;
  readonly environment: AnyEnvironment;
  /** Specs and names are loaded; an agent is used as it is. */
  readonly cast: Readonly<Record<Seat, AgentSpec | string | Agent>>;
  /** Seats whose agents are named by stored data instead of the user: these load no files. */
  readonly stored?: readonly Seat[];
  /** The stream for people: stdout, or stderr if stdout is for a machine. */
  readonly screen: Screen;
  /** Events per second when watching; immediately if omitted. */
  readonly speed?: number | undefined;
  /** How a spectator sees an event; by default, as in a log. */
  readonly show?: ((event: EpisodeEvent) => string) | undefined;
  /** Show only the output of `show`. */
  readonly quiet?: boolean;
  /** After a person has played to the end, show everything again from a spectator's view. */
  readonly transcript?: boolean;
  /** Store it at its end under the hash of its log, so identical play is one episode. */
  readonly whole?: boolean;
  /** The run of the episode; called once the store is open. */
  readonly run?: ((store: Store) => Promise<string | undefined>) | undefined;
  /** When watching, events before this one are not shown, because a fork's spectator has seen them. */
  readonly from?: number;
  begin(agents: Readonly<Record<Seat, Agent>>, signal: AbortSignal): Playing;
}

export interface TerminalEpisode {
  readonly id: string;
  readonly events: readonly EpisodeEvent[];
  readonly end: EndEvent;
  /** Its run, if any. */
  readonly run?: string | undefined;
}

export async function playAtTerminal(staging: Staging): Promise<TerminalEpisode> {
  const { terminal, screen } = staging;
  const { controller, release } = interruptible(terminal);
  const colours = coloursFor(screen, terminal.env);
  const people = new Map<Seat, Human>();
  try {
    const agents: Record<Seat, Agent> = {};
    for (const [i, [seat, spec]] of Object.entries(staging.cast).entries()) {
      if (typeof spec === 'string' && isHuman(spec)) {
        const person = sitDown(staging, colours, i, () => controller.abort());
        people.set(seat, person);
        agents[seat] = person;
      } else
        agents[seat] =
          typeof spec === 'object' && 'act' in spec
            ? spec
            : await createAgentLoader(
                createAgentServices(terminal.cwd, staging.stored?.includes(seat) ? Trust.storedData : terminal.trust, staging.keep),
              )(spec, seat, staging.environment);
    }
    const company: Company = { agents, people, signal: controller.signal, colours };
    return await withWritableStore(terminal, staging.keep, (store) => perform(staging, company, store));
  } finally {
    release();
  }
}

function sitDown({ terminal, screen }: Staging, colours: Colours, place: number, quit: () => void): Human {
  return human({
    input: terminal.stdin,
    output: screen,
    quit,
    show: (item) => seenLine(item, { colours, columns: columnsOf(screen) }),
    paint: { seat: (seat) => colours.bold(colours.seat(seat, place)), strong: colours.bold, faint: colours.faint },
  });
}

interface Company {
  readonly agents: Readonly<Record<Seat, Agent>>;
  readonly people: ReadonlyMap<Seat, Human>;
  readonly signal: AbortSignal;
  readonly colours: Colours;
}

async function perform(staging: Staging, { agents, people, signal, colours }: Company, store: Store): Promise<TerminalEpisode> {
  const { screen, speed, quiet = false, from = 0 } = staging;
  let id = randomBytes(10).toString('hex');
  const { parameters } = staging.environment;
  const watched = scene({ colours, columns: columnsOf(screen), parameters });
  const run = await staging.run?.(store);
  const events: EpisodeEvent[] = [];
  const write = async (text: string) => {
    if (text === '') return;
    screen.write(text);
    if (speed !== undefined) await pause(1000 / speed, signal).catch(() => undefined);
  };
  const show = async (event: EpisodeEvent) => {
    const index = events.push(event) - 1;
    if (staging.show !== undefined) return write(staging.show(event));
    if (quiet) return;
    if (people.size > 0) {
      if (event.kind === 'start') screen.write(`${headline(event, { colours, parameters })}${formatSeats(people, colours, event.seats)}\n`);
      return;
    }
    const text = watched.show(event, index);
    if (event.kind === 'end' || text === '' || (index < from && event.kind !== 'start')) return;
    await write(text);
  };
  const stream = staging.begin(agents, signal);
  if (staging.whole === true) for await (const event of stream) await show(event);
  else {
    const onEvents = async (fresh: readonly EpisodeEvent[]) => {
      for (const event of fresh) await show(event);
    };
    await recordEpisode(stream, new EpisodeRecorder({ store, episode: id, run }), { durable: true, onEvents });
  }
  const end = events.at(-1) as EndEvent;
  if (staging.whole === true) {
    id = hash(events).slice(0, 20);
    if ((await store.episode(id)) === null) await store.append(id, 0, events, run);
  }
  for (const [seat, person] of people) person.tell(viewOf(events.slice(lastAsked(events, seat)), seat));
  if (staging.transcript === true && people.size > 0 && end.reason !== 'abort')
    screen.write(`\n${colours.faint('From first to last, with what was hidden:')}\n${events.map(watched.show).slice(1, -1).join('')}`);
  if (!quiet) screen.write(`\n${ending(end, colours)}\n`);
  return { id, events, end, ...(run === undefined ? {} : { run }) };
}

/** The index of a seat's last question: a person has seen everything before it. */
function lastAsked(events: readonly EpisodeEvent[], seat: Seat): number {
  return Math.max(
    0,
    events.findLastIndex((event) => event.kind === 'turn' && event.asks.some((ask) => ask.seat === seat)),
  );
}

function formatSeats(people: ReadonlyMap<Seat, Human>, colours: Colours, seats: readonly Seat[]): string {
  const mine = [...people.keys()].map((seat) => colours.seat(printable(seat), seats.indexOf(seat)));
  return `You play ${mine.join(' and ')}. ${colours.faint('? lists your moves, /quit leaves.')}`;
}

/** The exit code for the end of an episode. */
export function exitFor(end: EndEvent): number {
  if (end.reason === 'abort') return exits.interrupted;
  return end.reason === 'error' ? exits.found : exits.fine;
}

/** Prints the result and location, for a program or a person. */
export function reportStaged(played: TerminalEpisode, { terminal, screen }: Pick<Staging, 'terminal' | 'screen'>): number {
  const colours = coloursFor(screen, terminal.env);
  if (screen !== terminal.stdout) printJson(terminal, toJsonResult(played));
  else screen.write(`${colours.faint(`Saved as ${brief(played.id)}: ${typedName(terminal)} show ${brief(played.id)}`)}\n`);
  return exitFor(played.end);
}

/** The data about a finished episode for a program. */
export function toJsonResult({ id, events, end, run }: TerminalEpisode): Record<string, unknown> {
  const start = events[0] as Extract<EpisodeEvent, { kind: 'start' }>;
  const { environment, task, seed, cast, fork } = start;
  const { reason, turns, returns, penalties, fault, limit } = end;
  return {
    episode: id,
    ...(run === undefined ? {} : { run }),
    environment,
    task,
    seed,
    cast,
    fork,
    reason,
    turns,
    returns,
    penalties,
    fault,
    limit,
    events: events.length,
  };
}
