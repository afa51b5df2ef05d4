/**
 * @file One conversation between a bot and a simulated customer inside any test runner: the transcript, its actions, its faults, and the
 * unchecked parts. A policy in prose is enough; a desk adds tools and records.
 */

import { botAgent } from '@ludus-agents/agents/internal/bot/agent';
import { functionBot } from '@ludus-agents/agents/internal/bot/function-bot';
import { httpBot } from '@ludus-agents/agents/internal/bot/http-bot';
import { BotPace } from '@ludus-agents/agents/internal/bot/pace';
import type { BotFunction, BotLink } from '@ludus-agents/agents/internal/bot/session';
import { type BotSettings, readBotSettings } from '@ludus-agents/agents/internal/bot/settings';
import { logOf } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { type Agent, type EpisodeEvent, Fault, type Json, scripted, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { SpokenLine } from './claims.ts';
import { deskCustomer } from './environment/customer.ts';
import { deskEnvironment } from './environment/desk.ts';
import type { Desk, DeskCase, DeskStep } from './environment/document.ts';
import type { FaultHit } from './faults/detector.ts';
import { type Dialogue, dialogueOf } from './faults/dialogue.ts';
import { detectors } from './faults/index.ts';
import { listUnchecked } from './faults/unchecked.ts';
import { checkPolicy } from './policy-rules.ts';

/** The customer's messages and facts; a string is one request. */
export type SimulatedCustomer =
  | string
  | readonly string[]
  | (Partial<Omit<DeskCase, 'says'>> & { readonly says: readonly (string | Partial<DeskStep> | { readonly ask: string })[] });

/** The bot's conversation partner, the rules for judging it, and the end of the conversation. */
export interface SimulateOptions {
  readonly customer: SimulatedCustomer;
  /** Ends the conversation early: a predicate that returns true when it should end, or the maximum number of messages. */
  readonly until?: ((lines: readonly SpokenLine[]) => boolean) | number;
  /** The rules that the bot must follow, one per line. */
  readonly policy?: string;
  /** Tools and records, for a bot that reports its calls. */
  readonly desk?: Partial<Desk>;
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

/** A fault of the bot, with the answer that shows it. */
export interface SimulatedFault {
  readonly fault: string;
  readonly note: string;
  readonly turn: number;
  readonly quote: string;
}

/** A conversation of a bot with a simulated customer, and the verdict on it. */
export interface SimulatedRun {
  readonly lines: readonly SpokenLine[];
  /** The conversation as text, one line for each message. */
  readonly transcript: string;
  readonly calls: readonly Pick<ToolCall, 'name' | 'arguments'>[];
  readonly faults: readonly SimulatedFault[];
  /** Required statements and actions that are missing, one sentence each; empty if `until` ended the conversation. */
  readonly problems: readonly string[];
  /** Unchecked parts: data that the bot doesn't show, and policy sentences without a detector. */
  readonly unchecked: readonly string[];
  readonly passed: boolean;
  readonly events: readonly EpisodeEvent[];
}

/** Runs a conversation between a bot, given as a function or an address, and a customer. */
export function simulate(bot: BotFunction | string, options: SimulateOptions): Promise<SimulatedRun> {
  return simulateAgent(agentOf(bot), options);
}

/** The same for a connected bot of any kind. */
export function simulateLink(link: BotLink, settings: BotSettings, options: SimulateOptions): Promise<SimulatedRun> {
  return simulateAgent(botAgent({ ...seatOfBot(), link, settings }), options);
}

async function simulateAgent(agent: Agent, options: SimulateOptions): Promise<SimulatedRun> {
  const { customer, until, policy, desk = {}, seed = 1, signal } = options;
  const input = typeof customer === 'string' ? { says: [customer] } : Array.isArray(customer) ? { says: customer } : customer;
  const setting = { name: 'test', ...desk, policy: policy ?? desk.policy ?? 'Help the customer.' };
  const limit = typeof until === 'number' ? until : 60;
  if (!Number.isInteger(limit) || limit < 4 || limit > 200)
    throw new Fault(
      'input',
      `until: expected 4 to 200 messages, got ${limit}. To end a conversation earlier, pass a function of its lines.`,
      {
        code: 'E_INVALID_OPTION',
      },
    );
  const task = { desk: setting, case: { id: 'test', ...input }, messages: limit } as Json;
  const controller = new AbortController();
  const stop = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  const agents = { agent, customer: scripted('customer', deskCustomer) };
  const events: EpisodeEvent[] = [];
  let isCut = false;
  for await (const event of play(deskEnvironment, agents, { task, seed, signal: stop })) {
    events.push(event);
    if (typeof until !== 'function' || event.kind !== 'message' || event.from !== 'agent' || !until(readLines(events))) continue;
    isCut = true;
    break;
  }
  controller.abort();
  const end = events.findLast(({ kind }) => kind === 'end');
  if (end?.kind === 'end' && end.fault !== undefined && end.fault.boundary !== 'agent')
    throw new Fault(end.fault.boundary, end.fault.message);
  return runOf(events, isCut, policy ?? desk.policy ?? '');
}

/** The same conversation judged by other rules. */
export function judgeRun(run: SimulatedRun, policy: string): SimulatedRun {
  const events = run.events.map((event) => {
    if (event.kind !== 'message' || !isObject(event.data) || !isObject(event.data['desk'])) return event;
    const { sources, steps, ...facts } = event.data['desk'];
    // The right answer under the old policy may be wrong under this one.
    const openSteps = Array.isArray(steps) ? steps.filter(isObject).map((step) => ({ ...step, tell: [] })) : [];
    return { ...event, data: { ...event.data, desk: { ...facts, steps: openSteps, sources: `${policy}\n${recordsIn(String(sources))}` } } };
  });
  return runOf(
    events as readonly EpisodeEvent[],
    run.events.every(({ kind }) => kind !== 'end'),
    policy,
  );
}

/** The records among the sources of a conversation; the rest is the policy. */
function recordsIn(sources: string): string {
  return sources
    .split('\n')
    .filter((text) => /^[\w-]+ \S+ \{.*\}$/.test(text))
    .join('\n');
}

function runOf(events: readonly EpisodeEvent[], isCut: boolean, policy: string): SimulatedRun {
  const log = logOf({ id: 'test', events: [...events] });
  const dialogue = dialogueOf(log, 'agent');
  const lines = readLines(events);
  const rules = dialogue === null ? { hits: [], unchecked: [] } : checkPolicy(policy, dialogue);
  const faults = dialogue === null ? [] : [...faultsOf(dialogue), ...rules.hits.map((hit) => toFault('policy', hit))];
  const outcome = log.notes.get('outcome')?.value;
  const listed = isObject(outcome) && Array.isArray(outcome['problems']) ? outcome['problems'].filter(isObject) : [];
  const problems = isCut ? [] : listed.map((problem) => String(problem['about']));
  return {
    ...{ lines, faults, problems, events },
    transcript: lines.map(({ by, text }) => `${by}: ${text}`).join('\n'),
    calls: (dialogue?.calls ?? []).map(({ tool, args }) => ({ name: tool, arguments: args })),
    unchecked:
      dialogue === null
        ? ['everything: the bot said nothing']
        : [...listUnchecked(dialogue), ...rules.unchecked.map((rule) => `the rule "${rule}"`)],
    passed: dialogue !== null && faults.length === 0 && problems.length === 0,
  };
}

function faultsOf(dialogue: Dialogue): readonly SimulatedFault[] {
  return detectors.flatMap(({ name, find }) => (find(dialogue) ?? []).map((hit) => toFault(name, hit)));
}

function toFault(fault: string, { line, quote, note }: FaultHit): SimulatedFault {
  return { fault, note, turn: line.turn + 1, quote: quote ?? line.text };
}

function readLines(events: readonly EpisodeEvent[]): readonly SpokenLine[] {
  return events.flatMap((event): readonly SpokenLine[] =>
    event.kind === 'message' && event.from !== undefined ? [{ by: event.from === 'agent' ? 'agent' : 'customer', text: event.text }] : [],
  );
}

function seatOfBot() {
  return { name: 'bot', pace: new BotPace({ concurrency: 1e6, perMinute: 1e6 }), environment: deskEnvironment, seat: 'agent' };
}

function agentOf(bot: BotFunction | string): Agent {
  const common = seatOfBot();
  if (typeof bot === 'function')
    return botAgent({
      ...common,
      link: functionBot('bot', 'bot', async () => bot),
      settings: { opening: '', via: 'function', seconds: 60 },
    });
  const settings = readBotSettings({ name: 'bot', kind: bot.startsWith('bot:') ? bot : `bot:${bot}` });
  if (settings.via !== 'http' && settings.via !== 'openai')
    throw new Fault('input', `simulate takes a function or an HTTP URL, but got "${bot}". For other kinds of bots, use "ludus test".`);
  const services = { cwd: process.cwd(), env: (name: string) => process.env[name], load: async () => () => '' };
  return botAgent({ ...common, link: httpBot('bot', settings, services), settings });
}
