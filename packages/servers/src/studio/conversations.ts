/**
 * @file Conversations with characters: each is an episode of the environment "chat", and its settings are in a journal,
 * or, for terminal conversations, in its run.
 *
 * No state is held between turns: a conversation is resumed from its log. Alternative answers, edited messages
 * and cuts are branches: earlier messages never change.
 */

import { randomBytes } from 'node:crypto';
import { emptyMemory } from '@ludus-agents/agents/internal/mind/memory';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { putStudioRun, studioRun } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { recallFrom } from '@ludus-agents/agents/internal/workspace/lasting-memory';
import { placeToGoOn } from '@ludus-agents/environments/internal/chat';
import { type EpisodeEvent, Fault, type Json, type Seat, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeRecorder } from '@ludus-agents/kernel/internal/engine/record';
import { OwnMarks } from '@ludus-agents/store/internal/own-mark';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { NotFound } from '../app.ts';
import type { ChatForkRequest, ChatGroup, ChatSettings, ChatWriting, MemoryEdits } from './api.ts';
import { castOf, environmentOf, peopleOf } from './chat-people.ts';
import { draftFor, type Hear, type Spoken, speakTurn, type TurnOptions } from './chat-turn.ts';
import { TerminalTalks } from './terminal-talks.ts';

/** The settings of a conversation. Its latest entry counts. */
export type ChatEntry = {
  readonly episode: string;
  readonly persona: Json;
  /** The address of its portrait; null if it has none. */
  readonly portrait: string | null;
  /** The other characters of a group. */
  readonly others?: readonly { readonly persona: Json; readonly portrait: string | null }[];
  readonly group?: ChatGroup;
  readonly model: string | null;
  readonly settings: ChatSettings;
  /** The person's changes in the memory of each seat; they apply to the next answer. */
  readonly memories?: Readonly<Record<Seat, MemoryEdits>>;
  readonly title: string;
  readonly hidden: boolean;
  /** The origin of a branch; `at` is the replaced event. */
  readonly fork: { readonly episode: string; readonly at: number } | null;
  /** The end of a finished terminal conversation: its log stays unchanged, and continuing it creates a branch there. */
  readonly left?: number;
  /** The newest episode of the store when it was last used: its position in the list. */
  readonly order?: number;
};

export type ChatChange = Partial<Pick<ChatEntry, 'persona' | 'others' | 'model' | 'settings' | 'memories' | 'title' | 'hidden'>>;

const journal = 'chats';

interface Going {
  readonly stop: AbortController;
  readonly text: string | null;
  readonly from: number | null;
  readonly answers: Map<Seat, string>;
}

export class Conversations {
  readonly #store: Store;
  readonly #place: WorkingFolder;
  readonly #marks: OwnMarks;
  readonly #terminal: TerminalTalks;
  readonly #entries = new Map<string, ChatEntry>();
  /** Terminal conversations that the journal does not mention. */
  #talks: ReadonlyMap<string, ChatEntry> = new Map();
  /** Answers in progress by conversation, with the text so far and a function to stop. */
  readonly #going = new Map<string, Going>();
  /** The person's last unanswered message, and the reason. */
  readonly #failed = new Map<string, { readonly text: string; readonly error: string }>();
  #known = 0;
  #noting: Promise<unknown> = Promise.resolve();

  constructor(store: Store, place: WorkingFolder) {
    this.#store = store;
    this.#place = place;
    this.#marks = new OwnMarks(place);
    this.#terminal = new TerminalTalks(store, place);
  }

  /** All conversations that are not hidden, most recently used first. A finished and continued one is listed as its continuation. */
  async list(): Promise<readonly ChatEntry[]> {
    await this.#read();
    const chatEntries = this.#shown();
    const goneOn = new Set(chatEntries.flatMap(({ fork }) => (fork === null ? [] : [`${fork.episode} ${fork.at}`])));
    return chatEntries
      .filter(({ episode, left }) => left === undefined || !goneOn.has(`${episode} ${left}`))
      .sort((a, b) => (b.order ?? 0) - (a.order ?? 0));
  }

  async entry(episode: string): Promise<ChatEntry> {
    await this.#read();
    const chatEntry = this.#find(episode) ?? (await this.#terminal.find(episode));
    if (chatEntry === null) throw new NotFound(`Conversation "${episode.slice(0, 60)}" not found.`);
    return chatEntry;
  }

  #find(episode: string): ChatEntry | undefined {
    return this.#entries.get(episode) ?? this.#talks.get(episode);
  }

  #shown(): readonly ChatEntry[] {
    return [...[...this.#entries.values()].reverse(), ...this.#talks.values()].filter(({ hidden }) => !hidden);
  }

  events(episode: string): Promise<readonly EpisodeEvent[]> {
    return this.#store.events(episode);
  }

  /** Starts a conversation: the character sends its greeting, if any. */
  async begin(result: Omit<ChatEntry, 'episode' | 'fork' | 'hidden'>, greeting: number): Promise<string> {
    const { persona, portrait, others = [], group, model, settings, title } = result;
    const current = { persona, portrait, others, ...(group === undefined ? {} : { group }), model, settings, title };
    const entry: ChatEntry = { ...current, episode: idOf(), hidden: false, fork: null };
    await this.#turn(entry, [], { greeting });
    await this.#note(entry);
    return entry.episode;
  }

  async change(episode: string, change: ChatChange): Promise<void> {
    // Invalid characters are rejected before anything is stored.
    peopleOf({ ...(await this.entry(episode)), ...change });
    await this.#update(episode, change);
  }

  /** Sends a message, and resolves with the continued conversation once it is answered. `hear` receives the partial answer. */
  async say(episode: string, text: string, hear: Hear): Promise<string> {
    const entry = await this.entry(episode);
    const before = await this.#store.events(episode);
    const left = entry.left !== undefined || before.at(-1)?.kind === 'end';
    if (left) return this.#goOn(entry, before, { text, hear });
    await this.#turn(entry, before, { text, hear });
    // The most recently used conversation comes first, with changes made while the answer was written.
    await this.#update(episode, {});
    return episode;
  }

  /** Continues a finished conversation in a branch, because an ended log stays as it is and a terminal writes its own. */
  async #goOn(entry: ChatEntry, before: readonly EpisodeEvent[], statement: Pick<TurnOptions, 'text' | 'hear'>): Promise<string> {
    const at = placeToGoOn(before);
    if (at === null) throw new Fault('input', 'This conversation has used all its turns. Start a new one.');
    const { left: _, ...branchFields } = entry;
    const branch: ChatEntry = { ...branchFields, episode: idOf(), fork: { episode: entry.episode, at } };
    await this.#turn(branch, before, { ...statement, at, parent: entry.episode }, entry.episode);
    await this.#note(branch);
    return branch.episode;
  }

  /** A model's suggestion for the person's next message. It is not stored; the person may send it or not. */
  async draft(episode: string): Promise<string> {
    const entry = await this.entry(episode);
    if (entry.model === null) throw new Fault('input', 'Writing a message for you needs a model. Choose one in the settings of this chat.');
    const stop = new AbortController();
    return draftFor(this.#place, await this.#store.events(episode), { entry, stop: stop.signal });
  }

  /**
   * What a character remembers of other conversations: their versions used last, since what was edited away was never said. The versions of this
   * conversation bring their memories in their own logs.
   */
  #recallFor(entry: ChatEntry): TurnOptions['recall'] {
    const root = this.rootOf(entry);
    const latest = new Map<string, ChatEntry>();
    for (const other of [...this.#talks.values(), ...this.#entries.values()]) {
      const newest = latest.get(this.rootOf(other));
      if (newest === undefined || (other.order ?? 0) >= (newest.order ?? 0)) latest.set(this.rootOf(other), other);
    }
    const counts = (episode: string) => {
      const other = this.#find(episode);
      if (other === undefined) return true;
      const otherRoot = this.rootOf(other);
      return otherRoot !== root && latest.get(otherRoot)?.episode === episode;
    };
    return async (agent, seat) => (this.#place.env['LUDUS_MEMORY'] === 'off' ? emptyMemory : recallFrom(this.#store, agent, seat, counts));
  }

  /** Branches off at a message: with other text, with another answer, or without it, as if it had never been said. */
  async fork(episode: string, { at, text }: ChatForkRequest, hear: Hear): Promise<string> {
    const entry = await this.entry(episode);
    const event = (await this.#store.events(episode))[at];
    if (event?.kind !== 'action') throw new Fault('input', `Event ${at} of this conversation is not a message.`);
    const base = this.#baseOf(entry, at);
    const { left: _, ...branchFields } = entry;
    const branch: ChatEntry = { ...branchFields, episode: idOf(), fork: { episode: base, at } };
    const spoken = event.seat === 'user' ? { text } : { answer: text === undefined ? undefined : { seat: event.seat, text } };
    await this.#turn(branch, await this.#store.events(base), { ...spoken, at, parent: base, hear }, episode);
    await this.#note(branch);
    return branch.episode;
  }

  /** The conversations with alternatives to an event, including this one. */
  siblings(entry: ChatEntry, at: number): readonly string[] {
    const base = this.#baseOf(entry, at);
    const others = this.#shown().flatMap(({ fork, episode }) => (fork?.episode === base && fork.at === at ? [episode] : []));
    // At the end of the finished conversation, the first alternative is empty.
    const first = this.#find(base)?.left === at ? [] : [base];
    return [...first, ...others.sort((a, b) => this.#born(a) - this.#born(b))];
  }

  /** The alternative in this conversation. */
  episodeAt(entry: ChatEntry, at: number): string {
    let chatEntry = entry;
    while (chatEntry.fork !== null && chatEntry.fork.at > at)
      chatEntry = this.#find(chatEntry.fork.episode) ?? { ...chatEntry, fork: null };
    return chatEntry.episode;
  }

  /** The conversation that this one and all its alternatives started from. */
  rootOf(entry: ChatEntry): string {
    let current = entry;
    for (;;) {
      const parent = current.fork === null ? undefined : this.#find(current.fork.episode);
      if (parent === undefined) return current.episode;
      current = parent;
    }
  }

  isGoing(episode: string): boolean {
    return this.#going.has(episode);
  }

  /** The messages in progress, for other pages. */
  writing(episode: string): ChatWriting | null {
    const going = this.#going.get(episode);
    if (going === undefined) return null;
    return { text: going.text, from: going.from, answers: [...going.answers].map(([seat, soFar]) => ({ seat, soFar })) };
  }

  /** The person's last message, if unanswered. */
  failed(episode: string): { readonly text: string; readonly error: string } | null {
    return this.#failed.get(episode) ?? null;
  }

  stop(episode: string): void {
    this.#going.get(episode)?.stop.abort();
  }

  close(): void {
    for (const { stop } of this.#going.values()) stop.abort();
  }

  /** The conversation that all alternatives to an event branched off from. */
  #baseOf(entry: ChatEntry, at: number): string {
    let chatEntry = entry;
    for (;;) {
      const { fork } = chatEntry;
      if (fork === null || fork.at < at) return chatEntry.episode;
      const parent = this.#find(fork.episode);
      if (parent === undefined) return chatEntry.episode;
      if (fork.at === at) return parent.episode;
      chatEntry = parent;
    }
  }

  #births = new Map<string, number>();

  #born(episode: string): number {
    return this.#births.get(episode) ?? 0;
  }

  /** `shown` is the conversation on the page, which may differ from the one that is branched off from. */
  async #turn(
    entry: ChatEntry,
    before: readonly EpisodeEvent[],
    how: Omit<TurnOptions, 'entry' | 'stop' | 'recall'>,
    display = entry.episode,
  ): Promise<Spoken> {
    if (this.#going.has(display)) throw new Fault('input', 'An answer is still being written. Wait for it, or stop it.');
    const stop = new AbortController();
    const going: Going = { stop, text: how.text ?? null, from: how.at ?? null, answers: new Map() };
    const hear: Hear = (soFar, seat) => {
      going.answers.set(seat, soFar);
      how.hear?.(soFar, seat);
    };
    this.#going.set(display, going);
    this.#failed.delete(display);
    try {
      const spoken = await speakTurn(this.#place, before, { ...how, hear, entry, recall: this.#recallFor(entry), stop: stop.signal });
      const run = spoken.from > 0 ? undefined : await this.#run(entry, spoken.fresh[0]);
      const recorder = new EpisodeRecorder({ store: this.#store, episode: entry.episode, from: spoken.from, run });
      recorder.append(spoken.fresh);
      await recorder.flush();
      return spoken;
    } catch (thrown) {
      if (how.text !== undefined) this.#failed.set(display, { text: how.text, error: sentenceOf(thrown) });
      throw thrown;
    } finally {
      this.#going.delete(display);
    }
  }

  /** The run of a new conversation, which stores its personas for scoring. */
  async #run(entry: ChatEntry, opening: EpisodeEvent | undefined): Promise<string | undefined> {
    if (opening?.kind !== 'start') return undefined;
    const { task, seed } = opening;
    const people = peopleOf(entry);
    const cast = { ...castOf(entry), user: 'human' };
    const title = people
      .map(({ persona }) => persona.id)
      .join('-')
      .slice(0, 80);
    return putCastRun(this.#store, { kind: 'chat', title, environment: environmentOf(entry), task, seed, cast });
  }

  async #read(): Promise<void> {
    const from = this.#known;
    const notes = await this.#store.notes(studioRun, journal, from);
    // A concurrent read may have finished first.
    const fresh = notes.slice(this.#known - from);
    this.#known += fresh.length;
    // An imported journal may name a paid model: only conversations started here continue.
    for (const entry of this.#marks.only(fresh) as readonly ChatEntry[]) {
      if (!this.#births.has(entry.episode)) this.#births.set(entry.episode, this.#births.size);
      this.#entries.delete(entry.episode);
      this.#entries.set(entry.episode, entry);
    }
    this.#talks = await this.#terminal.list(this.#entries);
  }

  /** Changes a conversation atomically: concurrent changes do not undo each other. */
  #update(episode: string, change: ChatChange): Promise<unknown> {
    return this.#write(async () => ({ ...(await this.entry(episode)), ...change }));
  }

  #note(entry: ChatEntry): Promise<unknown> {
    return this.#write(async () => entry);
  }

  /** Sequential; if another server wrote in between, after its entries. */
  #write(read: () => Promise<ChatEntry>): Promise<unknown> {
    const write = async () => {
      const entry = await read();
      const [newest] = await this.#store.episodes({ limit: 1 });
      const note = { ...entry, order: newest?.order ?? 0 } as Json;
      this.#marks.add(note);
      for (let attempt = 0; ; attempt++) {
        await this.#read();
        try {
          await putStudioRun(this.#store);
          await this.#store.note(studioRun, journal, this.#known, [note]);
          break;
        } catch (thrown) {
          if (attempt === 3) throw thrown;
        }
      }
      await this.#read();
    };
    this.#noting = this.#noting.then(write, write);
    return this.#noting;
  }
}

function idOf(): string {
  return randomBytes(10).toString('hex');
}
