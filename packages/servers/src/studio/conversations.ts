/**
 * @file Conversations with characters: each is an episode of the environment "chat", and what it is held with is in a journal next to it,
 * or, where it was held at a terminal, in its run.
 *
 * Nothing is held between two turns: the log says where a conversation stands, and it is resumed from there. Another answer, another word of
 * one's own and a cut are branches: what was said before is never changed.
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

/** What a conversation is held with. Its latest entry counts. */
export type ChatEntry = {
  readonly episode: string;
  readonly persona: Json;
  /** Where its portrait is; null where it has none. */
  readonly portrait: string | null;
  /** The other characters of a group. */
  readonly others?: readonly { readonly persona: Json; readonly portrait: string | null }[];
  readonly group?: ChatGroup;
  readonly model: string | null;
  readonly settings: ChatSettings;
  /** What the person has changed in the memory of each seat; changes apply to the next answer. */
  readonly memories?: Readonly<Record<Seat, MemoryEdits>>;
  readonly title: string;
  readonly hidden: boolean;
  /** Where it branched off; `at` is the event in whose place something else was said. */
  readonly fork: { readonly episode: string; readonly at: number } | null;
  /** Where it was left that was held at a terminal: nothing is added to its log, and who goes on branches off there. */
  readonly left?: number;
  /** The newest episode of the store when it was touched last: where it is in the list. */
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
  /** Those of the terminal that the journal says nothing of. */
  #talks: ReadonlyMap<string, ChatEntry> = new Map();
  /** What is being answered now, by the conversation that it is asked in, with the words so far and how to stop it. */
  readonly #going = new Map<string, Going>();
  /** The person's words that were not answered last, and why. */
  readonly #failed = new Map<string, { readonly text: string; readonly error: string }>();
  #known = 0;
  #noting: Promise<unknown> = Promise.resolve();

  constructor(store: Store, place: WorkingFolder) {
    this.#store = store;
    this.#place = place;
    this.#marks = new OwnMarks(place);
    this.#terminal = new TerminalTalks(store, place);
  }

  /** All that are not hidden, the one that was touched last first. One that was left and continued stands there as what it has become. */
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

  /** Begins: the character greets, where it has a greeting. */
  async begin(result: Omit<ChatEntry, 'episode' | 'fork' | 'hidden'>, greeting: number): Promise<string> {
    const { persona, portrait, others = [], group, model, settings, title } = result;
    const current = { persona, portrait, others, ...(group === undefined ? {} : { group }), model, settings, title };
    const entry: ChatEntry = { ...current, episode: idOf(), hidden: false, fork: null };
    await this.#turn(entry, [], { greeting });
    await this.#note(entry);
    return entry.episode;
  }

  async change(episode: string, change: ChatChange): Promise<void> {
    // What is no character is refused before it is kept.
    peopleOf({ ...(await this.entry(episode)), ...change });
    await this.#update(episode, change);
  }

  /** Says something, and resolves with the conversation that goes on once it is answered. `hear` gets the answer as far as it is written. */
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

  /** Goes on with a conversation that was left: in a branch, as a log that has ended stays as it is, and one of a terminal is written there. */
  async #goOn(entry: ChatEntry, before: readonly EpisodeEvent[], statement: Pick<TurnOptions, 'text' | 'hear'>): Promise<string> {
    const at = placeToGoOn(before);
    if (at === null) throw new Fault('input', 'This conversation has used all its turns. Start a new one.');
    const { left: _, ...branchFields } = entry;
    const branch: ChatEntry = { ...branchFields, episode: idOf(), fork: { episode: entry.episode, at } };
    await this.#turn(branch, before, { ...statement, at, parent: entry.episode }, entry.episode);
    await this.#note(branch);
    return branch.episode;
  }

  /** What the model would say next in the person's place. Nothing is kept of it: the person may send it, or not. */
  async draft(episode: string): Promise<string> {
    const entry = await this.entry(episode);
    if (entry.model === null) throw new Fault('input', 'Writing a message for you needs a model. Choose one in the settings of this chat.');
    const stop = new AbortController();
    return draftFor(this.#place, await this.#store.events(episode), { entry, stop: stop.signal });
  }

  readonly #recall: TurnOptions['recall'] = async (agent, seat) =>
    this.#place.env['LUDUS_MEMORY'] === 'off' ? emptyMemory : recallFrom(this.#store, agent, seat);

  /** Branches off at something that was said: with other words, with another answer, or with nothing, so that it was never said. */
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

  /** The conversations that say something else in the place of an event, and this one among them. */
  siblings(entry: ChatEntry, at: number): readonly string[] {
    const base = this.#baseOf(entry, at);
    const others = this.#shown().flatMap(({ fork, episode }) => (fork?.episode === base && fork.at === at ? [episode] : []));
    // Where it was left, the first of them says nothing.
    const first = this.#find(base)?.left === at ? [] : [base];
    return [...first, ...others.sort((a, b) => this.#born(a) - this.#born(b))];
  }

  /** Which of them is in this conversation. */
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

  /** What is being said now, for a page that did not ask for it. */
  writing(episode: string): ChatWriting | null {
    const going = this.#going.get(episode);
    if (going === undefined) return null;
    return { text: going.text, from: going.from, answers: [...going.answers].map(([seat, soFar]) => ({ seat, soFar })) };
  }

  /** The person's last words where they were not answered. */
  failed(episode: string): { readonly text: string; readonly error: string } | null {
    return this.#failed.get(episode) ?? null;
  }

  stop(episode: string): void {
    this.#going.get(episode)?.stop.abort();
  }

  close(): void {
    for (const { stop } of this.#going.values()) stop.abort();
  }

  /** The conversation that everything else in the place of an event branched off from. */
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

  /** `shown` is the conversation on the page, which may be another than the one that is branched off from. */
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
      const spoken = await speakTurn(this.#place, before, { ...how, hear, entry, recall: this.#recall, stop: stop.signal });
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

  /** The run of a new conversation, which stores its personas so that it can be scored. */
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
    // A read that started at the same time may have been faster.
    const fresh = notes.slice(this.#known - from);
    this.#known += fresh.length;
    // A journal may have been imported, and names a model to be paid: only what was begun here goes on.
    for (const entry of this.#marks.only(fresh) as readonly ChatEntry[]) {
      if (!this.#births.has(entry.episode)) this.#births.set(entry.episode, this.#births.size);
      this.#entries.delete(entry.episode);
      this.#entries.set(entry.episode, entry);
    }
    this.#talks = await this.#terminal.list(this.#entries);
  }

  /** Changes a conversation as it is when its turn comes: of two changes at the same time neither undoes the other. */
  #update(episode: string, change: ChatChange): Promise<unknown> {
    return this.#write(async () => ({ ...(await this.entry(episode)), ...change }));
  }

  #note(entry: ChatEntry): Promise<unknown> {
    return this.#write(async () => entry);
  }

  /** One after the other; where another server wrote in between, after what it wrote. */
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
