/**
 * @file Messages of the OpenEnv protocol: strict parsing of frames and requests, schemas, and the reference server's error messages.
 *
 * Observations and actions have the fields of its `textarena_env`, the only convention for games with several seats.
 */

import { type Action, isFault, type Json, type JsonObject, report } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { EpisodeRequest } from '../episode-host.ts';

/** An error in a message, in the format that trainers expect. */
export type ErrorReply = { readonly type: string; readonly loc: readonly string[]; readonly msg: string; readonly input: Json };

/** Thrown for an invalid message. */
export class InvalidRequest extends Error {
  readonly problems: readonly ErrorReply[];

  constructor(problems: readonly ErrorReply[]) {
    super('Invalid message');
    this.problems = problems;
  }
}

export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'FACTORY_ERROR'
  | 'SESSION_ERROR';

export function errorFrame(code: ErrorCode, message: string, more: JsonObject = {}): string {
  return JSON.stringify({ type: 'error', data: { message, code, ...more } });
}

/** The error frame for any error thrown while a message was served. */
export function errorOf(thrown: unknown): string {
  if (thrown instanceof InvalidRequest) return errorFrame('VALIDATION_ERROR', thrown.message, { errors: thrown.problems });
  if (isFault(thrown)) return errorFrame('EXECUTION_ERROR', thrown.message);
  report('An OpenEnv session', thrown);
  return errorFrame('EXECUTION_ERROR', 'Something went wrong on the server. See its output.');
}

/** The reason why a text is not valid JSON, quoted from the parser if available. */
export function whyUnreadable(thrown: unknown): string {
  const { cause, message } = thrown as Error;
  return cause instanceof SyntaxError ? cause.message : message;
}

type Check = (value: Json) => readonly [type: string, msg: string] | null;

const text: Check = (value) => (typeof value === 'string' ? null : ['string_type', 'Input should be a valid string']);
const object: Check = (value) => (isObject(value) ? null : ['dict_type', 'Input should be a valid dictionary']);
const anything: Check = () => null;
const name: Check = (value) => {
  if (typeof value !== 'string') return text(value);
  return value.length <= 255 ? null : ['string_too_long', 'String should have at most 255 characters'];
};
const seed: Check = (value) => {
  if (!Number.isSafeInteger(value)) return ['int_type', 'Input should be a valid integer'];
  return (value as number) >= 0 ? null : ['greater_than_equal', 'Input should be greater than or equal to 0'];
};
const seat: Check = (value) => (typeof value === 'string' || Number.isSafeInteger(value) ? null : text(value));
const opponents: Check = (value) => (typeof value === 'string' || isObject(value) ? null : object(value));
const positive: Check = (value) => {
  if (typeof value !== 'number') return ['float_type', 'Input should be a valid number'];
  return value > 0 ? null : ['greater_than', 'Input should be greater than 0'];
};

interface Field {
  readonly check: Check;
  readonly needed?: boolean;
}

/** Reads an object field by field; null counts as a missing field, unless the field is required. */
function read(value: Json, fields: Readonly<Record<string, Field>>, extra: 'forbid' | 'allow'): JsonObject {
  if (!isObject(value)) throw new InvalidRequest([{ type: 'dict_type', loc: [], msg: 'Input should be a valid dictionary', input: value }]);
  const problems: ErrorReply[] = [];
  const out: Record<string, Json> = {};
  for (const field in fields) {
    const { check, needed = false } = fields[field]!;
    const fieldValue = value[field];
    if (fieldValue === undefined || (fieldValue === null && !needed)) {
      if (needed) problems.push({ type: 'missing', loc: [field], msg: 'Field required', input: value });
      continue;
    }
    const wrong = check(fieldValue);
    if (wrong === null) out[field] = fieldValue;
    else problems.push({ type: wrong[0], loc: [field], msg: wrong[1], input: fieldValue });
  }
  if (extra === 'forbid')
    for (const field in value)
      if (!Object.hasOwn(fields, field))
        problems.push({ type: 'extra_forbidden', loc: [field], msg: 'Extra inputs are not permitted', input: value[field]! });
  if (problems.length > 0) throw new InvalidRequest(problems);
  return out;
}

const resetFields = {
  seed: { check: seed },
  episode_id: { check: name },
  task: { check: anything },
  seat: { check: seat },
  opponents: { check: opponents },
  match_id: { check: name },
  env_id: { check: name },
  name: { check: name },
};

/** The content of a reset. Unknown fields are accepted and dropped because trainers send complete rows of their datasets. */
export function readReset(value: Json): { readonly episode: string | null; readonly wish: Partial<EpisodeRequest> } {
  const jsonObject = read(value, resetFields, 'allow');
  return {
    episode: (jsonObject['episode_id'] as string | undefined) ?? null,
    wish: {
      seed: jsonObject['seed'] as number | undefined,
      task: jsonObject['task'],
      seat: jsonObject['seat'] as string | number | undefined,
      opponents: jsonObject['opponents'] as EpisodeRequest['opponents'],
      match: jsonObject['match_id'] as string | undefined,
      ...(jsonObject['env_id'] === undefined ? {} : { environment: jsonObject['env_id'] as string }),
      ...(jsonObject['name'] === undefined ? {} : { name: jsonObject['name'] as string }),
    },
  };
}

/** An action: text, or a tool call. */
export type StepRequest =
  | { readonly kind: 'act'; readonly action: Action }
  | { readonly kind: 'list' }
  | { readonly kind: 'call'; readonly tool: string; readonly given: JsonObject };

const metadata = { check: object };
const messageFields = { message: { check: text, needed: true }, data: { check: anything }, metadata };
const listFields = { type: { check: text, needed: true }, metadata };
const callFields = {
  type: { check: text, needed: true },
  tool_name: { check: text, needed: true },
  arguments: { check: object },
  metadata,
};

export function readAction(value: Json): StepRequest {
  const type = isObject(value) ? value['type'] : undefined;
  if (type === 'list_tools') {
    read(value, listFields, 'forbid');
    return { kind: 'list' };
  }
  if (type === 'call_tool') {
    const { tool_name: tool, arguments: input } = read(value, callFields, 'forbid');
    return { kind: 'call', tool: tool as string, given: (input ?? {}) as JsonObject };
  }
  const { message, data } = read(value, messageFields, 'forbid');
  return { kind: 'act', action: data === undefined ? { text: message as string } : { text: message as string, data } };
}

/** The body of POST /step: the action, and the episode it belongs to, unless it starts a new one. */
export function readStep(value: Json): { readonly action: Json; readonly episode: string | null } {
  const fields = {
    action: { check: object, needed: true },
    timeout_s: { check: positive },
    request_id: { check: name },
    episode_id: { check: name },
  };
  const { action, episode_id: episode } = read(value, fields, 'allow');
  return { action: action as Json, episode: (episode as string | undefined) ?? null };
}

const frameFields = {
  reset: { type: { check: text }, data: { check: object } },
  step: { type: { check: text }, data: { check: object, needed: true } },
  state: { type: { check: text } },
  close: { type: { check: text } },
  mcp: { type: { check: text }, data: { check: object, needed: true } },
};

export type FrameKind = keyof typeof frameFields;

/** The kind and data of a frame; null for an unknown kind. */
export function readFrame(value: Json): { readonly kind: FrameKind; readonly data: Json } | null {
  if (!isObject(value)) throw new InvalidRequest([{ type: 'dict_type', loc: [], msg: 'Input should be a valid dictionary', input: value }]);
  const kind = value['type'] ?? '';
  if (typeof kind !== 'string' || !Object.hasOwn(frameFields, kind)) return null;
  const { data = {} } = read(value, frameFields[kind as FrameKind], 'forbid');
  return { kind: kind as FrameKind, data };
}

const describeField = (type: string, description: string, more: JsonObject = {}) => ({ type, description, ...more });

/** JSON Schemas of requests and responses. */
export const schemas = {
  action: {
    title: 'LudusAction',
    type: 'object',
    properties: {
      message: describeField('string', "the seat's answer, in the form that the environment asks for"),
      data: { description: 'non-text data of the answer, for environments that read it' },
      metadata: describeField('object', 'accepted and ignored'),
    },
    required: ['message'],
    additionalProperties: false,
  },
  observation: {
    title: 'LudusObservation',
    type: 'object',
    properties: {
      prompt: describeField('string', 'what the seat was told at the start'),
      messages: describeField('array', 'what is new since the last observation', {
        items: {
          type: 'object',
          properties: {
            sender_id: describeField('integer', 'number of the seat that speaks, −1 for the environment'),
            content: { type: 'string' },
            category: { type: 'string', enum: ['PROMPT', 'GAME_MESSAGE', 'MESSAGE'] },
            data: { description: 'non-text data of the message' },
          },
          required: ['sender_id', 'content', 'category'],
        },
      }),
      current_player_id: describeField('integer', 'number of your seat'),
      legal_players: describeField('array', 'numbers of all seats', { items: { type: 'integer' } }),
      info: describeField('object', 'environment, seat, turn, return, penalty; choices and schema if there are any; reason at the end'),
      done: describeField('boolean', 'whether the episode is over'),
      reward: { anyOf: [{ type: 'number' }, { type: 'null' }], description: 'reward of the seat since the last observation' },
    },
    required: ['prompt', 'messages', 'current_player_id', 'legal_players', 'info'],
  },
  state: {
    title: 'LudusState',
    type: 'object',
    properties: {
      episode_id: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'your name for the episode, or its id in the store' },
      episode: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'its id in the store' },
      step_count: describeField('integer', 'how often the seat has answered', { minimum: 0 }),
      env_id: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'name and version of the rules' },
      num_players: describeField('integer', 'number of seats'),
      turn: describeField('integer', 'turns that have been played'),
      last_reward: describeField('number', 'reward of the last observation'),
    },
  },
} as const satisfies Record<string, Json>;
