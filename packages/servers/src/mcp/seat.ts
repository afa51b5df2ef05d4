/** @file A seat as four tools: look, act, rules, resign. No tool resets an episode in which another client plays. */

import { Fault, isFault, type Json, type JsonObject, report, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { fromJsonSchema, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { type Caller, may } from '../access.ts';
import type { EpisodeRequest } from '../episode-host.ts';
import { rulesOf } from '../seat-view.ts';
import type { McpSeats } from './seats.ts';

export interface SeatOptions {
  readonly mcpSeats: McpSeats;
  /** The only playable environment; without it, the client names one at the start. */
  readonly environment: string | null;
  readonly caller: Caller;
}

const episode = { type: 'string', description: 'the episode, as look named it' };
const choice = { type: 'array', items: { type: 'string' } };

/** The result of look and act, for programs. */
const shownSchema = {
  type: 'object',
  properties: {
    episode,
    world: { type: 'string' },
    seat: { type: 'string' },
    turn: { type: 'integer' },
    asked: { type: 'boolean', description: 'whether it is your turn' },
    choices: { ...choice, description: 'all legal moves, if there is a list' },
    reward: { type: 'number', description: 'reward since the last observation' },
    return: { type: 'number', description: 'total reward' },
    penalty: { type: 'number', description: 'for illegal answers' },
    done: { type: 'boolean' },
    reason: { type: 'string', description: 'why it ended' },
  },
  required: ['episode', 'world', 'seat', 'turn', 'asked', 'reward', 'return', 'penalty', 'done'],
};

/** The arguments of look; all of them are for a new episode, except `episode`. */
function lookSchema({ mcpSeats, environment }: SeatOptions): JsonObject {
  return {
    type: 'object',
    properties: {
      episode: { ...episode, description: 'the episode to look at; without one, a new one is started if none is in progress' },
      ...(environment === null && {
        world: { type: 'string', enum: mcpSeats.episodeHost.environmentNames, description: 'the environment to play' },
      }),
      seat: { type: 'string', description: 'the seat to take' },
      seed: { type: 'integer', minimum: 0, description: 'random seed; the same seed gives the same game' },
      task: { type: 'object', description: "the environment's task parameters, as listed by rules" },
      opponents: { type: ['string', 'object'], description: 'an agent for the other seats, or agents by seat: "random", "scripted:NAME"' },
      match: { type: 'string', maxLength: 255, description: 'a shared name: clients that start with the same name play in one episode' },
    },
    additionalProperties: false,
  };
}

/** The state of a connection: clients that keep it open need not repeat the episode's name. */
interface Memory {
  current: string | null;
}

/** Gives a server the four tools. */
export function seatTools(server: McpServer, options: SeatOptions): void {
  const memory: Memory = { current: null };
  tool(server, 'look', look(options, memory));
  tool(server, 'act', act(options, memory));
  tool(server, 'rules', rules(options, memory));
  tool(server, 'resign', resign(options, memory));
}

function meant(jsonObject: JsonObject, { current }: Memory): string {
  const id = (jsonObject['episode'] as string | undefined) ?? current;
  if (id === null)
    throw new Fault('input', 'Name the episode. Calling look without one starts a new episode and returns its name.', {
      code: 'E_MISSING_OPTION',
    });
  return id;
}

function look(options: SeatOptions, memory: Memory): ToolFile {
  const { mcpSeats, environment, caller } = options;
  const spend = may(caller, 'spend');
  return {
    description:
      'What you see: all messages so far, whether it is your turn, and your moves. Without an episode, starts a new game. A game in progress is never restarted.',
    input: lookSchema(options),
    output: shownSchema,
    async call(jsonObject, signal) {
      const { episode: named, ...wanted } = jsonObject;
      const underWay = memory.current !== null && mcpSeats.plays(caller, memory.current) ? memory.current : null;
      if (named === undefined && underWay !== null && Object.keys(wanted).length > 0)
        throw new Fault(
          'input',
          `Episode ${underWay} is in progress. Continue it with act, or end it with resign before you start another.`,
        );
      const id = (named as string | undefined) ?? underWay;
      const chair = id === null ? await mcpSeats.begin(caller, { ...wishOf(wanted, environment), spend }, signal) : mcpSeats.of(caller, id);
      memory.current = chair.id;
      return mcpSeats.show(chair, true);
    },
  };
}

function act({ mcpSeats, caller }: SeatOptions, memory: Memory): ToolFile {
  return {
    description: 'Answers for your seat, exactly as the game asks for, and returns what happened until it is your turn again.',
    input: {
      type: 'object',
      properties: { episode, message: { type: 'string', description: 'your answer, word for word' } },
      required: ['message'],
      additionalProperties: false,
    },
    output: shownSchema,
    async call(jsonObject) {
      const chair = mcpSeats.playable(caller, meant(jsonObject, memory));
      chair.guest.answer({ text: jsonObject['message'] as string });
      return mcpSeats.show(chair, false);
    },
  };
}

function rules({ mcpSeats, environment, caller }: SeatOptions, memory: Memory): ToolFile {
  return {
    description: 'The rules: the environment, its seats, and its task parameters. In an episode, what your seat was told.',
    input: {
      type: 'object',
      properties: { episode, ...(environment === null && { world: { type: 'string', enum: mcpSeats.episodeHost.environmentNames } }) },
      additionalProperties: false,
    },
    async call(jsonObject) {
      const id = (jsonObject['episode'] as string | undefined) ?? (jsonObject['world'] === undefined ? memory.current : null);
      if (id === null) return { text: rulesOf(await mcpSeats.episodeHost.environment(environmentIn(jsonObject, environment))), data: null };
      const { guest } = mcpSeats.of(caller, id);
      return { text: rulesOf(guest.table.environment, guest), data: null };
    },
  };
}

function resign({ mcpSeats, caller }: SeatOptions, memory: Memory): ToolFile {
  return {
    description: 'Leaves the game permanently. It is aborted, and saved as far as it was played.',
    input: { type: 'object', properties: { episode }, additionalProperties: false },
    output: shownSchema,
    async call(jsonObject) {
      const chair = mcpSeats.of(caller, meant(jsonObject, memory));
      if (chair.guest.over) throw new Fault('input', 'The episode is already over.');
      chair.guest.table.leave();
      return mcpSeats.show(chair, false);
    },
  };
}

function environmentIn(jsonObject: JsonObject, only: string | null): string {
  const environment = only ?? jsonObject['world'];
  if (typeof environment !== 'string') throw new Fault('input', 'Name the environment to play.', { code: 'E_MISSING_OPTION' });
  return environment;
}

function wishOf(jsonObject: JsonObject, only: string | null): EpisodeRequest {
  return {
    environment: environmentIn(jsonObject, only),
    run: 'mcp',
    name: 'mcp',
    seat: jsonObject['seat'] as Seat | undefined,
    seed: jsonObject['seed'] as number | undefined,
    task: jsonObject['task'],
    opponents: jsonObject['opponents'] as EpisodeRequest['opponents'],
    match: jsonObject['match'] as string | undefined,
  };
}

export interface ToolFile {
  readonly description: string;
  readonly input: JsonObject;
  readonly output?: JsonObject;
  call(jsonObject: JsonObject, signal: AbortSignal): Promise<{ readonly text: string; readonly data: Json }>;
}

/** Registers a tool. A caller's mistake is reported in one sentence; details of internal failures are not sent. */
export function tool(server: McpServer, name: string, { description, input, output, call }: ToolFile): void {
  const inputSchema = fromJsonSchema<JsonObject>(input as never);
  const config = {
    description,
    inputSchema,
    ...(output === undefined ? {} : { outputSchema: fromJsonSchema<JsonObject>(output as never) }),
  };
  server.registerTool(
    name,
    config as { description: string; inputSchema: typeof inputSchema },
    async (jsonObject: JsonObject, { mcpReq }: ServerContext) => {
      try {
        const { text, data } = await call(jsonObject, mcpReq.signal);
        const content = [{ type: 'text' as const, text }];
        return data === null ? { content } : { content, structuredContent: data as Record<string, unknown> };
      } catch (thrown) {
        if (!isFault(thrown)) report(`The tool ${name}`, thrown);
        const text = isFault(thrown) ? thrown.message : 'Something went wrong on the server. See its output.';
        return { content: [{ type: 'text' as const, text }], isError: true };
      }
    },
  );
}
