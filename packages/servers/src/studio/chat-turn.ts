/** @file One turn of a conversation: from the end of its log until it is the person's turn again. */

import { randomInt } from 'node:crypto';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { speechIn } from '@ludus-agents/agents/internal/llm/live-speech';
import type { Memory } from '@ludus-agents/agents/internal/mind/memory';
import { once } from '@ludus-agents/agents/internal/once';
import { personSpec } from '@ludus-agents/agents/internal/personas/chat-task';
import { createToolSet } from '@ludus-agents/agents/internal/workspace/tools';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { placeToGoOn } from '@ludus-agents/environments/internal/chat';
import { type Agent, type AgentSpec, type EpisodeEvent, Fault, type Model, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { fork, play, resume } from '@ludus-agents/kernel/internal/engine/play';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { walletOf } from './budget.ts';
import { castOf, environmentOf, peopleOf, taskOf, withEdits } from './chat-people.ts';
import type { ChatEntry } from './conversations.ts';

/** The time limit for a model's answer. */
const patience = 180_000;

export interface TurnOptions {
  readonly entry: Pick<ChatEntry, 'persona' | 'portrait' | 'others' | 'group' | 'model' | 'settings' | 'memories'>;
  /** The person's message. */
  readonly text?: string | undefined;
  /** A character's message written by the person. */
  readonly answer?: { readonly seat: Seat; readonly text: string } | undefined;
  /** The index of its greeting. */
  readonly greeting?: number;
  /** Branches off before this event of the log. */
  readonly at?: number;
  readonly parent?: string;
  /** Receives a partial answer and its character. */
  readonly hear?: Hear | undefined;
  /** An agent's memory of earlier conversations. */
  readonly recall: (agent: string, seat: Seat) => Promise<Memory>;
  readonly stop: AbortSignal;
}

export type Hear = (soFar: string, seat: Seat) => void;

/** The message, and its position in the log. */
export interface Spoken {
  readonly fresh: readonly EpisodeEvent[];
  readonly from: number;
}

/** A failed answer leaves no trace: the same message can be sent again. */
export async function speakTurn(place: WorkingFolder, before: readonly EpisodeEvent[], options: TurnOptions): Promise<Spoken> {
  const { entry, text, at, parent, stop, greeting = 0 } = options;
  const environment = await builtInEnvironment(environmentOf(entry));
  // Each answer has its own time limit; this limit is for agents that are neither models nor stopped.
  const signal = AbortSignal.timeout(patience * (1 + peopleOf(entry).length));
  const agents: Record<Seat, Agent> = { user: person(text) };
  for (const [seat, spec] of Object.entries(castOf(entry))) agents[seat] = await characterOf(place, { seat, spec }, options);
  const stream =
    at !== undefined
      ? fork(environment, before, at, agents, { seed: randomInt(2 ** 31), signal, ...(parent === undefined ? {} : { episode: parent }) })
      : before.length > 0
        ? resume(environment, agents, before, { signal })
        : play(environment, agents, { task: taskOf(entry, greeting), seed: randomInt(2 ** 31), signal });
  // A branch returns its complete log, so earlier messages are not part of the turn.
  const begins = at ?? 0;
  const fresh: EpisodeEvent[] = [];
  let hasSpoken = text === undefined;
  for await (const event of stream) {
    if (event.kind === 'end' && event.reason !== 'over')
      throw new Fault(
        'model',
        stop.aborted ? 'The answer was stopped before it started.' : (event.fault?.message ?? 'The answer took too long.'),
      );
    fresh.push(event);
    const isNew = fresh.length > begins;
    hasSpoken ||= isNew && event.kind === 'action' && event.seat === 'user';
    if (isNew && hasSpoken && event.kind === 'turn' && event.asks[0]?.seat === 'user') break;
    // Cut before the person's message, the log ends at the person's turn.
    if (at !== undefined && text === undefined && fresh.length === begins && isAsking(event)) break;
  }
  return { fresh, from: at === undefined ? before.length : 0 };
}

/** A model's suggestion for the person's message at the current or final state of the conversation. */
export async function draftFor(
  place: WorkingFolder,
  before: readonly EpisodeEvent[],
  { entry, stop }: Pick<TurnOptions, 'entry' | 'stop'>,
): Promise<string> {
  const environment = await builtInEnvironment(environmentOf(entry));
  const { modelOf } = walletOf(place);
  const load = createAgentLoader({ model: async (name) => withListener(await modelOf(name), () => {}, stop) });
  const { user } = entry.settings;
  const spec = personSpec({ ...(entry.model === null ? {} : { model: entry.model }), ...(user === undefined ? {} : { user }) });
  const agents: Record<Seat, Agent> = { user: await load(spec, 'user', environment) };
  const silent: Agent = { name: 'silent', act: () => ({ action: { text: '' } }) };
  for (const seat of Object.keys(castOf(entry))) agents[seat] = silent;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(patience)]);
  const at = placeToGoOn(before) ?? before.length;
  const isOpen = at === before.length;
  const stream = isOpen ? resume(environment, agents, before, { signal }) : fork(environment, before, at, agents, { signal });
  let count = 0;
  for await (const event of stream) {
    count += 1;
    if (event.kind === 'end') throw new Fault('model', event.fault?.message ?? 'This conversation is over.');
    if (event.kind === 'action' && event.seat === 'user' && (isOpen || count > at)) return event.action.text;
  }
  throw new Fault('model', 'The model wrote nothing.');
}

function isAsking(event: EpisodeEvent): boolean {
  return event.kind === 'turn' && event.asks[0]?.seat === 'user';
}

async function characterOf(
  place: WorkingFolder,
  { seat, spec }: { readonly seat: Seat; readonly spec: AgentSpec },
  { entry, answer, hear, recall, stop }: TurnOptions,
): Promise<Agent> {
  const environment = await builtInEnvironment(environmentOf(entry));
  const { modelOf } = walletOf(place);
  const load = createAgentLoader({
    model: async (name) => withListener(await modelOf(name), (soFar) => (seat === 'narrator' ? undefined : hear?.(soFar, seat)), stop),
    memory: recall,
    tools: createToolSet(place.cwd, Trust.request),
  });
  const agent = withEdits(await load(spec, seat, environment), entry.memories?.[seat] ?? {}, seat);
  return answer?.seat === seat ? once(answer.text, agent) : agent;
}

/** A model with observable and stoppable output: the text until then is its answer. */
function withListener(model: Model, hear: (soFar: string) => void, stop: AbortSignal): Model {
  return {
    ...model,
    async complete(prompt, sampling, signal, onText) {
      let written = '';
      const began = performance.now();
      const late = AbortSignal.timeout(patience);
      try {
        return await model.complete(prompt, sampling, AbortSignal.any([signal, stop, late]), (piece) => {
          written += piece;
          hear(speechIn(written));
          onText?.(piece);
        });
      } catch (thrown) {
        // The text before a stop or a timeout is the answer.
        if (!(stop.aborted || late.aborted) || speechIn(written) === '') throw thrown;
        const notes = [`It was stopped by ${stop.aborted ? 'the person it spoke to' : 'the time limit'}; its cost is unknown.`];
        const usage = { promptTokens: 0, completionTokens: 0 };
        return {
          model: model.id,
          prompt,
          text: written,
          finish: 'length',
          usage,
          cost: null,
          milliseconds: performance.now() - began,
          notes,
        };
      }
    },
  };
}

/** An agent that says one thing and is not asked twice. */
function person(text: string | undefined): Agent {
  return {
    name: 'human',
    act() {
      if (text === undefined) throw new Fault('agent', 'No messages yet.');
      return { action: { text } };
    },
  };
}
