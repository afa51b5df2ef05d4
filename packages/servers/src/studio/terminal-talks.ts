/** @file Terminal conversations as the page shows them: all their data is in their run and their log. */

import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { castFrom, trustOf } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { placeToGoOn } from '@ludus-agents/environments/internal/chat';
import type { AgentSpec, EpisodeEvent, EpisodeRecord, Json, JsonObject, RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { ChatEntry } from './conversations.ts';

/** The number of conversations in a list. */
const most = 300;
/** The number of ended conversations in memory: those of a list, and others that were opened. */
const mostEnded = 2 * most;

export class TerminalTalks {
  readonly #store: Store;
  readonly #place: WorkingFolder;
  /** Ended conversations don't change any more; null if it isn't a conversation with a person. */
  readonly #ended = new Map<string, ChatEntry | null>();

  constructor(store: Store, place: WorkingFolder) {
    this.#store = store;
    this.#place = place;
  }

  /** How many ended conversations are in memory. */
  get size(): number {
    return this.#ended.size;
  }

  /** The latest conversations that are not already known. */
  async list(knownEntries: ReadonlyMap<string, unknown>): Promise<ReadonlyMap<string, ChatEntry>> {
    const talks = new Map<string, ChatEntry>();
    for (const record of await this.#store.episodes({ environment: 'chat@1', limit: most })) {
      if (knownEntries.has(record.id)) continue;
      const entry = await this.#entry(record);
      if (entry !== null) talks.set(entry.episode, entry);
    }
    return talks;
  }

  async find(episode: string): Promise<ChatEntry | null> {
    const record = await this.#store.episode(episode);
    return record === null ? null : this.#entry(record);
  }

  async #entry(record: EpisodeRecord): Promise<ChatEntry | null> {
    const chatEntry = this.#ended.get(record.id);
    if (chatEntry !== undefined) {
      this.#keep(record.id, chatEntry);
      return chatEntry;
    }
    const isTalk = record.environment === 'chat@1' && record.cast['user'] === 'human' && record.run?.startsWith('chat-');
    const run = isTalk && record.run !== null ? await this.#store.run(record.run) : null;
    const entry = run === null ? null : this.#read(record, run, await this.#store.events(record.id));
    if (record.status !== 'running') this.#keep(record.id, entry);
    return entry;
  }

  /** The most recently requested ones are retained. */
  #keep(episode: string, entry: ChatEntry | null): void {
    this.#ended.delete(episode);
    this.#ended.set(episode, entry);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > mostEnded) this.#ended.delete(oldest as string);
  }

  #read(record: EpisodeRecord, run: RunRecord, events: readonly EpisodeEvent[]): ChatEntry | null {
    const [start] = events;
    if (start?.kind !== 'start') return null;
    const spec = castFrom(start, run)['character'];
    if (typeof spec !== 'object' || spec.persona === undefined) return null;
    try {
      const persona = parsePersona(spec.persona);
      const { user } = record.task as { readonly user?: string };
      const { fork } = start;
      return {
        episode: record.id,
        persona: persona as Json,
        portrait: null,
        model: this.#modelOf(spec, run.id),
        settings: { ...settingsOf(spec), ...(user === undefined || user === 'the visitor' ? {} : { user }) },
        title: persona.name,
        hidden: false,
        fork: fork?.episode === undefined ? null : { episode: fork.episode, at: fork.at },
        left: placeToGoOn(events) ?? events.length,
        order: record.order,
      };
    } catch {
      // An imported run may name something that is not a persona.
      return null;
    }
  }

  /** A conversation started here keeps its model; an imported one makes no calls before the user names a model. */
  #modelOf(spec: AgentSpec, run: string): string | null {
    try {
      return spec.model !== undefined && trustOf(spec, run, this.#place).isUser ? spec.model : null;
    } catch {
      return null;
    }
  }
}

function settingsOf({ settings = {} }: AgentSpec): ChatEntry['settings'] {
  const { temperature, topP, maxTokens } = settings as JsonObject;
  return Object.fromEntries(Object.entries({ temperature, topP, maxTokens }).filter(([, value]) => typeof value === 'number'));
}
