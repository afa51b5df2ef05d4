/** @file A conversation at the terminal: lines become turns; slash commands look back, branch, or change it; each branch is an episode. */

import { randomBytes, randomInt } from 'node:crypto';
import { explainAction } from '@ludus-agents/agents/internal/explain-action';
import { Keyboard } from '@ludus-agents/agents/internal/keyboard';
import { readMind } from '@ludus-agents/agents/internal/mind/mind';
import { once } from '@ludus-agents/agents/internal/once';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { placeToGoOn } from '@ludus-agents/environments/internal/chat';
import {
  type ActionEvent,
  type Agent,
  type AnyEnvironment,
  type EpisodeEvent,
  Fault,
  type Json,
  printable,
  type Reply,
  type Seat,
  type Store,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import type { Playing } from '@ludus-agents/kernel/internal/engine/episode-player';
import { fork, play } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import { brief } from '@ludus-agents/store/internal/stores';
import { type ChatCommand, chatHelp, readCommand, type Wish } from './chat-wish.ts';
import { becauseText, moodText } from './render/character.ts';
import { type Colours, coloursFor } from './render/colours.ts';
import { LiveText } from './render/live-text.ts';
import { wrap } from './render/width.ts';
import { columnsOf, type Screen, type Terminal } from './terminal.ts';

export interface ChatSetting {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly store: Store;
  /** The run that every branch belongs to. */
  readonly run: string;
  readonly environment: AnyEnvironment;
  /** The task with one of the greetings, counted from 1. */
  readonly taskWith: (greeting: number) => Json;
  readonly seed: number;
  /** The participants, by seat. */
  readonly people: ReadonlyMap<Seat, Persona>;
  /** The greetings of the first of them. */
  readonly greetings: readonly string[];
  /** Everyone but the person, as agents; with an author's note if given. */
  readonly castWith: (note: string) => Promise<Readonly<Record<Seat, Agent>>>;
  readonly note: string;
  /** Writes the person's message; undefined without a model. */
  readonly impersonator: Agent | undefined;
  readonly signal: AbortSignal;
}

/** The number of earlier events shown when a conversation is resumed. */
const shownAgain = 8;

/** A conversation, or a branch of one. */
export interface ChatBranch {
  readonly id: string;
  readonly events: readonly EpisodeEvent[];
}

export class ChatSession {
  readonly #setting: ChatSetting;
  readonly #colours: Colours;
  readonly #columns: number;
  #events: EpisodeEvent[] = [];
  #id = '';
  #wish: Wish | null = null;
  #leave = new AbortController();
  /** The new events of each branch, so discarded answers count, and copied ones do not count again. */
  readonly #added: EpisodeEvent[] = [];
  #spoken = '';
  #flow: LiveText | null = null;
  #note: string;
  /** The person's next message, if a command has already provided it. */
  #prepared: string | null = null;
  /** The alternative answers to the last message, each as a branch, and the event in which they differ. */
  #swipes: { readonly at: number; readonly branches: ChatBranch[] } | null = null;

  constructor(setting: ChatSetting) {
    this.#setting = setting;
    this.#note = setting.note;
    this.#colours = coloursFor(setting.screen, setting.terminal.env);
    this.#columns = Math.min(92, columnsOf(setting.screen));
  }

  /** Talks until the person leaves. Returns the id and the log of the last branch, and the new events of all branches. */
  async hold(greeting: number, earlier?: ChatBranch): Promise<ChatBranch & { readonly added: readonly EpisodeEvent[] }> {
    const { environment, seed } = this.#setting;
    const agents = { ...(await this.#setting.castWith(this.#note)), user: this.#person() };
    // A person who resumes withdraws the earlier goodbye.
    const left = earlier === undefined ? 0 : (placeToGoOn(earlier.events) ?? lastOf(earlier.events, isPersons));
    let next: NextBranch =
      earlier === undefined
        ? { stream: play(environment, agents, { task: this.#setting.taskWith(greeting), seed, ...this.#signals() }), copied: 0, shown: 0 }
        : {
            stream: fork(environment, earlier.events, left, agents, { ...this.#signals(), episode: earlier.id }),
            ...{ copied: left, shown: Math.max(0, left - shownAgain) },
          };
    for (;;) {
      await this.#follow(next);
      const wish = this.#wish;
      if (wish === null) return { id: this.#id, events: this.#events, added: this.#added };
      this.#leave = new AbortController();
      this.#wish = null;
      next = await this.#branch(wish, { id: this.#id, events: this.#events });
    }
  }

  #signals(): { readonly signal: AbortSignal } {
    return { signal: AbortSignal.any([this.#setting.signal, this.#leave.signal]) };
  }

  /** The branch that a command leads to. Its log starts with the retained part of the current one. */
  async #branch(wish: Wish, present: ChatBranch): Promise<NextBranch> {
    const { environment, seed, taskWith } = this.#setting;
    const agents: Record<Seat, Agent> = { ...(await this.#recast(wish)), user: this.#person() };
    const from = ({ id, events }: ChatBranch, at: number, more: { readonly seed?: number } = {}): NextBranch => ({
      stream: fork(environment, events, at, agents, { ...this.#signals(), episode: id, ...more }),
      ...{ copied: at, shown: at },
    });
    const open = present.events.length - 1;
    const answer = lastOf(present.events, isCharacters);
    switch (wish.kind) {
      case 'fork':
        this.#say(`Saved as ${brief(present.id)}. You are now in a copy.`);
        return from(present, open);
      case 'undo':
        this.#say('Undone.');
        return from(present, lastOf(present.events, isPersons));
      case 'edit':
        this.#prepared = wish.text;
        return from(present, lastOf(present.events, isPersons));
      case 'note':
        this.#say(wish.text === '' ? 'Author’s note removed.' : 'Author’s note set.');
        return from(present, open);
      case 'greeting':
        return { stream: play(environment, agents, { task: taskWith(wish.number), seed, ...this.#signals() }), copied: 0, shown: 0 };
      case 'again': {
        if (this.#swipes?.at !== answer) this.#swipes = { at: answer, branches: [] };
        this.#swipes.branches.push(present);
        return from(present, answer, { seed: randomInt(2 ** 31) });
      }
      case 'rewrite': {
        const { seat } = present.events[answer] as ActionEvent;
        agents[seat] = once(wish.text, agents[seat]!);
        return from(present, answer);
      }
      case 'swipe': {
        const branches = this.#answers();
        const chatBranch = branches[wish.number - 1]!;
        this.#swipes = { at: this.#swipes!.at, branches: branches.filter((branch) => branch !== chatBranch) };
        return { ...from(chatBranch, chatBranch.events.length - 1), shown: this.#swipes.at };
      }
    }
  }

  async #recast(wish: Wish): Promise<Readonly<Record<Seat, Agent>>> {
    if (wish.kind === 'note') this.#note = wish.text;
    return this.#setting.castWith(this.#note);
  }

  /** The answers to the last message: discarded ones, followed by the current one. */
  #answers(): readonly ChatBranch[] {
    const present = { id: this.#id, events: this.#events };
    const at = lastOf(this.#events, isCharacters);
    return this.#swipes?.at === at ? [...this.#swipes.branches, present] : [present];
  }

  /** The part of an answer that was shown while it was being written. */
  hear(seat: Seat, soFar: string): void {
    // A director only selects the next speaker.
    if (!this.#setting.people.has(seat) || !soFar.startsWith(this.#spoken) || soFar === this.#spoken) return;
    this.#flow ??= this.#begin(seat);
    this.#flow.add(printable(soFar.slice(this.#spoken.length)));
    this.#spoken = soFar;
  }

  /** Adds one branch: to the store, and to the screen from event `shown` on. */
  async #follow({ stream, copied, shown }: NextBranch): Promise<void> {
    const { store, run } = this.#setting;
    this.#id = randomBytes(10).toString('hex');
    this.#events = [];
    await recordEpisode(stream, new EpisodeRecorder({ store, episode: this.#id, run }), {
      durable: true,
      onEvents: (events) => {
        for (const event of events) {
          const index = this.#events.push(event) - 1;
          if (index >= copied) this.#added.push(event);
          if (index >= shown) this.#show(event, index < copied);
        }
      },
    });
  }

  /** The user's own lines are shown only if they are from an earlier conversation: the others are still on the screen. */
  #show(event: EpisodeEvent, isEarlier: boolean): void {
    const { screen, people } = this.#setting;
    if (isEarlier && event.kind === 'action' && event.seat === 'user' && event.action.text !== '/quit')
      screen.write(`${this.#colours.faint('you ›')} ${printable(event.action.text)}\n\n`);
    if (event.kind === 'action' && people.has(event.seat)) this.#finish(event.seat, event.action.text);
    // A greeting is also by the character, but it is no answer.
    if (event.kind === 'message' && event.from !== undefined && people.has(event.from) && event.to.includes(event.from))
      this.#finish(event.from, event.text);
    if (event.kind === 'message' && usedUp.includes(event.text)) this.#say(event.text);
    if (event.kind === 'end' && event.fault !== undefined && this.#wish === null)
      screen.write(`${this.#colours.red(printable(event.fault.message))}\n`);
  }

  /** Writes the part of an answer that was not shown while it was written. */
  #finish(seat: Seat, text: string): void {
    const rest = text.startsWith(this.#spoken) ? text.slice(this.#spoken.length) : this.#spoken === '' ? text : `\n${text}`;
    const flow = this.#flow ?? this.#begin(seat);
    flow.add(text === '' ? this.#colours.faint(noWords) : printable(rest));
    flow.end();
    this.#setting.screen.write('\n');
    this.#flow = null;
    this.#spoken = '';
  }

  #begin(seat: Seat): LiveText {
    const { screen, people } = this.#setting;
    screen.write(`${this.#colours.bold(this.#colours.cyan(printable(people.get(seat)?.name ?? seat)))}\n`);
    return new LiveText((text) => screen.write(text), this.#columns);
  }

  #say(text: string): void {
    this.#setting.screen.write(`${wrap(`  ${text}`, this.#columns).map(this.#colours.faint).join('\n')}\n\n`);
  }

  #person(): Agent {
    const { terminal, screen } = this.#setting;
    const keyboard = Keyboard.of(terminal.stdin);
    return {
      name: 'human',
      act: async (turn, signal) => {
        if (this.#prepared !== null) {
          const text = this.#prepared;
          this.#prepared = null;
          return { action: { text }, edited: true };
        }
        for (;;) {
          const line = await keyboard.read(`${this.#colours.faint('you ›')} `, screen, signal);
          if (line === null) return { action: { text: '/quit' } };
          const text = line.trim();
          if (text === '') continue;
          screen.write('\n');
          if (!text.startsWith('/') || text === '/quit') return { action: { text } };
          const reply = await this.#obey(readCommand(text), turn, signal);
          if (reply !== null) return reply;
        }
      },
    };
  }

  /** Executes a command; returns a reply if the person has said something with it. */
  async #obey(command: ChatCommand, turn: Turn, signal: AbortSignal): Promise<Reply | null> {
    const { screen, people, greetings, impersonator } = this.#setting;
    const spoke = this.#events[lastOf(this.#events, isCharacters)] as ActionEvent | undefined;
    switch (command.kind) {
      case 'continue':
        return { action: { text: '' } };
      case 'impersonate': {
        if (impersonator === undefined) this.#say('Writing your message for you needs a model. Start the chat with --model NAME.');
        else {
          const { action, calls } = await impersonator.act(turn, signal);
          screen.write(`${this.#colours.faint('you ›')} ${printable(action.text)}\n\n`);
          return { action, ...(calls === undefined ? {} : { calls }) };
        }
        return null;
      }
      case 'wish': {
        const problem = this.#problemWith(command.wish);
        if (problem !== null) this.#say(problem);
        else {
          this.#wish = command.wish;
          this.#leave.abort();
          throw new Fault('agent', 'The person continued in another branch.');
        }
        return null;
      }
      case 'why': {
        const persona = spoke === undefined ? undefined : people.get(spoke.seat);
        const why = persona === undefined ? null : explainAction(persona, this.#events, spoke!.seat);
        const text = why === null ? '  No answers yet.' : becauseText(why, { colours: this.#colours, columns: this.#columns });
        screen.write(`${text}\n\n`);
        return null;
      }
      case 'mood':
        this.#say(moodText(spoke?.mind));
        return null;
      case 'memory':
        this.#list(memoriesIn(spoke), 'The character has no memories yet.');
        return null;
      case 'greetings':
        this.#list(greetings, 'The card has no greeting.');
        return null;
      case 'swipes':
        this.#list(this.#answers().flatMap(lastAnswer), 'No answers yet.');
        return null;
      case 'save':
        this.#save(command.text);
        return null;
      default:
        screen.write(`${command.kind === 'unknown' ? `  ${printable(command.text)} is not a command. Commands:\n` : ''}${chatHelp}\n\n`);
        return null;
    }
  }

  /** The reason why a command is not possible now, or null. */
  #problemWith(wish: Wish): string | null {
    const { greetings } = this.#setting;
    if ((wish.kind === 'undo' || wish.kind === 'edit') && lastOf(this.#events, isPersons) < 0) return 'Nothing to undo yet.';
    if ((wish.kind === 'again' || wish.kind === 'rewrite') && lastOf(this.#events, isCharacters) < 0) return 'No answers yet.';
    if (wish.kind === 'swipe' && (wish.number < 1 || wish.number > this.#answers().length))
      return `There are ${this.#answers().length} answers. Type /again for another one.`;
    if (wish.kind === 'greeting' && (wish.number < 1 || wish.number > greetings.length))
      return `The card has ${greetings.length} greetings; /greeting lists them.`;
    return null;
  }

  #list(items: readonly string[], otherwise: string): void {
    if (items.length === 0) this.#say(otherwise);
    else this.#setting.screen.write(`${items.map((item, i) => `  ${i + 1}. ${printable(item.replace(/\s+/g, ' '))}`).join('\n')}\n\n`);
  }

  #save(name: string): void {
    const { people, terminal } = this.#setting;
    const file = name || `${[...people.values()][0]!.id}-${brief(this.#id)}.txt`;
    try {
      writeOut(file, transcriptOf(this.#events, people), terminal.cwd);
      this.#say(`Written to ${file}. The log is saved as ${brief(this.#id)}.`);
    } catch (thrown) {
      this.#say((thrown as Error).message);
    }
  }
}

/** A continued log: the number of events from an earlier one, and the first event to show. */
interface NextBranch {
  readonly stream: Playing;
  readonly copied: number;
  readonly shown: number;
}

/** The notice that a conversation has reached its turn limit. */
const usedUp = ['The conversation has used up its turns.', 'The conversation ends: its turns are used up.'];

const isPersons = (seat: Seat): boolean => seat === 'user';
const isCharacters = (seat: Seat): boolean => seat !== 'user' && seat !== 'narrator';

function lastOf(events: readonly EpisodeEvent[], by: (seat: Seat) => boolean): number {
  return events.findLastIndex((event) => event.kind === 'action' && by(event.seat));
}

function lastAnswer({ events }: ChatBranch): readonly string[] {
  const answer = events[lastOf(events, isCharacters)];
  return answer?.kind === 'action' ? [answer.action.text] : [];
}

function memoriesIn(answer: ActionEvent | undefined): readonly string[] {
  const records = readMind(answer?.mind)?.memory?.records ?? [];
  return records.filter(({ retractedAt }) => retractedAt === undefined).map(({ text }) => text);
}

/** Shown for an empty answer, which would otherwise look like a broken screen. */
const noWords = '(The model answered without any words. Type /again for another answer.)';

/** The messages, for a reader. */
function transcriptOf(events: readonly EpisodeEvent[], people: ReadonlyMap<Seat, Persona>): string {
  const lines = events.flatMap((event) => {
    if (event.kind !== 'message' || event.from === undefined || event.to.length === 0) return [];
    return event.from === 'user' ? [`You: ${event.text}`] : [`${people.get(event.from)?.name ?? event.from}: ${event.text}`];
  });
  return `${lines.join('\n\n')}\n`;
}
