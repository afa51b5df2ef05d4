/** @file What the studio's page and its server say to each other. The page imports these types and nothing else of the server. */

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
  readonly episodes: readonly EpisodeRecord[];
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
  /** When its last episode was stored, else the run itself, in milliseconds since 1970; null where that is unknown. */
  readonly last: number | null;
  /** What it is where it is more than episodes, e.g. "train". */
  readonly kind: string | null;
  readonly title: string;
  readonly planned: number;
  readonly ended: number;
  /** Returns of the first agent over its latest episodes, oldest first. */
  readonly returns: readonly number[];
  /** US dollars for the newest `costOf` episodes; null where some price is unknown. */
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

/** Where to go once something has begun. */
export interface StartedRun {
  readonly episode?: string;
  readonly run?: string;
}

/** Another game that has begun, and where people sit in it. */
export interface StartedGame extends StartedEpisode {
  readonly people: readonly Seat[];
}

/** The episode that has begun. */
export interface StartedEpisode {
  readonly episode: string;
}

// ── Stage ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A call without its prompt, which may be long: the page asks for it when someone wants to read it. */
export type CallShown = Pick<ModelCall, 'model' | 'usage' | 'cost' | 'finish' | 'milliseconds'>;

/** An event as it travels: calls are brief; with a turn and an end comes a picture of the world, where one can be drawn. */
export interface EventShown {
  readonly index: number;
  readonly event: Exclude<EpisodeEvent, { kind: 'action' }> | ActionShown;
  readonly picture?: Picture;
}

/** A mind may be long too. `thinks` says that there is one. */
export type ActionShown = Pick<ActionEvent, 'kind' | 'seat' | 'action' | 'edited'> & {
  readonly calls?: readonly CallShown[];
  readonly thinks: boolean;
};

/** A score; one that a judge gave stands next to how far that judge can be relied on. */
export interface ScoreShown extends Score {
  readonly grade?: Grades[string];
}

/** How someone looks on the stage. */
export interface Face {
  readonly name: string;
  /** Whether the name is a character's, from its card. */
  readonly character: boolean;
  /** A picture from the card: a data: address, or one of this server. */
  readonly picture?: string;
}

export interface EpisodeShown extends EpisodeRecord {
  /** What people call its task; null where the task has no name. */
  readonly title: string | null;
  readonly seats: readonly Seat[];
  readonly faces: Readonly<Record<Seat, Face>>;
  readonly summary: string;
  readonly scores: readonly ScoreShown[];
  readonly fork: ForkOrigin | null;
  /** Episodes that branched off this one on this stage. */
  readonly branches: readonly { readonly id: string; readonly at: number }[];
  /** Who could sit where instead, as it is written. */
  readonly castable: readonly string[];
  /** Who sits where in the words of the page "Play"; null for an episode that was not begun here. */
  readonly table: Readonly<Record<Seat, string>> | null;
  /** Seats of people at this page. */
  readonly people: readonly Seat[];
  /** Whether this server plays it now. */
  readonly live: boolean;
  /** The person's results over consecutive episodes started with "Next game"; null if no person or several people play. */
  readonly series: SeriesShown | null;
  /** What people keep next to it. */
  readonly marks: Marks;
}

/** Games against the same opponents, this one included as soon as it is over. */
export interface SeriesShown {
  readonly games: number;
  readonly won: number;
  readonly drawn: number;
  readonly lost: number;
  /** All returns of the person together. */
  readonly total: number;
}

/** Everything about one action: its calls with their prompts, and how much of each the prompt before began with as well. */
export interface ActionDetail {
  readonly index: number;
  readonly inside: Inside | null;
  readonly calls: readonly (ModelCall & {
    readonly stableCharacters: number;
    /** What is new in each message since the seat's call before; null for its first. */
    readonly changes: readonly MessageChange[] | null;
  })[];
}

/** A message against the one at its place in the call before; lines only where it has changed. */
export interface MessageChange {
  readonly change: 'same' | 'changed' | 'new';
  readonly lines: readonly DiffLine[];
}

/** A stored model call asked again with other messages, another model, or other sampling. Nothing of it is stored. */
export interface RerunRequest {
  /** Which call of the action, from 0. */
  readonly call: number;
  readonly messages: readonly Pick<ChatMessage, 'role' | 'content'>[];
  readonly model: string;
  readonly temperature?: number;
}

export interface RerunShown extends Pick<ModelCall, 'model' | 'text' | 'toolCalls' | 'thinking' | 'finish' | 'usage' | 'cost' | 'notes'> {
  readonly milliseconds: number;
  /** The part of the text that an agent would act on. */
  readonly answer: string;
}

/** What an agent carried inside, in words where it is a mind that we know; `raw` is all of it. */
export interface Inside {
  readonly thought: string;
  readonly mood: string;
  readonly memories: readonly MemoryShown[];
  readonly plan: readonly string[];
  readonly memo: string;
  readonly uses: readonly { readonly tool: string; readonly arguments: Json; readonly ok: boolean; readonly result: string }[];
  readonly prompt: { readonly tokens: number; readonly stable: number } | null;
  /** What a team said among itself before it answered. */
  readonly discussion: DiscussionShown | null;
  /** What a search tried before it moved. */
  readonly search: SearchShown | null;
  readonly raw: Json;
}

export interface MemoryShown {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** Where this turn's prompt had it. */
  readonly used: boolean;
  /** What it rests on: other memories, or events. */
  readonly evidence: readonly string[];
  /** Taken back, or no longer true: kept, and never recalled. */
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
  /** The move that was made. */
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
  /** Another answer in the place of the action at `at`. */
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
  /** One character a cell, row by row from the top; a dot is free. */
  readonly cells: string;
  readonly gravity: boolean;
  readonly won: readonly number[];
  /** How cells look, one character each: a guessed letter g in its place, y elsewhere, b nowhere; w a wall; l and d squares of chess. */
  readonly looks?: string;
  /** Moves of the seat that can be made on the board. */
  readonly plays?: readonly PlayPicture[];
}

/** A move by the mouse and the keyboard: the cells to choose, one after the other, and a key that makes it at once. */
export interface PlayPicture {
  readonly move: string;
  readonly cells: readonly number[];
  readonly key?: string;
}

/** Tables, such as what eight nations have; a cell with a move is a button. Without a head, the cells of a row stand next to each other. */
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
  /** Those of `here` who have something that the others have not; the note says what. */
  readonly marked?: readonly string[];
}

// ── Take a seat ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What there is to play, and who could play a part without a model. */
export interface EnvironmentsShown {
  readonly environments: readonly EnvironmentChoice[];
  readonly characters: readonly { readonly id: string; readonly name: string }[];
}

/** An environment to choose. */
export interface EnvironmentChoice {
  readonly name: string;
  readonly summary: string;
  /** The shelf that it is on. */
  readonly group: string;
  readonly seats: number;
  /** The most turns of an episode; null where that is unknown. */
  readonly turns: number | null;
  /** Whether it is answered in free text, so that rule-based agents have little to say. */
  readonly isText: boolean;
}

export interface EnvironmentShown {
  readonly name: string;
  readonly id: string;
  readonly summary: string;
  readonly parameters: TaskParameters;
  /** Seats under the usual task. */
  readonly seats: readonly Seat[];
  readonly castable: readonly string[];
  /** The default agent of the seat. */
  readonly standIns: Readonly<Record<Seat, string>>;
}

export interface PlayRequest {
  readonly environment: string;
  readonly task?: JsonObject;
  readonly seed?: Seed;
  /** "human" is anyone who looks at the page; seats that are not named get their stand-ins. */
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
  /** Milliseconds to rest before each turn, so that scripts can be watched. */
  readonly pace?: number;
}

export interface AnswerRequest {
  readonly seat: Seat;
  readonly text: string;
  /** The turn event that is answered: an answer to one that has passed is refused. */
  readonly turn: number;
}

/** Running activities, and those that have ended since the server was started. */
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
