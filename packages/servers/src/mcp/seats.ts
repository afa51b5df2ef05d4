/** @file Seats taken by MCP clients, by episode id: calls name the episode, because newer clients have no sessions. */

import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type Caller, may } from '../access.ts';
import type { EpisodeHost, EpisodeRequest } from '../episode-host.ts';
import type { RemoteSeat } from '../hosted-episode.ts';
import { formatMessages, history, readNews, standing } from '../seat-view.ts';
import { Sessions, type SessionsOptions } from '../sessions.ts';

/** A seat taken by a client. */
interface Chair {
  readonly id: string;
  readonly guest: RemoteSeat;
  /** Whether the client named opponents that may cost money. */
  readonly costs: boolean;
  close(): void;
}

/** The content shown to a client: as text for people and models, as data for programs. */
export interface SeatReply {
  readonly text: string;
  readonly data: JsonObject;
}

export interface McpSeatsOptions extends SessionsOptions {
  readonly episodeHost: EpisodeHost;
  /** Milliseconds that an answer waits for the other seats. */
  readonly patience?: number;
}

export class McpSeats {
  readonly episodeHost: EpisodeHost;
  readonly #sessionTable: Sessions<Chair>;
  readonly #patience: number;

  constructor({ episodeHost, patience = 50_000, ...options }: McpSeatsOptions) {
    this.episodeHost = episodeHost;
    this.#patience = patience;
    this.#sessionTable = new Sessions({ idle: 3_600_000, ...options });
  }

  /** Takes a seat in a new episode. */
  async begin(caller: Caller, wish: EpisodeRequest, signal: AbortSignal): Promise<Chair> {
    // A client may look back at a finished episode for a while, but not at the expense of others.
    if (this.#sessionTable.full(caller) !== null) this.#sessionTable.sweep(({ guest }) => guest.over);
    const full = this.#sessionTable.full(caller);
    if (full !== null) throw new Fault('server', full.full);
    const guest = await this.episodeHost.sit(wish, signal);
    // Several clients of one episode are distinguished by their seats.
    const id = guest.table.guests.size === 1 ? guest.table.id : `${guest.table.id}:${guest.seat}`;
    const chair: Chair = { id, guest, costs: this.episodeHost.costs(wish), close: () => guest.table.leave() };
    const place = this.#sessionTable.admit(caller, () => chair, { id });
    if ('full' in place) {
      guest.table.leave();
      throw new Fault('server', place.full);
    }
    if (signal.aborted) guest.table.leave();
    return chair;
  }

  /** Whether the episode is here and a client still plays it. */
  plays(caller: Caller, id: string): boolean {
    return this.#sessionTable.find(caller, id)?.guest.over === false;
  }

  of(caller: Caller, id: string): Chair {
    const chair = this.#sessionTable.find(caller, id);
    if (chair === null)
      throw new Fault('input', `Episode "${id.slice(0, 80)}" not found. Call look without an episode to start a new one.`, {
        code: 'E_NOT_FOUND',
      });
    return chair;
  }

  /** The caller's episode, for answering: paid actions require the scope at every answer. */
  playable(caller: Caller, id: string): Chair {
    const chair = this.of(caller, id);
    if (chair.costs && !may(caller, 'spend'))
      throw new Fault('input', `Episode ${id} has opponents that cost money, which needs a token with the scope spend.`);
    return chair;
  }

  /** Everything the seat has seen, or only what is new. */
  async show({ id, guest }: Chair, all: boolean): Promise<SeatReply> {
    await this.#turnOf(guest);
    const { messages, reward, penalty } = readNews(guest);
    const body = all ? history(guest) : formatMessages(messages);
    const text = [all ? `Episode ${id}: your seat is ${guest.seat}.` : '', body, footer(guest, penalty)]
      .filter((line) => line !== '')
      .join('\n\n');
    return { text, data: { episode: id, ...standing(guest, penalty), reward, asked: guest.ask !== null, done: guest.over } };
  }

  async shut(): Promise<void> {
    this.#sessionTable.shut();
    await this.episodeHost.ledger.settle();
  }

  /** Waits until it is the seat's turn or the episode is over, with a limit: clients give up after a minute. */
  async #turnOf(guest: RemoteSeat): Promise<void> {
    const ready = guest.ready();
    if (ready === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#patience);
    await Promise.race([ready, promise]);
    clearTimeout(timer);
  }
}

function footer(guest: RemoteSeat, penalty: number): string {
  const { ask, over, returned, table } = guest;
  const cost = penalty > 0 ? `That cost a penalty of ${penalty}. ` : '';
  const end = table.course.events.at(-1);
  if (over && end?.kind === 'end') {
    const why = end.fault === undefined ? '' : ` (${end.fault.message})`;
    return `${cost}The game has ended: ${end.reason}${why}. You were paid ${returned} in all.`;
  }
  if (ask === null) return `${cost}The others are still thinking; look again in a while.`;
  return `${cost}It is your turn.${ask.choices === undefined ? ' Answer in your own words.' : ` Your moves: ${ask.choices.join(' ')}`}`;
}
