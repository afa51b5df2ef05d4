/** @file The messages between the studio's page and its server. The page imports these types and nothing else of the server. */

import type { TriedMove } from '@ludus-agents/agents/internal/search/positions';
import type {
  ActionEvent,
  AgentSpec,
  ChatMessage,
  EpisodeEvent,
  EpisodeRecord,
  ForkOrigin,
  Json,
  JsonObject,
  ModelCall,
  Score,
  Seat,
  Seed,
  TaskParameters,
} from '@ludus-agents/kernel/internal/core/index';
import type { DiffLine } from '@ludus-agents/learning/internal/prompts/edits';
import type { Marks } from '@ludus-agents/store/internal/marks';
import type { SharedPage } from '../access.ts';
import type { Grades } from './api-pages.ts';
import type { EndedJob, Job } from './background-jobs.ts';

export type * from './api-chats.ts';
export type * from './api-launch.ts';
export type * from './api-models.ts';
export type * from './api-pages.ts';
export type * from './api-reviews.ts';
export type * from './api-reviews.ts';
export type * from './api-runs.ts';

// ── Home ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface HomeShown {
  readonly running: readonly RunningShown[];
  readonly runs: readonly RunShown[];
  readonly episodes: readonly (EpisodeRecord & { readonly title: string | null })[];
  readonly demos: readonly DemoShown[];
}

/** An activity in progress: an episode, or a run with its progress. */
export interface RunningShown {
  readonly episode?: string;
  readonly run?: string;
  readonly title: string;
  readonly cast: readonly string[];
  readonly done: number;
  /** Null if the duration is unknown. */
  readonly planned: number | null;
  /** Seats that wait for a person. */
  readonly waiting: readonly Seat[];
}

export interface RunShown {
  readonly id: string;
  readonly name: string;
  /** When its last episode was stored, or else the run itself, in milliseconds since 1970; null if unknown. */
  readonly last: number | null;
  /** The kind of work, if it is more than episodes, e.g. "train". */
  readonly kind: string | null;
  readonly title: string;
  readonly planned: number;
  readonly ended: number;
  /** Returns of the first agent over its latest episodes, oldest first. */
  readonly returns: readonly number[];
  /** US dollars for the newest `costOf` episodes; null if a price is unknown. */
  readonly cost: number | null;
  readonly costOf: number;
  /** One sentence. */
  readonly verdict: string;
}

export interface DemoShown {
  readonly id: string;
  readonly title: string;
  readonly about: string;
}

/** The page to show after a start. */
export interface StartedRun {
  readonly episode?: string;
  readonly run?: string;
}

/** The next game, and the seats of people in it. */
export interface StartedGame extends StartedEpisode {
  readonly people: readonly Seat[];
}

/** The started episode. */
export interface StartedEpisode {
  readonly episode: string;
}

// ── Stage ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A call without its prompt, which may be long: the page requests the prompt on demand. */
export type CallShown = Pick<ModelCall, 'model' | 'usage' | 'cost' | 'finish' | 'milliseconds'>;

/** An event as sent to the page: calls are shortened; turns and the end include a picture of the environment, if it can be drawn. */
export interface EventShown {
  readonly index: number;
  readonly event: Exclude<EpisodeEvent, { kind: 'action' }> | ActionShown;
  readonly picture?: Picture;
}

/** A mind may be long, too. `thinks` says whether there is one. */
export type ActionShown = Pick<ActionEvent, 'kind' | 'seat' | 'action' | 'edited'> & {
  readonly calls?: readonly CallShown[];
  readonly thinks: boolean;
};

/** A score; a judged one includes the trust grade of its judge. */
export interface ScoreShown extends Score {
  readonly grade?: Grades[string];
}

/** The appearance of a player on the stage. */
export interface Face {
  readonly name: string;
  /** Whether the name is a character's, from its card. */
  readonly character: boolean;
  /** A picture from the card: a data: address, or one of this server. */
  readonly picture?: string;
}

export interface EpisodeShown extends EpisodeRecord {
  /** The display name of its task; null if the task has none. */
  readonly title: string | null;
  readonly seats: readonly Seat[];
  readonly faces: Readonly<Record<Seat, Face>>;
  readonly summary: string;
  readonly scores: readonly ScoreShown[];
  readonly fork: ForkOrigin | null;
  /** Episodes that branched off this one on this stage. */
  readonly branches: readonly { readonly id: string; readonly at: number }[];
  /** Alternative agents per seat, as they are written. */
  readonly castable: readonly string[];
  /** The cast in the words of the page "Play"; null for an episode that was not started here. */
  readonly table: Readonly<Record<Seat, string>> | null;
  /** The seats of people at this page. */
  readonly people: readonly Seat[];
  /** Whether this server is playing it. */
  readonly live: boolean;
  /** The person's results over consecutive episodes started with "Next game"; null if no person or several people play. */
  readonly series: SeriesShown | null;
  /** The user's annotations. */
  readonly marks: Marks;
}

/** Games against the same opponents, including this one once it is over. */
export interface SeriesShown {
  readonly games: number;
  readonly won: number;
  readonly drawn: number;
  readonly lost: number;
  /** The sum of the person's returns. */
  readonly total: number;
}

/** Details of one action: its calls with their prompts, and the part of each that the previous prompt also began with. */
export interface ActionDetail {
  readonly index: number;
  readonly inside: Inside | null;
  readonly calls: readonly (ModelCall & {
    readonly stableCharacters: number;
    /** The new parts of each message since the seat's previous call; null for its first. */
    readonly changes: readonly MessageChange[] | null;
  })[];
}

/** A message compared with the one at its position in the previous call; lines only if it changed. */
export interface MessageChange {
  readonly change: 'same' | 'changed' | 'new';
  readonly lines: readonly DiffLine[];
}

/** Repeats a stored model call with other messages, another model, or other sampling. The result is not stored. */
export interface RerunRequest {
  /** The index of the call within the action, from 0. */
  readonly call: number;
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content'>[];
  readonly model: string;
  readonly temperature?: number;
}

export interface RerunShown extends Pick<ModelCall, 'model' | 'text' | 'toolCalls' | 'thinking' | 'finish' | 'usage' | 'cost' | 'notes'> {
  readonly milliseconds: number;
  /** The part of the text that an agent would interpret as its action. */
  readonly answer: string;
}

/** An agent's internal state, in readable form for known kinds of minds; `raw` is the complete state. */
export interface Inside {
  readonly thought: string;
  readonly mood: string;
  readonly memories: readonly MemoryShown[];
  readonly plan: readonly string[];
  readonly memo: string;
  readonly uses: readonly { readonly tool: string; readonly arguments: Json; readonly ok: boolean; readonly result: string }[];
  readonly prompt: { readonly tokens: number; readonly stable: number } | null;
  /** The messages within a team before its answer. */
  readonly discussion: DiscussionShown | null;
  /** The moves that a search tried. */
  readonly search: SearchShown | null;
  readonly raw: Json;
}

export interface MemoryShown {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** Its position in this turn's prompt. */
  readonly used: boolean;
  /** Its sources: other memories, or events. */
  readonly evidence: readonly string[];
  /** Withdrawn, or no longer true: stored, but never recalled. */
  readonly gone: boolean;
}

export interface DiscussionShown {
  readonly protocol: string;
  readonly members: readonly Seat[];
  readonly lines: readonly { readonly seat: Seat; readonly text: string }[];
  readonly answer: string;
}

export interface SearchShown {
  readonly strategy: string;
  readonly exact: boolean;
  /** The selected move. */
  readonly made: string;
  readonly moves: readonly TriedMove[];
}

export interface ExplainRequest {
  readonly at: number;
  /** How often the agent is asked with each change. */
  readonly samples?: number;
}

export interface ForkRequest {
  readonly at: number;
  /** Other agents on some seats. */
  readonly cast?: Readonly<Record<Seat, AgentSpec | string>>;
  readonly seed?: Seed;
  /** A replacement for the action at `at`. */
  readonly answer?: string;
}

/** Environments as drawn. Facts that the viewer must not see are null. */
export type Picture =
  | GridPicture
  | {
      readonly kind: 'table';
      readonly pot: number;
      readonly hands: readonly HandPicture[];
      readonly board: readonly (string | null)[];
      readonly note: string;
    }
  | {
      readonly kind: 'matrix';
      readonly moves: readonly string[];
      readonly cells: readonly (readonly (readonly number[])[])[];
      readonly seats: readonly Seat[];
      readonly played: readonly (readonly string[])[];
    }
  | {
      readonly kind: 'stock';
      readonly stock: readonly number[];
      readonly capacity: number;
      readonly takes: Readonly<Record<Seat, readonly number[]>>;
    }
  | {
      readonly kind: 'map';
      readonly places: readonly PlacePicture[];
      readonly ways: readonly (readonly [number, number])[];
      readonly note: string;
    }
  | SheetPicture;

export interface GridPicture {
  readonly kind: 'grid';
  readonly columns: number;
  readonly rows: number;
  /** One character per cell, row by row from the top; a dot is a free cell. */
  readonly cells: string;
  readonly gravity: boolean;
  readonly won: readonly number[];
  /** The style of cells, one character each: a guessed letter g in its place, y elsewhere, b nowhere; w wall; l and d chess squares. */
  readonly looks?: string;
  /** The seat's legal moves on the board. */
  readonly plays?: readonly PlayPicture[];
}

/** A move by mouse and keyboard: the cells to select in sequence, and a key for the whole move. */
export interface PlayPicture {
  readonly move: string;
  readonly cells: readonly number[];
  readonly key?: string;
}

/** Tables, such as the resources of eight nations; a cell with a move is a button. Without a head, the cells of a row are adjacent. */
export interface SheetPicture {
  readonly kind: 'sheet';
  readonly note: string;
  readonly tables: readonly {
    readonly title: string;
    readonly head: readonly string[];
    readonly rows: readonly { readonly name: string; readonly cells: readonly { readonly text: string; readonly move?: string }[] }[];
  }[];
}

export interface HandPicture {
  readonly seat: Seat;
  readonly card: string | null;
  readonly paid: number;
}

export interface PlacePicture {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly here: readonly string[];
  readonly current: boolean;
  readonly closed?: boolean;
  /** The people in `here` with something that others lack, explained in the note. */
  readonly marked?: readonly string[];
}

// ── Take a seat ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The available environments, and the agents that could play without a model. */
export interface EnvironmentsShown {
  readonly environments: readonly EnvironmentChoice[];
  readonly characters: readonly { readonly id: string; readonly name: string }[];
}

/** An environment to select. */
export interface EnvironmentChoice {
  readonly name: string;
  readonly summary: string;
  /** Its group in the list. */
  readonly group: string;
  readonly seats: number;
  /** The maximum number of turns in an episode; null if unknown. */
  readonly turns: number | null;
  /** Whether actions are free text, so rule-based agents have little to say. */
  readonly isText: boolean;
}

export interface EnvironmentShown {
  readonly name: string;
  readonly id: string;
  readonly summary: string;
  readonly parameters: TaskParameters;
  /** Seats of the default task. */
  readonly seats: readonly Seat[];
  readonly castable: readonly string[];
  /** The default agent of the seat. */
  readonly standIns: Readonly<Record<Seat, string>>;
}

export interface PlayRequest {
  readonly environment: string;
  readonly task?: JsonObject;
  readonly seed?: Seed;
  /** "human" is the person at the page; unnamed seats get their default agents. */
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
  /** Delay before each turn in milliseconds, so scripts can be watched. */
  readonly pace?: number;
}

export interface AnswerRequest {
  readonly seat: Seat;
  readonly text: string;
  /** The turn event to answer: an answer to a past turn is rejected. */
  readonly turn: number;
}

/** Running activities, and those that ended since the server started. */
export interface JobsShown {
  readonly running: readonly Job[];
  readonly ended: readonly EndedJob[];
}

/** A read-only link: its contents, the id that revokes it, and its expiry in milliseconds since 1970. */
export interface LinkShown {
  readonly id: string;
  readonly shows: SharedPage;
  readonly created: number;
  readonly expires: number | null;
}

/** A new link, with the token that is shown once. */
export interface SharedLink extends LinkShown {
  readonly token: string;
}
