/** @file What the launcher and its server say to each other: one form for everything that takes many episodes. */

import type { CostEstimate } from '@ludus-agents/evaluation/internal/estimate';
import type { JsonObject, Plan } from '@ludus-agents/kernel/internal/core/index';

export const launchKinds = ['run', 'eval', 'arena', 'attack', 'probe', 'scene', 'survey', 'train', 'improve'] as const;
export type LaunchKind = (typeof launchKinds)[number];

/** A form as it is filled in; each kind reads the fields that it has a use for. */
export interface LaunchRequest {
  readonly what: LaunchKind;
  readonly name?: string;
  /** Worlds of a run; an arena is held in the first. */
  readonly environments?: readonly string[];
  readonly tasks?: readonly JsonObject[];
  readonly agents?: readonly string[];
  /** Who sits on the other seats; left out, each agent plays with itself. */
  readonly against?: string;
  /** How many seeds: episodes of each cell, or trainings. */
  readonly seeds?: number;
  readonly from?: number;
  readonly games?: number;
  readonly suite?: string;
  /** A recipe; for an improvement empty where an agent of one's own is improved on a suite. */
  readonly recipe?: string;
  readonly engine?: string;
  /** Who writes the edits of an improvement: random, a file of lines, a model. */
  readonly proposer?: string;
  readonly calls?: number;
  readonly population?: string;
  readonly number?: number;
  /** A questionnaire as JSON. */
  readonly questionnaire?: string;
  /** What an agent is attacked with, and the model that writes the attacks. */
  readonly attack?: string;
  readonly attacker?: string;
  /** A character that is probed: one of the user's, or of the gallery. */
  readonly persona?: string;
  /** A saved scene or a template by name, and the model that plays its characters; without it they speak the lines on their cards. */
  readonly scene?: string;
  readonly model?: string;
  /** Settings of a training by their paths. Several values with commas make a sweep. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Keep stored episodes of agents that cannot be fingerprinted. */
  readonly reuse?: boolean;
}

/** Something to choose by its name. */
export interface NamedChoice {
  readonly name: string;
  readonly about: string;
}

/** A recipe with its environment, number of games, and learner; null if its file was not read. */
export interface RecipeChoice extends NamedChoice {
  readonly trains: { readonly environment: string; readonly games: number; readonly learner: string } | null;
}

/** What there is to choose from. */
export interface LaunchChoices {
  readonly environments: readonly NamedChoice[];
  readonly agents: readonly NamedChoice[];
  readonly suites: readonly NamedChoice[];
  readonly recipes: readonly RecipeChoice[];
  readonly improvements: readonly NamedChoice[];
  readonly attacks: readonly NamedChoice[];
  readonly scenes: readonly NamedChoice[];
  readonly personas: readonly NamedChoice[];
  readonly engines: readonly string[];
  readonly populations: readonly string[];
  readonly questionnaire: string;
}

/** A setting of a recipe that the form offers. */
export interface RecipeSetting {
  /** Its path, as `--set` takes it: "loss.kl.weight". */
  readonly name: string;
  readonly otherwise: string;
  readonly range: string;
}

/** A run before it starts: its size, its cost, and the equivalent command. */
export interface LaunchLook {
  readonly title: string;
  readonly episodes: number | null;
  readonly estimate: Pick<CostEstimate, 'calls' | 'promptTokens' | 'completionTokens' | 'money' | 'unpriced'> | null;
  /** Estimated duration in seconds, and its source; null if unknown. */
  readonly seconds: number | null;
  readonly basis: string;
  /** Whether bots or code of the user play, whose cost is unknown. */
  readonly bots: boolean;
  readonly command: string;
  /** As `ludus run` reads it; null if it isn't a plan. */
  readonly plan: Plan | null;
}

/** Where it can be looked at once it has begun. */
export interface LaunchBegun {
  readonly page: string;
}
