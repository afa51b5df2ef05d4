/** @file `ludus chat`: talks with a character, played by a model or by the lines on its card. */

import { randomInt } from 'node:crypto';
import { authoredAgent } from '@ludus-agents/agents/internal/authored';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { overheard } from '@ludus-agents/agents/internal/llm/live-speech';
import { pulledModel } from '@ludus-agents/agents/internal/models/index';
import { chatCast, chatSeats, chatTask, greetingsOf, groupTask, personSpec } from '@ludus-agents/agents/internal/personas/chat-task';
import { defaultUser } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, AgentSpec, EndEvent, Json, JsonObject, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { brief, type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type ChatBranch, ChatSession } from '../chat-session.ts';
import { type CommandRun, exits } from '../command.ts';
import { modelOptions } from '../model-options.ts';
import { exitFor, toJsonResult } from '../play-at-terminal.ts';
import { portraitText } from '../render/character.ts';
import { coloursFor } from '../render/colours.ts';
import { costWords } from '../render/model-calls.ts';
import { wrap } from '../render/width.ts';
import { withinBudget } from '../spending.ts';
import { interruptible, printJson } from '../terminal.ts';
import { nameCommands, typedName } from '../typed-name.ts';

interface Options extends StoreOptions {
  readonly model?: string;
  readonly user?: string;
  readonly turns?: number;
  readonly seed?: number;
  readonly greeting?: number;
  readonly order?: string;
  readonly note?: string;
  readonly noteDepth?: number;
  readonly memory?: boolean;
  readonly resume?: string | true;
  readonly json?: boolean;
}

export const chat: CommandRun<Options, readonly (string | readonly string[])[]> = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const { model: named, ...rest } = input;
    const config = await readConfigIn(terminal.cwd);
    const model = named ?? config.model ?? pulledModel(terminal.env);
    const user = rest.user ?? config.user;
    const options: Options = {
      ...rest,
      ...(user === undefined ? {} : { user }),
      ...(model === undefined || model === 'none' ? {} : { model }),
    };
    modelOptions(input, terminal.env);
    const imported = await Promise.all(args.flat().map((name) => resolvePersona(name, terminal)));
    const people = chatSeats(imported.map((imported) => imported.persona));
    const first = imported[0]!.persona;
    const isGroup = people.size > 1;
    if (!isGroup && options.order !== undefined) throw new Fault('input', '--order needs a group. Name more than one persona.');
    const environment = await builtInEnvironment(isGroup ? 'social-scene' : 'chat');
    const taskWith = (greeting?: number) => {
      const wanted = { ...options, ...(greeting === undefined ? {} : { greeting }) };
      return environment.task(isGroup ? groupTask(people, wanted) : chatTask(first, wanted)) as Json;
    };
    const task = taskWith();
    const screen = options.json === true ? terminal.stderr : terminal.stdout;
    const colours = coloursFor(screen, terminal.env);
    const { controller, release } = interruptible(terminal);
    try {
      let hear: (seat: Seat, soFar: string) => void = () => {};
      return await withWritableStore(terminal, options, async (store) => {
        const seed = options.seed ?? randomInt(2 ** 31);
        const specs = chatCast(people, options);
        const cast = { ...specs, user: 'human' };
        const run = await putCastRun(
          store,
          {
            kind: 'chat',
            title: [...people.values()].map(({ id }) => id).join(', '),
            environment: isGroup ? 'social-scene' : 'chat',
            task,
            seed,
            cast,
          },
          { place: terminal },
        );
        const services = createAgentServices(terminal.cwd, Trust.commandLine, options);
        const load = (spec: AgentSpec, seat: Seat) =>
          createAgentLoader({
            ...services,
            model: async (name) => overheard(await loadModel(name, terminal.cwd, Trust.commandLine), (soFar) => hear(seat, soFar)),
          })(spec, seat, environment);
        const castWith = async (note: string) => {
          const agents: Record<Seat, Agent> = {};
          for (const [seat, spec] of Object.entries(chatCast(people, { ...options, note })))
            agents[seat] = spec.kind === 'authored' ? authoredAgent(spec, await lastMind(store, run)) : await load(spec, seat);
          return agents;
        };
        const impersonator =
          options.model === undefined ? undefined : await createAgentLoader(services)(personSpec(options), 'user', environment);
        const talk = new ChatSession({
          terminal,
          screen,
          store,
          run,
          environment,
          taskWith,
          seed,
          people,
          greetings: greetingsOf(first, user),
          castWith,
          note: options.note ?? '',
          impersonator,
          signal: controller.signal,
        });
        hear = (seat, soFar) => talk.hear(seat, soFar);
        for (const { image } of imported) if (image !== undefined) screen.write(portraitText(image, terminal));
        screen.write(`${colours.faint(`${options.model ?? 'The lines on the card'} · /again /edit /undo /fork /memory /help /quit`)}\n`);
        const note = specs['character']?.kind === 'authored' ? byRules(first.name) : noModel([...people.values()].map(({ name }) => name));
        if (options.model === undefined)
          for (const line of wrap(nameCommands(note, typedName(terminal)), 92)) screen.write(`${colours.faint(line)}\n`);
        screen.write('\n');
        const hashes = [...people.values()].map(({ hash }) => hash);
        const earlier =
          options.resume === undefined
            ? undefined
            : await earlierTalk(store, {
                run,
                named: options.resume,
                environment: environment.id,
                hashes,
                model: options.model,
                name: first.name,
                user: user ?? defaultUser,
              });
        const { id, events, added } = await talk.hold(options.greeting ?? 1, earlier);
        const end = events.at(-1) as EndEvent;
        const cost = costWords(added);
        if (options.json === true) printJson(terminal, toJsonResult({ id, events, end, run }));
        else
          screen.write(
            `${colours.faint(`Saved as ${brief(id)}: ${typedName(terminal)} show ${brief(id)}${cost === '' ? '' : ` · ${cost}`}`)}\n`,
          );
        const answers = events.flatMap((event) => (event.kind === 'action' && people.has(event.seat) ? [event.action.text.trim()] : []));
        const isSilent = answers.length > 0 && answers.every((text) => text === '');
        if (isSilent) terminal.stderr.write(`No character said anything: all ${answers.length} answers were empty.\n`);
        return isSilent ? exits.found : exitFor(end);
      });
    } finally {
      release();
    }
  }),
};

/** Printed once, so a script is not mistaken for a model. */
function noModel(names: readonly string[]): string {
  const answers = names.length === 1 ? 'answers with lines from the card' : 'answer with lines from their cards';
  return `No model is in use: ${printable(names.join(', '))} ${answers}. Pass --model NAME to use a model; "ludus models" lists them.`;
}

function byRules(name: string): string {
  return `No model is in use: ${printable(name)} answers by the rules of its persona. Type /mood to see its feelings and its relationship with you.`;
}

/** The character's mood at the end of the last conversation, part of which carries over into a new one. */
async function lastMind(store: Store, run: string): Promise<Json | undefined> {
  const [last] = await store.episodes({ run, limit: 1 });
  if (last === undefined) return undefined;
  const spoke = (await store.events(last.id)).findLast((event) => event.kind === 'action' && event.seat === 'character');
  return spoke?.kind === 'action' ? spoke.mind : undefined;
}

interface Resumed {
  readonly run: string;
  readonly named: string | true;
  readonly environment: string;
  readonly hashes: readonly string[];
  readonly model: string | undefined;
  readonly name: string;
  readonly user: string;
}

/** The number of conversations searched for the last one. */
const mostTalks = 200;

/** The user's last conversation with these personas and this model: at the terminal, or in the studio with the same settings. */
async function lastTalk(store: Store, { run, environment, hashes, model, user }: Resumed): Promise<string | undefined> {
  for (const { id, run: current } of await store.episodes({ limit: mostTalks })) {
    if (current === run) return id;
    const [start] = await store.events(id);
    if (start?.kind !== 'start' || start.environment !== environment || (start.task as JsonObject)['user'] !== user) continue;
    if (!Object.values(start.personas ?? {}).some((hash) => hashes.includes(hash)) || current === null) continue;
    const specs = (await store.run(current))?.plan?.casts.flatMap((cast) => Object.values(cast)) ?? [];
    if (specs.some((spec) => typeof spec !== 'string' && spec.model === model)) return id;
  }
  return undefined;
}

/** The conversation to resume: with these personas, ended normally or interrupted. */
async function earlierTalk(store: Store, resumed: Resumed): Promise<ChatBranch> {
  const { named, environment, hashes, name, user } = resumed;
  const last = named === true ? await lastTalk(store, resumed) : undefined;
  const matches = named === true ? (last === undefined ? [] : [last]) : await store.find(named, 2);
  const [id] = matches;
  if (id === undefined || matches.length > 1)
    throw new Fault(
      'input',
      named === true
        ? `No earlier conversation of ${user} with ${name} and this model. Set another user with --user, or remove --resume to start a new one.`
        : `${matches.length === 0 ? 'No conversation starts' : 'More than one conversation starts'} with "${named}". Run "ludus list episodes --environment chat" to see all.`,
    );
  const events = await store.events(id);
  const [start] = events;
  const isSame = start?.kind === 'start' && start.environment === environment;
  // An author's note changes the hash of a persona, so the run is the same only with the same note.
  const isTheirs = isSame && (named === true || Object.values(start.personas ?? {}).every((hash) => hashes.includes(hash)));
  if (!isTheirs)
    throw new Fault(
      'input',
      `${brief(id)} is not a conversation with this version of ${name}. After a change of the card, start a new conversation.`,
    );
  if (!events.some((event) => event.kind === 'action' && event.seat === 'user'))
    throw new Fault('input', `Conversation ${brief(id)} is empty. Remove --resume.`);
  return { id, events };
}
