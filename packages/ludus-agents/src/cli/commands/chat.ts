/** @file `ludus chat`: talk with a character, by a model or, without one, in the lines on its card. */

import { randomInt } from 'node:crypto';
import { authoredAgent } from '@ludus-agents/agents/internal/authored';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { overheard } from '@ludus-agents/agents/internal/llm/live-speech';
import { pulledModel } from '@ludus-agents/agents/internal/models/index';
import { chatSpec, chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { readDefaultModel } from '@ludus-agents/agents/internal/workspace/models';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import {
  type Agent,
  type AgentSpec,
  type EndEvent,
  Fault,
  type Json,
  printable,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import { brief, type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { ChatSession, type EarlierTalk } from '../chat-session.ts';
import type { CommandRun } from '../command.ts';
import { modelOptions } from '../model-options.ts';
import { exitFor, toJsonResult } from '../play-at-terminal.ts';
import { coloursFor } from '../render/colours.ts';
import { costWords } from '../render/model-calls.ts';
import { wrap } from '../render/width.ts';
import { withinBudget } from '../spending.ts';
import { interruptible, printJson } from '../terminal.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

interface Options extends StoreOptions {
  readonly model?: string;
  readonly user?: string;
  readonly turns?: number;
  readonly seed?: number;
  readonly resume?: string | true;
  readonly json?: boolean;
}

export const chat: CommandRun = {
  run: withinBudget(async ({ args, options: given, terminal }) => {
    const { model: named, ...rest } = given as Options;
    const model = named ?? (await readDefaultModel(terminal.cwd)) ?? pulledModel(terminal.env);
    const options: Options = { ...rest, ...(model === undefined || model === 'none' ? {} : { model }) };
    modelOptions(given, terminal.env);
    const { persona } = await resolvePersona(args[0]!, terminal);
    const environment = await builtInEnvironment('chat');
    const task = environment.task(chatTask(persona, options)) as Json;
    const screen = options.json === true ? terminal.stderr : terminal.stdout;
    const colours = coloursFor(screen, terminal.env);
    const { controller, release } = interruptible(terminal);
    try {
      let hear: (soFar: string) => void = () => {};
      const spec = chatSpec(persona, options);
      return await withWritableStore(terminal, options, async (store) => {
        const seed = options.seed ?? randomInt(2 ** 31);
        const cast = { character: spec, user: 'human' };
        const run = await putCastRun(
          store,
          { kind: 'chat', title: persona.id, environment: 'chat', task, seed, cast },
          { place: terminal },
        );
        const character =
          spec.kind === 'authored' ? authoredAgent(spec, await lastMind(store, run)) : await characterOf(spec, (soFar) => hear(soFar));
        const talk = new ChatSession({ terminal, screen, store, run, environment, task, seed, persona, signal: controller.signal });
        hear = (soFar) => talk.hear(soFar);
        screen.write(`${colours.faint(`${options.model ?? 'The lines on the card'} · /why /undo /fork /save /quit`)}\n`);
        const note = spec.kind === 'authored' ? byRules(persona.name) : noModel(persona.name);
        if (options.model === undefined) for (const line of wrap(note, 92)) screen.write(`${colours.faint(line)}\n`);
        screen.write('\n');
        const earlier =
          options.resume === undefined
            ? undefined
            : await earlierTalk(store, { run, named: options.resume, persona, user: options.user ?? 'the visitor' });
        const { id, events } = await talk.hold(character, earlier);
        const end = events.at(-1) as EndEvent;
        const cost = costWords(events);
        if (options.json === true) printJson(terminal, toJsonResult({ id, events, end, run }));
        else screen.write(`${colours.faint(`Kept as ${brief(id)}: ludus show ${brief(id)}${cost === '' ? '' : ` · ${cost}`}`)}\n`);
        return exitFor(end);
      });
    } finally {
      release();
    }
  }),
};

/** Said once, so that nobody takes a script for a model. */
function noModel(name: string): string {
  return `No model is at work: ${printable(name)} answers with lines from the card. --model NAME brings a model; ludus models shows which there are.`;
}

function byRules(name: string): string {
  return `No model is at work: ${printable(name)} answers by the rules in its document. /mood shows what it feels, and how it stands to you.`;
}

/** How the character felt at the end of the last conversation: a new one begins with what is left of it. */
async function lastMind(store: Store, run: string): Promise<Json | undefined> {
  const [last] = await store.episodes({ run, limit: 1 });
  if (last === undefined) return undefined;
  const spoke = (await store.events(last.id)).findLast((event) => event.kind === 'action' && event.seat === 'character');
  return spoke?.kind === 'action' ? spoke.mind : undefined;
}

interface Resumed {
  readonly run: string;
  readonly named: string | true;
  readonly persona: Persona;
  readonly user: string;
}

/** The conversation to go on with: with this persona, and ended in order or cut off. */
async function earlierTalk(store: Store, { run, named, persona, user }: Resumed): Promise<EarlierTalk> {
  const [last] = named === true ? await store.episodes({ run, limit: 1 }) : [];
  const found = named === true ? (last === undefined ? [] : [last.id]) : await store.find(named, 2);
  if (found.length !== 1)
    throw new Fault(
      'input',
      named === true
        ? `There is no earlier conversation of ${user} with ${persona.name} by this model here; --user names who talked, or leave out --resume to begin one.`
        : `${found.length === 0 ? 'No conversation begins' : 'More than one begins'} with "${named}"; "ludus list episodes --environment chat" shows all.`,
    );
  const events = await store.events(found[0]!);
  const [start] = events;
  if (start?.kind !== 'start' || !start.environment.startsWith('chat@') || start.personas?.['character'] !== persona.hash)
    throw new Fault('input', `${brief(found[0]!)} is no conversation with this ${persona.name}; a changed card begins anew.`);
  if (!events.some((event) => event.kind === 'action' && event.seat === 'user'))
    throw new Fault('input', `In ${brief(found[0]!)} nobody has said anything yet; leave out --resume.`);
  return { id: found[0]!, events };
}

async function characterOf(spec: AgentSpec, hear: (soFar: string) => void): Promise<Agent> {
  const environment = await builtInEnvironment('chat');
  const model = async (name: string) => overheard(await loadModel(name, process.cwd(), Trust.commandLine), hear);
  return createAgentLoader({ ...agentServices, model })(spec, 'character', environment);
}
