/** @file One OpenEnv session: a seat that is reset, stepped and observed, over any transport. */

import { type Action, Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeHost, EpisodeRequest } from '../episode-host.ts';
import type { RemoteSeat } from '../hosted-episode.ts';
import { formatMessages, readNews, standing } from '../seat-view.ts';
import { callTool, listTools } from './tools.ts';
import { readAction, readReset } from './wire.ts';

/** The result of a reset or a step. */
export type StepResult = { readonly observation: JsonObject; readonly reward: number | null; readonly done: boolean };

export class OpenEnvSession {
  readonly episodeHost: EpisodeHost;
  /** The environment of this address; null if a reset must name it. */
  readonly environment: string | null;
  /** The content of the last observation, as one text. */
  told = '';
  #guest: RemoteSeat | null = null;
  #episode: string | null = null;
  #lastReward = 0;
  /** Data that is the same in every observation of an episode. */
  #prompt = '';
  #players: readonly number[] = [];
  /** Withdraws a pending request for a seat. */
  #pending: AbortController | null = null;

  /** Whether the caller of the current request may spend money, asked at every reset and step. */
  maySpend: () => boolean;
  /** Whether the client named opponents that may cost money. */
  #costs = false;

  constructor(episodeHost: EpisodeHost, environment: string | null, maySpend: () => boolean = () => true) {
    this.episodeHost = episodeHost;
    this.environment = environment;
    this.maySpend = maySpend;
  }

  get guest(): RemoteSeat | null {
    return this.#guest;
  }

  /** Starts an episode; an episode in progress is canceled. */
  async reset(data: Json): Promise<StepResult> {
    const { episode, wish } = readReset(data);
    const environment = this.environment ?? wish.environment;
    if (environment === undefined) throw new Fault('input', 'Several environments are served here. Set "env_id", or call /openenv/NAME.');
    if (this.#pending !== null) throw new Fault('input', 'A reset is already in progress. Wait for its answer.');
    this.close();
    const request = { ...wish, environment, run: 'openenv', name: wish.name ?? 'openenv', spend: this.maySpend() };
    const guest = await this.#sit(request);
    this.#costs = this.episodeHost.costs(request);
    this.#guest = guest;
    this.#prompt = guest.prompt.map(({ text }) => text).join('\n');
    this.#players = guest.table.seats.map((_, i) => i);
    this.#episode = episode ?? guest.table.id;
    await guest.ready();
    return this.#observe(guest, true);
  }

  async #sit(wish: EpisodeRequest): Promise<RemoteSeat> {
    const pending = new AbortController();
    this.#pending = pending;
    try {
      const guest = await this.episodeHost.sit(wish, pending.signal);
      if (!pending.signal.aborted) return guest;
      // A client that has disconnected in the meantime does not delay others in the episode.
      guest.table.leave();
      throw new Fault('input', 'The session was closed before the episode could start.');
    } finally {
      this.#pending = null;
    }
  }

  step(data: Json): StepResult | Promise<StepResult> {
    const wanted = readAction(data);
    if (wanted.kind === 'list') return listTools();
    if (wanted.kind === 'call') return callTool(this, wanted);
    return this.act(wanted.action);
  }

  /** Submits an action, and returns the observation when it is the seat's turn again. */
  act(action: Action): StepResult | Promise<StepResult> {
    const guest = this.#guest;
    if (guest === null) throw new Fault('input', 'No episode has been started. Send a reset first.', { code: 'E_NOT_FOUND' });
    if (guest.table.fault !== null) throw guest.table.fault;
    if (this.#costs && !this.maySpend())
      throw new Fault('input', 'The opponents of this episode cost money, which needs a token with the scope spend.');
    if (guest.over) throw new Fault('input', 'The episode is over. Send a reset to start another.');
    guest.answer(action);
    const waiting = guest.ready();
    return waiting === undefined ? this.#observe(guest, false) : waiting.then(() => this.#observe(guest, false));
  }

  state(): JsonObject {
    const table = this.#guest?.table;
    return {
      episode_id: table === undefined ? null : this.#episode,
      episode: table?.id ?? null,
      step_count: this.#guest?.answers ?? 0,
      env_id: table?.environment.id ?? this.environment,
      num_players: table?.seats.length ?? 0,
      max_turns: null,
      turn: table?.course.turns ?? 0,
      last_reward: this.#lastReward,
    };
  }

  /** Ends the episode from the client's side. */
  resign(): void {
    this.#guest?.table.leave();
  }

  /** Cancels everything in progress and releases all resources. */
  close(): void {
    this.#pending?.abort();
    this.#guest?.table.leave();
    this.#guest = null;
  }

  #observe(guest: RemoteSeat, first: boolean): StepResult {
    const { table, seat, prompt } = guest;
    const { messages, reward, penalty, paid } = readNews(guest);
    this.#lastReward = reward;
    this.told = formatMessages(messages);
    return {
      observation: {
        prompt: this.#prompt,
        messages: messages.map((message) => ({
          sender_id: message.from === undefined ? -1 : table.seats.indexOf(message.from),
          content: message.text,
          category: first && prompt.includes(message) ? 'PROMPT' : message.from === undefined ? 'GAME_MESSAGE' : 'MESSAGE',
          ...(message.data === undefined ? {} : { data: message.data }),
        })),
        current_player_id: table.seats.indexOf(seat),
        legal_players: this.#players,
        info: standing(guest, penalty),
      },
      reward: first && !paid ? null : reward,
      done: guest.over,
    };
  }
}
