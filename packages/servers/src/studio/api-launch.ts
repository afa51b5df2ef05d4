/** @file Messages of the launcher: one form for all work over many episodes. */

import type { CostEstimate } from '@ludus-agents/evaluation/internal/estimate';
import type { JsonObject, Plan } from '@ludus-agents/kernel/internal/core/index';

export const launchKinds = ['run', 'eval', 'test', 'arena', 'attack', 'probe', 'scene', 'survey', 'train', 'improve'] as const;
export type LaunchKind = (typeof launchKinds)[number];

/** A filled-in form; each kind reads the fields that it uses. */
export interface LaunchRequest {
  readonly what: LaunchKind;
  readonly name?: string;
  /** The environments of a run; an arena uses the first. */
  readonly environments?: readonly string[];
  readonly tasks?: readonly JsonObject[];
  readonly agents?: readonly string[];
  /** The agents on other seats; if omitted, each agent plays against itself. */
  readonly against?: string;
  /** The number of seeds: episodes per cell, or trainings. */
  readonly seeds?: number;
  readonly from?: number;
  readonly games?: number;
  readonly suite?: string;
  /** The rules of a release test: the share of attempts that must pass, tasks without any failed attempt, and faults that may occur. */
  readonly failUnder?: number;
  readonly mustPass?: readonly string[];
  readonly allowFaults?: readonly string[];
  /** A recipe; empty for an improvement of a user's agent on a suite. */
  readonly recipe?: string;
  readonly engine?: string;
  /** The author of an improvement's edits: random, a file of lines, a model. */
  readonly proposer?: string;
  readonly calls?: number;
  readonly population?: string;
  readonly number?: number;
  /** A questionnaire as JSON. */
  readonly questionnaire?: string;
  /** The kinds of attacks on an agent, and the model that writes them. */
  readonly attack?: string;
  readonly attacker?: string;
  /** The probed character: a user's or from the gallery. */
  readonly persona?: string;
  /** A saved scene or a template by name, and the model that plays its characters; if omitted, they use the lines on their cards. */
  readonly scene?: string;
  readonly model?: string;
  /** Settings of a training by their paths. Several comma-separated values make a sweep. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Keep stored episodes of agents that cannot be fingerprinted. */
  readonly reuse?: boolean;
}

/** An option with a name. */
export interface NamedChoice {
  readonly name: string;
  readonly about: string;
}

/** A recipe with its environment, number of games, and learner; null if its file was not read. */
export interface RecipeChoice extends NamedChoice {
  readonly trains: { readonly environment: string; readonly games: number; readonly learner: string } | null;
}

/** The available options. */
export interface LaunchChoices {
  readonly environments: readonly NamedChoice[];
  readonly agents: readonly NamedChoice[];
  readonly suites: readonly NamedChoice[];
  readonly faults: readonly string[];
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
  /** Whether bots or user code participate, whose cost is unknown. */
  readonly bots: boolean;
  readonly command: string;
  /** As input of `ludus run`; null if it isn't a plan. */
  readonly plan: Plan | null;
}

/** The page of the started job. */
export interface LaunchBegun {
  readonly page: string;
}
