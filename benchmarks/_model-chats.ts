/** @file Conversations of a real model with six turns each, as characters of the gallery: answers, leaked labels, and what a second turn costs. */

import '@ludus-agents/servers/internal/kinds';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import { gallery, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Agent, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { Bench } from './models.ts';
import type { Figure } from './run.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const turns = 6;
const inFlight = 8;

/** What a visitor says, in the order of the turns. */
const lines = [
  'Good evening. May I sit here?',
  'What do you do all day?',
  'Who else lives around here?',
  'Tell me something that happened last year.',
  'What would you do in my place?',
  'Thank you. Good night.',
];

/** Marks of templates, and names of speakers before their words. */
const marks = /<\||\|>|\[\/?INST\]|<\/?s>|<(?:start|end)_of_turn>/;

/** Is a label in a reply that belongs to no speech? */
export function leaks(text: string, names: readonly string[]): boolean {
  const speakers = ['user', 'assistant', 'system', 'action', 'speech', 'remember', 'the visitor', ...names].map((name) =>
    name.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return marks.test(text) || new RegExp(`^[\\s*_"#>-]*(?:${speakers.join('|')})[*_"]*\\s*:`, 'im').test(text);
}

interface Talk {
  readonly replies: readonly string[];
  readonly reason: string;
  readonly names: readonly string[];
  /** Tokens read, milliseconds to the first word and milliseconds of the whole answer, of each turn. */
  readonly read: readonly number[];
  readonly firstWord: readonly number[];
  readonly milliseconds: readonly number[];
}

async function talk({ model, name, keeper }: Bench, persona: Persona, seed: number): Promise<Talk> {
  const environment = await builtInEnvironment('chat');
  const read: number[] = [];
  const firstWord: number[] = [];
  const milliseconds: number[] = [];
  const measured = {
    ...model,
    complete: async (...[prompt, sampling, signal, onText]: Parameters<typeof model.complete>) => {
      const began = performance.now();
      let first: number | undefined;
      const call = await model.complete(prompt, sampling, signal, (piece) => {
        first ??= performance.now() - began;
        onText?.(piece);
      });
      firstWord.push(first ?? performance.now() - began);
      read.push(call.usage.promptTokens - (call.usage.cachedTokens ?? 0));
      milliseconds.push(call.milliseconds ?? 0);
      return call;
    },
  };
  const load = createAgentLoader({ ...agentServices, model: async () => measured });
  const character = await load({ name: persona.name, kind: 'llm', model: name, persona: persona as Json }, 'character', environment);
  let lineIndex = 0;
  const user: Agent = scripted('visitor', () => ({ text: lines[lineIndex++ % lines.length] }));
  const stream = play(environment, { character, user }, { seed, task: chatTask(persona, { turns, model: name }) });
  const { events, end } = await keeper.episode(`chat-${persona.name.toLowerCase().replace(/[^a-z]+/g, '-')}-${seed}`, stream);
  const replies = events.flatMap((event) => (event.kind === 'action' && event.seat === 'character' ? [event.action.text] : []));
  return {
    replies,
    reason: end.reason,
    names: [persona.name, persona.nickname ?? ''].filter((item) => item !== ''),
    read,
    firstWord,
    milliseconds,
  };
}

export async function chats(bench: Bench): Promise<readonly Figure[]> {
  const cast = Object.values(gallery) as Persona[];
  const talks: Talk[] = [];
  for (const persona of cast.slice(0, 3)) talks.push(await talk(bench, persona, 1));
  const alone = [...talks];
  const more = Math.max(0, Math.ceil(bench.replies / turns) - talks.length);
  for (let from = 0; from < more; from += inFlight) {
    const subset = Array.from({ length: Math.min(inFlight, more - from) }, (_, i) => from + i + 3);
    talks.push(...(await Promise.all(subset.map((i) => talk(bench, cast[i % cast.length], i)))));
    bench.keeper.file('chat-so-far.json', figuresOf(bench, talks, alone));
  }
  return figuresOf(bench, talks, alone);
}

/** What so many chats show; `alone` are those that had no company. */
function figuresOf(bench: Bench, talks: readonly Talk[], alone: readonly Talk[]): readonly Figure[] {
  const replies = talks.flatMap(({ replies: subset, names }) => subset.map((text) => ({ text, names })));
  const leaked = replies.filter(({ text, names }) => leaks(text, names));
  const later = (list: (talk: Talk) => readonly number[]) =>
    median(alone.map((talk) => (list(talk)[1] ?? 0) / Math.max(1, list(talk)[0] ?? 1)));
  bench.keeper.file('leaked.json', leaked);
  return [
    { name: 'chat.replies', value: replies.filter(({ text }) => text.trim() !== '').length, unit: `of ${replies.length}`, goal: 'all' },
    { name: 'chat.ended_by_rules', value: share(talks, ({ reason }) => reason === 'over'), unit: 'of chats', goal: '1' },
    {
      name: 'chat.leaked_labels',
      value: leaked.length,
      unit: `of ${replies.length}`,
      goal: '0',
      ...(leaked.length === 0 ? {} : { note: JSON.stringify(leaked[0]?.text.slice(0, 80)) }),
    },
    { name: 'chat.second_turn_read', value: later(({ read }) => read), unit: 'of the first', goal: '≤ 0.25', note: 'tokens read' },
    {
      name: 'chat.second_turn_first_word',
      value: later(({ firstWord }) => firstWord),
      unit: 'of the first',
      goal: '≤ 0.25',
      note: 'seconds',
    },
    {
      name: 'chat.second_turn_latency',
      value: later(({ milliseconds }) => milliseconds),
      unit: 'of the first',
      note: 'the whole answer, of whatever length',
    },
  ];
}

function share<T>(list: readonly T[], is: (item: T) => boolean): number {
  return list.filter(is).length / Math.max(1, list.length);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
