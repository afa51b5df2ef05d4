/** @file Messages of the other pages: personas, drafts, models, runs, boards, training, improving, fleet. */

import type { Because } from '@ludus-agents/agents/internal/explain-action';
import type { Persona, PersonaSample, SampleReport } from '@ludus-agents/agents/internal/personas/index';
import type { Ranking } from '@ludus-agents/evaluation/internal/scoring/arena/index';
import type { Report } from '@ludus-agents/evaluation/internal/scoring/report/index';
import type { Comparison } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import type { Grade, TrustCard } from '@ludus-agents/evaluation/internal/scoring/trust/index';
import type { EpisodeRecord, Json, JsonObject, Plan, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import type { ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
import type { FourCells } from '@ludus-agents/learning/internal/prompts/weights-by-texts';
import type { PolicyTable } from '@ludus-agents/learning/internal/training/policy-table';
import type { TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import type { StoredSurvey } from '@ludus-agents/societies/internal/surveys/stored-survey';
import type { Marks } from '@ludus-agents/store/internal/marks';
import type { FleetView } from '../fleet/fleet-status.ts';
import type { MatrixShown, PlayRequest } from './api.ts';

// ── Personas and Create ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type { Persona, PersonaSample, SampleReport };

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
  /** The reason why the file could not be read. */
  readonly problem: string | null;
}

export interface PersonaShown {
  readonly source: PersonaSource;
  readonly key: string;
  readonly persona: Persona;
  readonly portrait: boolean;
  /** The source, directly after an import. */
  readonly format?: string;
  /** Directly after an import: the user had exactly this character before. */
  readonly isKnown?: boolean;
}

/** A persona in an editor: the server decides whether it is valid. */
export interface PersonaRequest {
  readonly persona: object;
}

export interface PersonaSaveRequest extends PersonaRequest {
  /** The hash of the loaded version. */
  readonly base: string;
}

export type { Because };

export interface SampleRequest {
  readonly specification: Json;
  readonly count: number;
  readonly seed: number;
}

export interface SampleShown {
  readonly count: number;
  readonly people: readonly { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[];
  readonly report: PersonaSample['report'];
  /** Big Five scores in twenty bins from 0 to 100. */
  readonly traits: readonly { readonly trait: string; readonly bins: readonly number[] }[];
  /** A complete one, for the user to adopt. */
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

export interface DraftRequest {
  /** Without one, a template `like` this. */
  readonly model?: string;
  readonly like?: string;
  readonly description?: string;
  readonly name?: string;
}

export interface SceneRequest {
  readonly scene: Json;
  readonly model?: string;
}

export interface DraftShown {
  readonly document: Persona | JsonObject;
  /** The model that wrote it; null for a template. */
  readonly by: string | null;
  readonly calls: number;
  readonly cost: number | null;
}

/** A playable scene. */
export interface SceneRead {
  readonly key: string;
  /** The cast, by name. */
  readonly seats: Readonly<Record<Seat, string>>;
  readonly turns: number;
  readonly play: PlayRequest;
}

// ── Runs and Leaderboards ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Records that lists omitted because they cannot be read. */
export interface DamagedShown {
  readonly records: readonly { readonly record: string; readonly problem: string }[];
}

export interface RunLine {
  readonly id: string;
  /** The kind of work besides a plan: "train", "improve" …; null if none. */
  readonly kind: string | null;
  readonly planned: number;
  readonly ends: Readonly<Partial<Record<EpisodeRecord['status'], number>>>;
  readonly environments: readonly string[];
  readonly agents: readonly string[];
}

export interface RunDetail extends RunLine {
  readonly plan: Plan;
  readonly work: JsonObject | null;
  readonly spreads: readonly SpreadShown[];
  readonly journals: Readonly<Record<string, number>>;
  /** The stored episodes that the last invocation played again, and why: one sentence each. */
  readonly changes: readonly string[];
}

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The distribution of an agent's returns; a bar without width is one value. */
export interface SpreadShown {
  readonly agent: string;
  readonly bars: readonly Bar[];
}

export interface EpisodesShown {
  readonly rows: readonly EpisodeLine[];
  readonly more: boolean;
  /** For searches beyond the store's filters: the number of newest episodes searched, and whether that is all of them. */
  readonly looked?: number;
  readonly all?: boolean;
  /** Episodes that are not yet indexed for searching. */
  readonly pending?: number;
}

export interface EpisodeLine extends Omit<EpisodeRecord, 'task'> {
  /** The display name of its task; null if the task has none. */
  readonly title: string | null;
  readonly marks: Marks;
  readonly created?: number | null; // milliseconds since 1970
  /** Some text around the match. */
  readonly excerpt?: string;
}

/** Trust grades of judged scores; "none" if the judge has no card. */
export type Grades = Readonly<Record<string, Grade | 'none'>>;

export interface ReportShown extends Omit<Report, 'rows'> {
  readonly grades: Grades;
  /** The scope of intervals, as text. */
  readonly scope: string;
  /** The failures, one sentence each. */
  readonly failed: readonly string[];
  /** The wins of trained players against the agents, one sentence each. */
  readonly won: readonly string[];
  /** Shares and crosstabs, if the run is a survey. */
  readonly survey: StoredSurvey | null;
  /** Which agent passed which task; null if passing is not defined. */
  readonly matrix: MatrixShown | null;
  /** The run when this was read: counts, results, and report are about the same episodes. */
  readonly of: RunDetail;
  /** The number of the newest of them. */
  readonly newest: number;
}

export interface CompareShown extends Comparison {
  readonly score: string;
  /** Paired differences, a minus b. */
  readonly differences: readonly Bar[];
}

export interface BoardLine {
  readonly run: string;
  readonly kind: 'arena' | 'suite';
  readonly title: string;
  readonly about: string;
  readonly episodes: number;
}

export interface TrustRequest {
  readonly rubric: string;
  readonly judge: string;
  readonly second?: string;
  readonly twins?: number;
}

export interface TrustShown {
  readonly cards: readonly TrustCard[];
  readonly rubrics: readonly string[];
  readonly controls: readonly string[];
}

export type { Comparison, Ranking, TrustCard };

// ── Training and Improving ───────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface TrainingShown {
  readonly runs: readonly TrainingLine[];
  /** The name and description of each recipe. */
  readonly recipes: Readonly<Record<string, string>>;
}

export interface TrainRequest {
  readonly recipe: string;
  readonly name?: string;
  readonly seed?: number;
  /** Fewer than the recipe's; 0 for the recipe's number. */
  readonly games?: number;
}

export interface TrainingLine {
  readonly id: string;
  /** Its folder, and the name of its checkpoints: local/NAME@best. */
  readonly name: string;
  readonly recipe: string;
  readonly method: string;
  readonly seed: Seed;
  readonly environments: readonly string[];
  /** When it was stored, in milliseconds since 1970; null if unknown. */
  readonly created: number | null;
  readonly last: TrainingProgress | null;
  /** Whether this server is training it. */
  readonly going: boolean;
  /** The user's annotations. */
  readonly marks: Marks;
}

/** A training in a comparison. */
export interface ComparedTraining {
  readonly id: string;
  readonly name: string;
  readonly recipe: string;
  readonly seed: Seed;
  readonly metrics: readonly TrainingProgress[];
  /** Its settings by their paths: {"training.games": "1000"}. */
  readonly config: Readonly<Record<string, string>>;
}

export interface TrainingComparison {
  readonly runs: readonly ComparedTraining[];
  /** A perfect opponent's win against random play in the first environment; null if unknown. */
  readonly random: number | null;
}

export interface TrainingDetail extends TrainingLine {
  /** The index of the first of `metrics` in its journal. */
  readonly from: number;
  readonly metrics: readonly TrainingProgress[];
  readonly checkpoints: readonly { readonly name: string; readonly update: number; readonly seconds: number }[];
  /** Of the first environment in the training. */
  readonly seats: readonly Seat[];
  readonly league: readonly { readonly name: string; readonly rating: number }[] | null;
  /** The reason why the files under its name belong to another training; null if they are its own. */
  readonly stranger: string | null;
  /** The reason for its early end, if this server trained it. */
  readonly failed: string | null;
}

/** The results of a checkpoint, and its name. */
export interface PolicyShown extends PolicyTable {
  readonly at: string;
  readonly update: number;
}

export type { Marks, PolicyTable, TrainingProgress };

export interface ImproveShown {
  readonly runs: readonly ImproveLine[];
  readonly recipes: readonly { readonly name: string; readonly about: string }[];
  readonly engines: readonly string[];
}

export interface ImproveForm {
  readonly recipe: string;
  readonly engine: string;
  readonly seed?: number;
  readonly calls?: number;
}

export interface ImproveLine {
  readonly id: string;
  readonly recipe: string;
  readonly engine: string;
  readonly seed: number;
  readonly model: string | null;
  /** Its budget. */
  readonly calls: number;
  /** Entries of its archive. */
  readonly entries: number;
  readonly going: boolean;
  /** Its result, once it has ended. */
  readonly words: string | null;
  /** Milliseconds since 1970; null in stores without times. */
  readonly created: number | null;
}

/** By run, then by the first eight letters of the id: in order of creation; 0 is an initial candidate. */
export type CandidateNumbers = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface CandidateLine {
  readonly id: string;
  /** Its index among the run's candidates; 0 is an initial candidate. */
  readonly number: number;
  readonly engine: string;
  readonly parents: readonly string[];
  readonly step: number;
  readonly proposer: string;
  readonly words: string;
  readonly verdict: { readonly accept: boolean; readonly words: string } | null;
  readonly select: { readonly mean: number | null; readonly tasks: number; readonly episodes: number };
  /** It and its descendants. */
  readonly clade: number;
}

export interface ImproveDetail extends ImproveLine {
  readonly candidates: readonly CandidateLine[];
  readonly head: { readonly id: string; readonly words: string } | null;
  readonly report: ImproveReport | null;
  /** Weights and texts, before and after, if both were changed: the last entry of the journal `cells`. */
  readonly cells: FourCells | null;
}

export interface CandidateDetail {
  readonly id: string;
  readonly components: Readonly<Record<string, string>>;
  /** Compared with its first parent, line by line. */
  readonly changes: readonly {
    readonly name: string;
    readonly lines: readonly { readonly sign: ' ' | '-' | '+'; readonly text: string }[];
  }[];
  readonly verdicts: readonly { readonly against: string; readonly accept: boolean; readonly words: string }[];
}

export type { FourCells, ImproveReport };

// ── Fleet ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface FleetShown {
  /** Null if this store can't be shared. */
  readonly fleet: FleetView | null;
}

export type { FleetView };
