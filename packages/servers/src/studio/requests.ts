/** @file The request bodies and query parameters of the studio's routes, parsed by schemas before the route runs. */

import { knowledgeNames } from '@ludus-agents/agents/internal/mind/knowledge';
import { type ExportFormat, exportFormats, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { type Over, overs } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import { specShape } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { AgentSpec, Cast, EpisodeRecord, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import {
  anything,
  boolean,
  either,
  leaf,
  list,
  number,
  object,
  one,
  optional,
  orNull,
  pattern,
  record,
  required,
  type Shape,
  text,
  unshown,
  whole,
  withDefault,
} from '@ludus-agents/kernel/internal/core/shape';
import type { Marks } from '@ludus-agents/store/internal/marks';
import type { SharedPage } from '../access.ts';
import type {
  AnswerRequest,
  ChatChangeRequest,
  ChatForkRequest,
  ChatGroup,
  ChatPick,
  ChatRequest,
  ChatSettings,
  DraftRequest,
  EndpointRequest,
  ExplainRequest,
  ForkRequest,
  ImproveForm,
  LaunchRequest,
  PersonaRequest,
  PersonaSaveRequest,
  PlayRequest,
  RerunRequest,
  ReviewRequest,
  SampleRequest,
  SceneRequest,
  TrainRequest,
  TrustRequest,
} from './api.ts';
import { launchKinds } from './api-launch.ts';
import { limitFields, type StudioLimits } from './budget.ts';
import { asks, digits, line, listShape, takes } from './request.ts';

/** T with some of its optional fields filled in. */
type Filled<T, K extends keyof T> = Omit<T, K> & Required<Pick<T, K>>;

const seed = whole(0);
const event = whole(0, 2 ** 31);
/** Longer answers were not typed by a person. */
const typed = line(20_000);
const prose = line(8000);
/** A text that may be empty. */
const note = (most: number) =>
  leaf<string>(
    `a string of at most ${most} characters`,
    { type: 'string', maxLength: most },
    (value) => typeof value === 'string' && value.length <= most,
  );

// ── Play ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const cast: Shape<Cast> = record(
  either<AgentSpec | string>('the name of an agent, or a spec with "name" and "kind"', line() as Shape<AgentSpec | string>, specShape),
);
const task = leaf<JsonObject>('an object with the task parameters', { type: 'object' }, isObject);

export const playBody = takes<PlayRequest, Filled<PlayRequest, 'pace'>>({
  environment: required(line()),
  cast: withDefault(cast, {}),
  pace: withDefault(whole(0, 60_000), 0),
  task: optional(task),
  seed: optional(seed),
});
export const answerBody = takes<AnswerRequest>({ seat: required(line()), text: required(typed), turn: required(event) });
/** Whether all players move one seat. */
export const againBody = takes<{ readonly alternate?: boolean }, { readonly alternate: boolean }>({
  alternate: withDefault(boolean, false),
});
export const forkBody = takes<ForkRequest>({
  at: required(whole(1, 2 ** 31)),
  cast: withDefault(cast, {}),
  seed: optional(seed),
  answer: optional(typed),
});
export const explainBody = takes<ExplainRequest, Filled<ExplainRequest, 'samples'>>({
  at: required(event),
  samples: withDefault(whole(1, 100), 2),
});
const role: Shape<'system' | 'user' | 'assistant' | 'tool'> = one('system', 'user', 'assistant', 'tool');
export const rerunBody = takes<RerunRequest>({
  call: withDefault(whole(0, 1000), 0),
  messages: required(list(object({ role: required(role), content: required(text) }), { from: 1, to: 2000 })),
  model: required(line()),
  temperature: optional(number(0, 2)),
});
/** The index of an event in a path. */
export const eventNumber: Shape<number> = digits(event);
/** The last event that a page has received; -1 before the first. */
export const lastEvent: Shape<number> = digits(whole(-1, 2 ** 31));
export const environmentQuery = asks<{ readonly task?: string }>({ task: optional(text) });
export interface StreamAsked {
  readonly seat?: string;
  readonly after: number;
}
export const streamQuery = asks<StreamAsked>({ seat: optional(line()), after: withDefault(lastEvent, -1) });

// ── Personas and Create ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A persona is parsed by its own schema, which reports errors; here it may be anything. */
export const personaBody = takes<PersonaRequest, { readonly persona: Json }>({ persona: withDefault(anything, null) });
export const personaSaveBody = takes<PersonaSaveRequest, { readonly persona: Json; readonly base: Json }>({
  persona: withDefault(anything, null),
  base: withDefault(anything, null),
});
const chatSettings: Shape<ChatSettings> = object<ChatSettings>({
  user: optional(line(100)),
  about: optional(prose),
  note: optional(prose),
  noteDepth: optional(whole(0, 1000)),
  temperature: optional(number(0, 2)),
  topP: optional(number(0, 1)),
  maxTokens: optional(whole(1, 100_000)),
  knowledge: optional(list(one(...knowledgeNames))),
});
export const chatBody = takes<ChatRequest, Omit<Filled<ChatRequest, 'settings' | 'greeting'>, 'persona'> & { readonly persona?: Json }>({
  persona: optional(anything),
  source: optional(one('gallery', 'own')),
  key: optional(line()),
  others: optional(list(object<ChatPick>({ source: required(one('gallery', 'own')), key: required(line()) }), { from: 0, to: 7 })),
  group: optional(
    object<ChatGroup>({
      greets: required(one('first', 'everybody', 'nobody')),
      order: required(one('named', 'reply', 'one', 'talkative', 'everybody', 'listed', 'director')),
    }),
  ),
  model: optional(line()),
  settings: withDefault(chatSettings, {}),
  like: optional(line()),
  greeting: withDefault(whole(0, 1000), 0),
});
type ChatChanged = Omit<ChatChangeRequest, 'persona' | 'lore'> & {
  readonly persona?: Json;
  readonly lore?: Readonly<Record<string, Json>>;
};
export const chatChangeBody = takes<ChatChangeRequest, ChatChanged>({
  persona: optional(anything),
  lore: optional(record(anything)),
  model: optional(line()),
  settings: optional(chatSettings),
  memories: optional(record(record(orNull(prose)))),
  title: optional(line()),
  hidden: optional(boolean),
});
/** Without text, the character continues. */
export const sayBody = takes<{ readonly text: string }>({ text: withDefault(note(8000), '') });
export const chatForkBody = takes<ChatForkRequest>({ at: required(event), text: optional(prose) });
export const chatsQuery = asks<{ readonly search?: string }>({ search: optional(line()) });

export const sampleBody = takes<SampleRequest, Omit<SampleRequest, 'specification'> & { readonly specification?: Json }>({
  specification: optional(anything),
  count: withDefault(whole(1, 5000), 100),
  seed: withDefault(seed, 1),
});
export const loreBody = takes<{ readonly persona: Persona; readonly said?: string }, { readonly persona: Json; readonly said: string }>({
  persona: withDefault(anything, null),
  said: withDefault(text, ''),
});
export const formatQuery = asks<{ readonly to: ExportFormat }>({ to: required(one(...exportFormats)) });
export const draftBody = takes<DraftRequest>({
  model: optional(line()),
  like: optional(line()),
  description: optional(prose),
  name: optional(line(100)),
});
export const sceneBody = takes<SceneRequest>({ scene: withDefault(anything, null), model: optional(line()) });

// ── Models and judges ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const modelBody = takes<{ readonly name: string }>({ name: required(line()) });
/** Errors about a key never contain a part of it. */
export const keyBody = takes<{ readonly key: string }>({ key: required(unshown(text)) });

export const endpointBody = takes<EndpointRequest>({
  url: required(line(500)),
  key: optional(unshown(text)),
  model: optional(line()),
  temperature: optional(number(0, 2)),
  topP: optional(number(0, 1)),
  price: optional(object({ prompt: required(number(0)), completion: required(number(0)) })),
});

/** Omitted fields have no limit. */
export const budgetBody = takes<{ readonly [K in keyof StudioLimits]?: number | null }, StudioLimits>(limitFields);

export const trustBody = takes<TrustRequest, Filled<TrustRequest, 'twins'>>({
  rubric: required(line()),
  judge: required(line()),
  second: optional(line()),
  twins: withDefault(whole(1, 500), 60),
});

// ── Training and improving ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export const trainBody = takes<TrainRequest, Filled<TrainRequest, 'games' | 'seed'>>({
  recipe: required(line()),
  name: optional(pattern('letters, digits, dots, and dashes without spaces, like kuhn-1 (up to 80)', /^\w[\w.-]{0,79}$/)),
  games: withDefault(whole(0, 1e9), 0),
  seed: withDefault(seed, 1),
});
export const curveQuery = asks<{ readonly from: number }>({ from: withDefault(digits(whole(0, 1e9)), 0) });
/** The ids of the compared trainings, as a JSON list. */
export const trainingsQuery = asks<{ readonly runs: readonly string[] }>({ runs: required(listShape(list(line(), { from: 1, to: 40 }))) });
/** Only given fields are changed; an empty text removes a name or a note. */
export const marksBody = takes<Marks>(
  {
    star: optional(boolean),
    tags: optional(list(line(40), { to: 20 })),
    name: optional(note(200)),
    note: optional(note(8000)),
    archived: optional(boolean),
  },
  { empty: true },
);
/** The content of a link, and its validity in days. */
export const shareBody = takes<
  {
    readonly of: SharedPage['of'];
    readonly id?: string;
    readonly a?: string;
    readonly b?: string;
    readonly run?: string;
    readonly score?: string;
    readonly days?: number;
  },
  Record<'id' | 'a' | 'b' | 'run' | 'score', string> & { readonly of: SharedPage['of']; readonly days: number }
>({
  of: required(one('run', 'episode', 'comparison')),
  ...{ id: withDefault(note(200), ''), a: withDefault(note(1000), ''), b: withDefault(note(1000), '') },
  ...{ run: withDefault(note(200), ''), score: withDefault(note(200), '') },
  days: withDefault(whole(1, 90), 7),
});
export const shareRevokeBody = takes<{ readonly id: string }>({ id: required(line(80)) });
export const commentBody = takes<{ readonly text: string; readonly by: string }>({
  text: required(note(8000)),
  by: withDefault(line(60), 'me'),
});
export const commentRemoveBody = takes<{ readonly number: number }>({ number: required(whole(0)) });
export const checkpointQuery = asks<{ readonly at: string }>({
  at: withDefault(pattern('best, last or step-N', /^(best|last|step-\d{1,9})$/), 'best'),
});
export const improveBody = takes<ImproveForm, Required<ImproveForm>>({
  recipe: required(line()),
  engine: required(line()),
  seed: withDefault(whole(0, 2 ** 31), 1),
  calls: withDefault(whole(10, 5000), 500),
});
export const rollBackBody = takes<{ readonly candidate: string }>({ candidate: required(line()) });

/** Kinds ignore fields that they do not use, because all kinds share one form. */
export const launchBody = takes<LaunchRequest>({
  what: required(one(...launchKinds)),
  name: optional(pattern('letters, digits, dots, and dashes without spaces, like baseline (up to 80)', /^\w[\w.-]{0,79}$/)),
  environments: optional(list(line(), { to: 40 })),
  tasks: optional(list(task, { to: 1000 })),
  agents: optional(list(line(), { to: 40 })),
  against: optional(line()),
  seeds: optional(whole(1, 100_000)),
  from: optional(seed),
  games: optional(whole(1, 1e9)),
  suite: optional(line()),
  failUnder: optional(number(0, 1)),
  mustPass: optional(list(line(), { to: 100 })),
  allowFaults: optional(list(line(), { to: 100 })),
  recipe: optional(line()),
  engine: optional(line()),
  proposer: optional(line()),
  calls: optional(whole(10, 5000)),
  population: optional(line()),
  number: optional(whole(1, 100_000)),
  questionnaire: optional(line(200_000)),
  attack: optional(line()),
  attacker: optional(line()),
  persona: optional(line()),
  scene: optional(line()),
  model: optional(line()),
  settings: optional(record(line(400))),
  reuse: optional(boolean),
});

// ── Runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface EpisodesAsked {
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly status?: EpisodeRecord['status'];
  readonly before?: number;
  readonly limit: number;
  readonly search?: string;
  readonly sort?: 'newest' | 'oldest' | 'best' | 'worst' | 'longest';
  /** The reward of the best seat. */
  readonly least?: number;
  readonly most?: number;
  /** A score with a threshold, like "privacy>=0.5". */
  readonly score?: string;
  readonly since?: number;
  readonly until?: number;
  readonly tag?: string;
  readonly star?: boolean;
}
const decimal: Shape<number> = {
  ...number(),
  read: (value, problems) =>
    number().read(typeof value === 'string' && /^-?\d{1,12}(\.\d{1,12})?$/.test(value) ? Number(value) : value, problems),
};
const flag: Shape<boolean> = { ...boolean, read: (value, problems) => boolean.read(value === '1' ? true : value, problems) };
const runs = required(list(line(), { from: 1, to: 1000 }));
export const runsBody = takes<{ readonly runs: readonly string[] }>({ runs });
export const archiveBody = takes<{ readonly runs: readonly string[]; readonly archived: boolean }>({ runs, archived: required(boolean) });
export const reviewQuery = asks<{ readonly by: string; readonly run?: string }>({
  by: withDefault(line(100), 'me'),
  run: optional(line()),
});
export const reviewSharesBody = takes<{ readonly run: string; readonly people: readonly string[]; readonly overlap: number }>({
  run: withDefault(line(), ''),
  people: required(list(line(100), { to: 50 })),
  overlap: withDefault(number(0, 1), 0.2),
});
export const reviewUndoBody = takes<{ readonly episode: string; readonly by: string; readonly event?: number }>({
  episode: required(line()),
  event: optional(whole(0)),
  by: required(line(100)),
});
export const reviewBody = takes<ReviewRequest>({
  episode: required(line()),
  against: optional(line()),
  event: optional(whole(0)),
  label: required(line(60)),
  reason: optional(prose),
  by: required(line(100)),
});
export const episodesQuery = asks<EpisodesAsked>({
  run: optional(line()),
  environment: optional(line()),
  agent: optional(line(1000)),
  status: optional(one('running', 'over', 'limit', 'error', 'abort')),
  before: optional(digits(whole(0))),
  limit: withDefault(digits(whole(1, 500)), 100),
  search: optional(line(400)),
  sort: optional(one('newest', 'oldest', 'best', 'worst', 'longest')),
  least: optional(decimal),
  most: optional(decimal),
  score: optional(line()),
  since: optional(digits(whole(0))),
  until: optional(digits(whole(0))),
  tag: optional(line(40)),
  star: optional(flag),
});

export interface ReportAsked {
  readonly score?: string;
  /** The scope of intervals; the usual choice by default. */
  readonly over?: Over;
}
const reportFields = { score: optional(line()), over: optional(one(...overs)) };
export const reportQuery = asks<ReportAsked>(reportFields);

export interface CompareAsked extends ReportAsked {
  readonly a: string;
  readonly b: string;
  readonly run?: string;
}
export const compareQuery = asks<CompareAsked>({
  a: required(line(1000)),
  b: required(line(1000)),
  run: optional(line()),
  ...reportFields,
});

export interface CasesAsked {
  readonly before: string;
  readonly after: string;
}
export const casesQuery = asks<CasesAsked>({ before: required(line(1000)), after: required(line(1000)) });
