/** @file What the studio's page and its server say to each other. The page imports these types and nothing else of the server. */

import type { KeyState } from '../../company/keys.ts';
import type { PolicyTable } from '../../company/policies.ts';
import type { Result } from '../../company/results.ts';
import type { Progress } from '../../company/training.ts';
import type { Because } from '../../company/why.ts';
import type {
  ActionEvent,
  AgentSpec,
  Budget,
  EpisodeEvent,
  EpisodeRecord,
  ForkOrigin,
  Json,
  JsonObject,
  Knobs,
  ModelCall,
  Plan,
  Score,
  Seat,
  Seed,
} from '../../core/index.ts';
import type { FleetView } from '../../fleet/view.ts';
import type { ImproveReport } from '../../learning/texts/report.ts';
import type { Price } from '../../models/priced.ts';
import type { Reach } from '../../models/reachable.ts';
import type { Persona, Sample, SampleReport } from '../../personas/index.ts';
import type { Ranking } from '../../scoring/arena/index.ts';
import type { Standings } from '../../scoring/evaluation/index.ts';
import type { Report } from '../../scoring/report/index.ts';
import type { Comparison } from '../../scoring/statistics/compare.ts';
import type { Grade, TrustCard } from '../../scoring/trust/index.ts';
import type { Spent } from './wallet.ts';

// ── Home ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface HomeShown {
  readonly running: readonly RunningShown[];
  readonly runs: readonly RunShown[];
  readonly episodes: readonly EpisodeRecord[];
  readonly demos: readonly DemoShown[];
}

/** Something that goes on right now: an episode, or a run with what is done of it. */
export interface RunningShown {
  readonly episode?: string;
  readonly run?: string;
  readonly title: string;
  readonly cast: readonly string[];
  readonly done: number;
  /** Null where nobody knows how long it takes. */
  readonly planned: number | null;
  /** Seats that wait for a person. */
  readonly waiting: readonly Seat[];
}

export interface RunShown {
  readonly id: string;
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
export interface Begun {
  readonly episode?: string;
  readonly run?: string;
}

// ── Stage ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A call without its prompt, which may be long: the page asks for it when somebody wants to read it. */
export type CallShown = Pick<ModelCall, 'model' | 'usage' | 'cost' | 'finish' | 'milliseconds'>;

/** An event as it travels: calls are brief; with a turn and an end comes a picture of the world, where one can be drawn. */
export interface Shown {
  readonly index: number;
  readonly event: Exclude<EpisodeEvent, { kind: 'action' }> | ActionShown;
  readonly picture?: Picture;
}

/** A mind may be long too. `thinks` says that there is one. */
export type ActionShown = Pick<ActionEvent, 'kind' | 'seat' | 'action'> & {
  readonly calls?: readonly CallShown[];
  readonly thinks: boolean;
};

/** A score; one that a judge gave stands beside how far that judge can be relied on. */
export interface ScoreShown extends Score {
  readonly grade?: Grades[string];
}

/** How somebody looks on the stage. */
export interface Face {
  readonly name: string;
  /** Whether the name is a character's, from its card. */
  readonly character: boolean;
  /** A picture from the card: a data: address, or one of this server. */
  readonly picture?: string;
}

export interface EpisodeShown extends EpisodeRecord {
  readonly seats: readonly Seat[];
  readonly faces: Readonly<Record<Seat, Face>>;
  readonly summary: string;
  readonly scores: readonly ScoreShown[];
  readonly fork: ForkOrigin | null;
  /** Episodes that branched off this one on this stage. */
  readonly branches: readonly { readonly id: string; readonly at: number }[];
  /** Who could sit where instead, as it is written. */
  readonly castable: readonly string[];
  /** Seats of people at this page. */
  readonly people: readonly Seat[];
  /** Whether this server plays it now. */
  readonly live: boolean;
}

/** Everything about one action: its calls with their prompts, and how much of each the prompt before began with as well. */
export interface ActionDetail {
  readonly index: number;
  readonly inside: Inside | null;
  readonly calls: readonly (ModelCall & { readonly stableCharacters: number })[];
}

/** What an agent carried inside, in words where it is a mind that we know; `raw` is all of it. */
export interface Inside {
  readonly thought: string;
  readonly mood: string;
  /** `used` where this turn's prompt had it. */
  readonly memories: readonly { readonly id: string; readonly kind: string; readonly text: string; readonly used: boolean }[];
  readonly plan: readonly string[];
  readonly memo: string;
  readonly uses: readonly { readonly tool: string; readonly arguments: Json; readonly ok: boolean; readonly result: string }[];
  readonly prompt: { readonly tokens: number; readonly stable: number } | null;
  readonly raw: Json;
}

export interface ForkWanted {
  readonly at: number;
  /** Other agents on some seats. */
  readonly cast?: Readonly<Record<Seat, AgentSpec | string>>;
  readonly seed?: Seed;
  /** Another answer in the place of the action at `at`. */
  readonly answer?: string;
}

/** Worlds as they are drawn. What is not known to the one who looks is null. */
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
    };

export interface GridPicture {
  readonly kind: 'grid';
  readonly columns: number;
  readonly rows: number;
  /** One character a cell, row by row from the top; a dot is free. */
  readonly cells: string;
  readonly gravity: boolean;
  readonly won: readonly number[];
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
}

// ── Take a seat ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What there is to play, and who could play a part without a model. */
export interface WorldsShown {
  readonly worlds: readonly { readonly name: string; readonly summary: string }[];
  readonly characters: readonly { readonly id: string; readonly name: string }[];
}

export interface WorldShown {
  readonly name: string;
  readonly id: string;
  readonly summary: string;
  readonly knobs: Knobs;
  /** Seats under the usual task. */
  readonly seats: readonly Seat[];
  readonly castable: readonly string[];
  /** Who sits there when nobody is named. */
  readonly standIns: Readonly<Record<Seat, string>>;
}

export interface PlayWanted {
  readonly environment: string;
  readonly task?: JsonObject;
  readonly seed?: Seed;
  /** "human" is whoever looks at the page; seats that are not named get their stand-ins. */
  readonly cast: Readonly<Record<Seat, AgentSpec | string>>;
  /** Milliseconds to rest before each turn, so that scripts can be watched. */
  readonly pace?: number;
}

export interface AnswerWanted {
  readonly seat: Seat;
  readonly text: string;
  /** The turn event that is answered: an answer to one that has passed is refused. */
  readonly turn: number;
}

// ── Personas and Create ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type { Persona, Sample, SampleReport };

export type PersonaSource = 'gallery' | 'own';

export interface PersonaCard {
  readonly source: PersonaSource;
  readonly key: string;
  readonly portrait: boolean;
  readonly name: string;
  /** Work, age, home. */
  readonly line: string;
  readonly tags: readonly string[];
  readonly version: string;
  readonly statements: number;
  readonly secrets: number;
  /** Why the file could not be read. */
  readonly problem: string | null;
}

export interface PersonaShown {
  readonly source: PersonaSource;
  readonly key: string;
  readonly persona: Persona;
  readonly portrait: boolean;
  /** What it was read from, right after an import. */
  readonly format?: string;
}

export interface TalkShown {
  readonly episode: string;
  readonly lines: readonly {
    readonly who: 'character' | 'user';
    readonly text: string;
    /** The event. */
    readonly at: number;
    readonly why: Because | null;
  }[];
  readonly over: boolean;
}

export type { Because };

export interface SampleShown {
  readonly count: number;
  readonly people: readonly { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[];
  readonly report: Sample['report'];
  /** Big Five scores in twenty bins from 0 to 100. */
  readonly traits: readonly { readonly trait: string; readonly bins: readonly number[] }[];
  /** One of them whole, to be taken over as one's own. */
  readonly first: Persona | null;
}

export interface TemplatesShown {
  readonly personas: readonly TemplateShown[];
  readonly scenes: readonly TemplateShown[];
}

export interface TemplateShown {
  readonly key: string;
  readonly name: string;
  readonly about: string;
}

export interface DraftShown {
  readonly document: Persona | JsonObject;
  /** The model that wrote it; null for a template. */
  readonly by: string | null;
  readonly calls: number;
  readonly cost: number | null;
}

/** A scene that can be played. */
export interface SceneRead {
  readonly key: string;
  /** Who sits where, by name. */
  readonly seats: Readonly<Record<Seat, string>>;
  readonly turns: number;
  readonly play: PlayWanted;
}

// ── Models ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ModelsShown {
  readonly kinds: readonly { readonly kind: string; readonly about: string }[];
  readonly keys: readonly KeyState[];
  readonly prices: Readonly<Record<string, Price>>;
  readonly priceDate: string;
  readonly priceSource: string;
  readonly spent: Spent;
  readonly budget: Budget;
}

export type { KeyState, Price, Reach, Spent };

// ── Runs and Leaderboards ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface RunLine {
  readonly id: string;
  /** What it does besides playing its plan: "train", "improve" …; null where nothing. */
  readonly kind: string | null;
  readonly planned: number;
  readonly ends: Readonly<Partial<Record<EpisodeRecord['status'], number>>>;
  readonly environments: readonly string[];
  readonly agents: readonly string[];
}

export interface RunDetail extends RunLine {
  readonly plan: Plan;
  readonly work: JsonObject | null;
  readonly results: readonly Result[];
  readonly spreads: readonly Spread[];
  readonly journals: Readonly<Record<string, number>>;
}

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** How an agent's returns are spread; a bar without width is one value. */
export interface Spread {
  readonly agent: string;
  readonly bars: readonly Bar[];
}

export interface EpisodesShown {
  readonly rows: readonly EpisodeLine[];
  readonly more: boolean;
}

export type EpisodeLine = Omit<EpisodeRecord, 'task'>;

/** Grades of the judges behind judged scores; "none" where that judge has no card. */
export type Grades = Readonly<Record<string, Grade | 'none'>>;

export interface ReportShown extends Omit<Report, 'rows'> {
  readonly grades: Grades;
}

export interface CompareShown extends Comparison {
  readonly score: string;
  /** Paired differences, a less b. */
  readonly differences: readonly Bar[];
}

export interface BoardLine {
  readonly run: string;
  readonly kind: 'arena' | 'suite';
  readonly title: string;
  readonly about: string;
  readonly episodes: number;
}

export interface TrustShown {
  readonly cards: readonly TrustCard[];
  readonly rubrics: readonly string[];
  readonly controls: readonly string[];
}

export type { Comparison, Ranking, Result, Standings, TrustCard };

// ── Training and Improving ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface TrainingShown {
  readonly runs: readonly TrainingLine[];
  /** What each recipe is called, and what it does. */
  readonly recipes: Readonly<Record<string, string>>;
}

export interface TrainingLine {
  readonly id: string;
  /** Its folder, and what its checkpoints are called by: local/NAME@best. */
  readonly name: string;
  readonly recipe: string;
  readonly method: string;
  readonly seed: Seed;
  readonly worlds: readonly string[];
  readonly last: Progress | null;
  /** Whether this server trains it now. */
  readonly going: boolean;
}

export interface TrainingDetail extends TrainingLine {
  /** The place of the first of `metrics` in its journal. */
  readonly from: number;
  readonly metrics: readonly Progress[];
  readonly checkpoints: readonly { readonly name: string; readonly update: number; readonly seconds: number }[];
  /** Of the first world it has learned. */
  readonly seats: readonly Seat[];
  readonly league: readonly { readonly name: string; readonly rating: number }[] | null;
  /** Why it ended before its time, where this server trained it. */
  readonly failed: string | null;
}

export type { PolicyTable, Progress };

export interface ImproveShown {
  readonly runs: readonly ImproveLine[];
  readonly recipes: readonly { readonly name: string; readonly about: string }[];
  readonly engines: readonly string[];
}

export interface ImproveLine {
  readonly id: string;
  readonly recipe: string;
  readonly engine: string;
  readonly seed: number;
  readonly model: string | null;
  /** What it may spend. */
  readonly calls: number;
  /** Entries of its archive. */
  readonly entries: number;
  readonly going: boolean;
  /** What it came to, once it has ended. */
  readonly words: string | null;
}

export interface CandidateLine {
  readonly id: string;
  readonly engine: string;
  readonly parents: readonly string[];
  readonly step: number;
  readonly proposer: string;
  readonly words: string;
  readonly verdict: { readonly accept: boolean; readonly words: string } | null;
  readonly select: { readonly mean: number | null; readonly plays: number };
  /** It and its descendants. */
  readonly clade: number;
}

export interface ImproveDetail extends ImproveLine {
  readonly candidates: readonly CandidateLine[];
  readonly head: { readonly id: string; readonly words: string } | null;
  readonly report: ImproveReport | null;
}

export interface CandidateDetail {
  readonly id: string;
  readonly components: Readonly<Record<string, string>>;
  /** Against its first parent, line by line. */
  readonly changes: readonly {
    readonly name: string;
    readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[];
  }[];
  readonly verdicts: readonly { readonly against: string; readonly accept: boolean; readonly words: string }[];
}

export type { ImproveReport };

// ── Fleet ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface FleetShown {
  /** Null where nobody can share this store. */
  readonly fleet: FleetView | null;
}

export type { FleetView };
