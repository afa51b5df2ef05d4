/** @file Conversations of callers with one persona. Each is an episode of `chat`, identified by the caller's protocol context. */

import { chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type AgentSpec, Fault } from '@ludus-agents/kernel/internal/core/index';
import type { EpisodeHost } from '../episode-host.ts';
import type { RemoteSeat } from '../hosted-episode.ts';
import type { Sessions } from '../sessions.ts';

/** A caller that talks with a persona. */
export interface Talk {
  readonly guest: RemoteSeat;
  close(): void;
}

export interface ConversationsOptions {
  readonly name: string;
  readonly persona: Persona;
  readonly episodeHost: EpisodeHost;
  readonly sessionTable: Sessions<Talk>;
  /** The agent that plays it; by default, a script with the lines on its card. */
  readonly model: string | undefined;
}

export class Conversations {
  readonly #options: ConversationsOptions;
  /** Conversations that are being started, so two simultaneous messages start only one. */
  readonly #beginning = new Map<string, Promise<RemoteSeat>>();

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  /** The context of a conversation, which is started if it is new. */
  async open(caller: string, wanted: string): Promise<string> {
    if (wanted === '') {
      const guest = await this.#begin();
      this.#admit(caller, guest.table.id, guest);
      return guest.table.id;
    }
    const key = this.#key(caller, wanted);
    if (this.#options.sessionTable.find({ id: caller }, key) !== null) return wanted;
    const begun =
      this.#beginning.get(key) ??
      this.#begin().then((guest) => {
        this.#admit(caller, wanted, guest);
        return guest;
      });
    this.#beginning.set(key, begun);
    try {
      await begun;
    } finally {
      this.#beginning.delete(key);
    }
    return wanted;
  }

  /** Whether the persona is ready for a message. */
  isWaiting(caller: string, context: string): boolean {
    const guest = this.#options.sessionTable.find({ id: caller }, this.#key(caller, context))?.guest;
    return guest !== undefined && guest.ask !== null;
  }

  /** Sends a message and returns the answer; null if the conversation was canceled in the meantime. */
  async say(caller: string, context: string, text: string): Promise<string | null> {
    const { sessionTable, persona } = this.#options;
    const key = this.#key(caller, context);
    const guest = sessionTable.find({ id: caller }, key)?.guest;
    if (guest === undefined) return null;
    guest.answer({ text });
    await guest.ready();
    const answer = guest.news().messages.filter(({ from }) => from === 'character');
    if (guest.over) sessionTable.close({ id: caller }, key);
    if (answer.length > 0) return answer.map((messageEvent) => messageEvent.text).join('\n');
    if (guest.table.course.events.at(-1)?.kind === 'end' && isCalledOff(guest)) return null;
    throw new Fault('server', `${persona.name} could not answer; the conversation is over.`);
  }

  /** Cancels a conversation and stops the agent that plays the persona. */
  leave(caller: string, context: string): void {
    this.#options.sessionTable.close({ id: caller }, this.#key(caller, context));
  }

  #key(caller: string, context: string): string {
    return JSON.stringify([this.#options.name, caller, context]);
  }

  #admit(caller: string, context: string, guest: RemoteSeat): void {
    const make = () => ({ guest, close: () => guest.table.leave() });
    const place = this.#options.sessionTable.admit({ id: caller }, make, { id: this.#key(caller, context) });
    if (!('full' in place)) return;
    guest.table.leave();
    throw new Fault('server', place.full);
  }

  async #begin(): Promise<RemoteSeat> {
    const { persona, episodeHost, model } = this.#options;
    const spec: AgentSpec | undefined = model === undefined ? undefined : { name: persona.name, kind: 'llm', model, persona: persona };
    const guest = await episodeHost.sit({
      environment: 'chat',
      run: 'a2a',
      name: 'a2a',
      seat: 'user',
      task: chatTask(persona, model === undefined ? {} : { model }),
      ...(spec === undefined ? {} : { cast: { character: spec } }),
    });
    // The greeting was sent before any call.
    guest.news();
    return guest;
  }
}

function isCalledOff({ table }: RemoteSeat): boolean {
  const end = table.course.events.at(-1);
  return end?.kind === 'end' && end.reason === 'abort';
}
