/** @file A conversation at the terminal: lines become turns, commands with a slash look back, fork or undo; each branch is an episode. */

import { randomBytes } from 'node:crypto';
import { explainAction } from '@ludus-agents/agents/internal/explain-action';
import { Keyboard } from '@ludus-agents/agents/internal/keyboard';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { placeToGoOn } from '@ludus-agents/environments/internal/chat';
import {
  type Agent,
  type AnyEnvironment,
  type EpisodeEvent,
  Fault,
  type Json,
  printable,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import type { Playing } from '@ludus-agents/kernel/internal/engine/episode-player';
import { fork, play } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import { brief } from '@ludus-agents/store/internal/stores';
import { type Colours, coloursFor } from './render/colours.ts';
import { becauseText } from './render/explanation.ts';
import { LiveText } from './render/live-text.ts';
import { moodText } from './render/mood.ts';
import { wrap } from './render/width.ts';
import { columnsOf, type Screen, type Terminal } from './terminal.ts';

export interface ChatSetting {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly store: Store;
  /** The run that every branch belongs to. */
  readonly run: string;
  readonly environment: AnyEnvironment;
  readonly task: Json;
  readonly seed: number;
  readonly persona: Persona;
  readonly signal: AbortSignal;
}

const help = `  /why        what the last answer rests on
  /mood       what a character with rules or moods feels, and how it stands to others
  /undo       take back your last words and the answer
  /fork       keep this conversation and go on in a copy
  /save FILE  write what was said to a file
  /quit       leave (so do Ctrl-D and Ctrl-C)`;

/** Events of an earlier conversation that are shown once more when it is taken up. */
const shownAgain = 8;

/** A conversation that is taken up where it was left. */
export interface EarlierTalk {
  readonly id: string;
  readonly events: readonly EpisodeEvent[];
}

/** What the person wants instead of saying something. */
type Wish = 'fork' | 'undo';

export class ChatSession {
  readonly #setting: ChatSetting;
  readonly #colours: Colours;
  readonly #columns: number;
  #events: EpisodeEvent[] = [];
  #id = '';
  #wish: Wish | null = null;
  #leave = new AbortController();
  #spoken = '';
  #flow: LiveText | null = null;

  constructor(setting: ChatSetting) {
    this.#setting = setting;
    this.#colours = coloursFor(setting.screen, setting.terminal.env);
    this.#columns = Math.min(92, columnsOf(setting.screen));
  }

  /** Talks until the person leaves; gives the id and the log of the last branch. */
  async hold(character: Agent, earlier?: EarlierTalk): Promise<{ readonly id: string; readonly events: readonly EpisodeEvent[] }> {
    const { environment, task, seed } = this.#setting;
    const agents = { character, user: this.#person() };
    const options = () => ({ signal: AbortSignal.any([this.#setting.signal, this.#leave.signal]) });
    // Who resumes has said goodbye before, and takes that back.
    const left = earlier === undefined ? 0 : (placeToGoOn(earlier.events) ?? lastOf(earlier.events, 'user'));
    let stream =
      earlier === undefined
        ? play(environment, agents, { task, seed, ...options() })
        : fork(environment, earlier.events, left, agents, { ...options(), episode: earlier.id });
    for (let seen = earlier === undefined ? 0 : Math.max(0, left - shownAgain); ; ) {
      await this.#follow(stream, seen);
      if (this.#wish === null) return { id: this.#id, events: this.#events };
      const before = this.#events;
      seen = this.#wish === 'undo' ? lastOf(before, 'user') : before.length - 1;
      this.#say(this.#wish === 'undo' ? 'Taken back.' : `Kept as ${brief(this.#id)}; this is a copy of it.`);
      this.#leave = new AbortController();
      this.#wish = null;
      stream = fork(environment, before, seen, agents, { ...options(), episode: this.#id });
    }
  }

  /** The part of an answer that was shown while it was being written. */
  hear(soFar: string): void {
    if (!soFar.startsWith(this.#spoken) || soFar === this.#spoken) return;
    this.#flow ??= this.#begin();
    this.#flow.add(printable(soFar.slice(this.#spoken.length)));
    this.#spoken = soFar;
  }

  /** Takes in one branch: into the store, and onto the screen from event `shown` on. */
  async #follow(stream: Playing, shown: number): Promise<void> {
    const { store, run } = this.#setting;
    this.#id = randomBytes(10).toString('hex');
    this.#events = [];
    await recordEpisode(stream, new EpisodeRecorder({ store, episode: this.#id, run }), {
      durable: true,
      onEvents: (events) => {
        for (const event of events) {
          const index = this.#events.push(event) - 1;
          if (index >= shown) this.#show(event);
        }
      },
    });
  }

  #show(event: EpisodeEvent): void {
    const { screen } = this.#setting;
    if (event.kind === 'action' && event.seat === 'character') this.#finish(event.action.text);
    // The greeting is the character's too, but it was not asked for it.
    if (event.kind === 'message' && event.from === 'character' && event.to.includes('character')) this.#finish(event.text);
    if (event.kind === 'message' && event.text === 'The conversation has used up its turns.') this.#say(event.text);
    if (event.kind === 'end' && event.fault !== undefined && this.#wish === null)
      screen.write(`${this.#colours.red(printable(event.fault.message))}\n`);
  }

  /** Writes the part of an answer that was not shown while it was written. */
  #finish(text: string): void {
    const rest = text.startsWith(this.#spoken) ? text.slice(this.#spoken.length) : this.#spoken === '' ? text : `\n${text}`;
    const flow = this.#flow ?? this.#begin();
    flow.add(printable(rest));
    flow.end();
    this.#setting.screen.write('\n');
    this.#flow = null;
    this.#spoken = '';
  }

  #begin(): LiveText {
    const { screen, persona } = this.#setting;
    screen.write(`${this.#colours.bold(this.#colours.cyan(printable(persona.name)))}\n`);
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
      act: async (_, signal) => {
        for (;;) {
          const line = await keyboard.read(`${this.#colours.faint('you ›')} `, screen, signal);
          if (line === null) return { action: { text: '/quit' } };
          const text = line.trim();
          if (text === '') continue;
          screen.write('\n');
          if (!text.startsWith('/') || text === '/quit') return { action: { text } };
          this.#command(text);
        }
      },
    };
  }

  /** A word with a slash. Forking and taking back leave this branch; the rest is answered here. */
  #command(text: string): void {
    const [word, ...rest] = text.split(/\s+/) as [string, ...string[]];
    const { persona, terminal, screen } = this.#setting;
    if (word === '/why') {
      const why = explainAction(persona, this.#events, 'character');
      screen.write(
        `${why === null ? '  Nothing has been answered yet.' : becauseText(why, { colours: this.#colours, columns: this.#columns })}\n\n`,
      );
    } else if (word === '/mood') {
      const spoke = this.#events.findLast((event) => event.kind === 'action' && event.seat === 'character');
      this.#say(moodText(spoke?.kind === 'action' ? spoke.mind : undefined));
    } else if (word === '/save') {
      const file = rest.join(' ') || `${persona.id}-${brief(this.#id)}.txt`;
      try {
        writeOut(file, transcriptOf(this.#events, persona.name), terminal.cwd);
        this.#say(`Written to ${file}; the log is kept as ${brief(this.#id)}.`);
      } catch (thrown) {
        this.#say((thrown as Error).message);
      }
    } else if (word === '/undo' && lastOf(this.#events, 'user') < 0) this.#say('There is nothing to take back yet.');
    else if (word === '/undo' || word === '/fork') {
      this.#wish = word === '/undo' ? 'undo' : 'fork';
      this.#leave.abort();
      throw new Fault('agent', 'The person went on in another branch.');
    } else screen.write(`${word === '/help' ? '' : `  There is no ${printable(word)}; there are:\n`}${help}\n\n`);
  }
}

function lastOf(events: readonly EpisodeEvent[], seat: string): number {
  return events.findLastIndex((event) => event.kind === 'action' && event.seat === seat);
}

/** What was said, for a reader. */
function transcriptOf(events: readonly EpisodeEvent[], name: string): string {
  const lines = events.flatMap((event) => {
    if (event.kind === 'message' && event.from === 'character') return [`${name}: ${event.text}`];
    return event.kind === 'message' && event.from === 'user' ? [`You: ${event.text}`] : [];
  });
  return `${lines.join('\n\n')}\n`;
}
