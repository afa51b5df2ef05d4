/** @file The targets of improvements: the built-in recipes, and a user's agent on any suite; with their proposers. */

import { readFile } from 'node:fs/promises';
import { isLanguageKind, parseKind } from '@ludus-agents/agents/internal/agent-kind';
import type { AgentServices } from '@ludus-agents/agents/internal/kinds';
import { usualWriterText } from '@ludus-agents/agents/internal/llm/profile-writer';
import { checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { jailbreak } from '@ludus-agents/environments/internal/jailbreak';
import { privacyGuard } from '@ludus-agents/environments/internal/privacy-guard/index';
import { castsOf, type Suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import type { Agent, AgentSpec, Json, JsonObject, Learner, Plan, Seat } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { redTeamDemo } from '../adversaries/demo.ts';
import { Tabular } from '../learners/index.ts';
import type { Choices } from '../prompts/choices.ts';
import { componentsOf } from '../prompts/components.ts';
import { togetherDemo } from '../prompts/demo/habits.ts';
import { instructionDemo, lawfulPlayer } from '../prompts/demo/index.ts';
import type { Proposer } from '../prompts/engine.ts';
import { isTeam } from '../prompts/nested-texts.ts';
import { type InstructionLine, learnedLines, linesIn } from '../prompts/proposers/lines.ts';
import { randomEdits } from '../prompts/proposers/random-edits.ts';
import { reflectWith } from '../prompts/proposers/reflect.ts';
import type { Split } from '../prompts/trial-ledger.ts';
import { improveRecipeNames } from './recipe-names.ts';
import { reportEpisodes } from './suite-trials.ts';

/** A recipe for improvement: a seat of an environment, a start, a player without a model, and proposers. */
export interface ImproveRecipe {
  readonly name: string;
  readonly about: string;
  readonly environment: string;
  readonly seat: Seat;
  readonly tasks: readonly Json[];
  readonly counts: Readonly<Record<Split, number>>;
  readonly start: AgentSpec;
  /** Plays a spec if no model is named, with the weights that it names, if any. */
  readonly player: (spec: AgentSpec, learner?: Learner) => Agent;
  /** Untrained weights, if they can be trained too. */
  readonly learner?: () => Learner;
  /** The default engine; gepa if omitted. */
  readonly engine?: string;
  /** By name; the first is the default, and "blind" makes the random edits. */
  readonly proposers: Readonly<Record<string, Proposer>>;
}

const recipesByName: Readonly<Record<(typeof improveRecipeNames)[number], ImproveRecipe>> = {
  'instruction-demo': { ...instructionDemo, player: (spec) => lawfulPlayer(spec) },
  'keeper-demo': redTeamDemo(jailbreak),
  'defender-demo': redTeamDemo(privacyGuard),
  'together-demo': togetherDemo(() => new Tabular({ id: 'local/habits' })),
};

export const improveRecipes: readonly ImproveRecipe[] = Object.values(recipesByName);

/** The common fields of the two ways to name an improvement. */
export interface ImproveTarget {
  readonly name: string;
  readonly start: AgentSpec;
  readonly counts: Readonly<Record<Split, number>>;
  readonly engine: string;
  /** By name; the first is the default. */
  readonly proposers: Readonly<Record<string, Proposer>>;
  readonly learner?: (() => Learner) | undefined;
  readonly plan: Pick<Plan, 'environments' | 'casts'>;
}

/** The name of an improvement: a recipe, or a user's agent on a suite. */
export interface TargetName {
  readonly choices?: Choices | undefined;
  readonly recipe?: string | undefined;
  readonly agent?: AgentSpec | undefined;
  readonly suite?: Suite | undefined;
  readonly model?: string | undefined;
}

export function targetOf({ recipe: name, agent, suite, model, choices = {} }: TargetName): ImproveTarget {
  if (suite !== undefined && agent !== undefined) return suiteTarget(agent, suite, choices);
  const recipe = recipeNamed(name ?? '');
  const start = model === undefined ? recipe.start : { ...recipe.start, kind: 'llm', model };
  return {
    ...{ name: recipe.name, start, counts: recipe.counts, engine: recipe.engine ?? 'gepa' },
    ...{ proposers: recipe.proposers, learner: recipe.learner },
    plan: {
      environments: [{ environment: recipe.environment, tasks: recipe.tasks }],
      casts: [{ '*': 'scripted', [recipe.seat]: start }],
    },
  };
}

/** The minimum episodes of each split; the report plays every task. */
const suiteCounts: Readonly<Record<Split, number>> = { propose: 12, select: 12, report: 48 };

function suiteTarget(agent: AgentSpec, suite: Suite, choices: Choices): ImproveTarget {
  const start = improvable(Object.hasOwn(choices, 'model') ? withModel(agent) : agent, choices);
  const proposers = { random: randomEdits(), blind: randomEdits() };
  return {
    ...{ name: `${start.name}-${suite.name}`.replace(/[^\w.-]+/g, '-'), start },
    counts: { ...suiteCounts, report: reportEpisodes(suite, suiteCounts.report) },
    ...{ engine: 'gepa', proposers },
    plan: {
      environments: suite.scenes.map(({ environment, tasks }) => ({ environment, tasks })),
      casts: suite.scenes.flatMap((scene) => castsOf(scene, [start])),
    },
  };
}

/** Ensures that a spec has something to change: a language agent without an instruction gets an empty one, its writer the default text. */
function improvable(agent: AgentSpec, choices: Choices): AgentSpec {
  const start = isLanguage(agent) ? withUsualTexts(agent) : isTeam(agent) ? improvableTeam(agent) : agent;
  if (Object.keys(choices).length > 0 || Object.keys(componentsOf(start)).some((name) => name !== 'model')) return start;
  throw new Fault(
    'input',
    `${agent.name} has nothing to edit: no texts, notes, persona, or settings. Add some to its spec, such as "texts": {"instruction": "…"}.`,
  );
}

const isLanguage = ({ kind }: AgentSpec): boolean => isLanguageKind(kind);

/** A team whose prompts can all be changed: every language agent in it gets an instruction. */
function improvableTeam(team: AgentSpec): AgentSpec {
  const settings = (team.settings ?? {}) as JsonObject;
  const members = Array.isArray(settings['members']) ? (settings['members'] as readonly Json[]) : [];
  const written = members.map((member): Json => {
    const spec = typeof member === 'string' && isLanguageKind(member) ? { name: member, kind: member } : member;
    const isSpec = isObject(spec) && typeof spec['kind'] === 'string';
    return isSpec && isLanguage(spec as AgentSpec) ? withUsualTexts(spec as AgentSpec) : member;
  });
  return { ...team, settings: { ...settings, members: written } };
}

/** Moves a model named in the kind to a component that can be changed. */
function withModel(agent: AgentSpec): AgentSpec {
  const { kind, rest } = parseKind(agent.kind);
  return kind === 'llm' && rest !== undefined ? { ...agent, kind, model: agent.model ?? rest } : agent;
}

function withUsualTexts(agent: AgentSpec): AgentSpec {
  const writer = agent.settings?.['writer'] === true ? { writer: usualWriterText } : {};
  return { ...agent, texts: { ...writer, ...agent.texts, instruction: agent.texts?.['instruction'] ?? '' } };
}

export function recipeNamed(name: string): ImproveRecipe {
  const improveRecipeName = improveRecipeNames.find((otherImproveRecipeName) => otherImproveRecipeName === name);
  if (improveRecipeName === undefined)
    throw new Fault(
      'input',
      `Unknown recipe "${name}". Available: ${improveRecipeNames.join(', ')}.${didYouMean(name, improveRecipeNames)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return recipesByName[improveRecipeName];
}

/** Whether a name has the form of a model, so that a misspelled proposer is not treated as one. */
export function isModelName(name: string): boolean {
  return /^fake\b|[/:]/.test(name) && !isLinesFile(name);
}

/** Model names contain slashes too, and may be programs: a file of lines begins with its folder, or has a text extension. */
export function isLinesFile(name: string): boolean {
  return /\.(txt|md)$/.test(name) || (/^(?:[a-z]:|\.{0,2})[\\/]/i.test(name) && !/\.(?:[cm]?[jt]s|json)(?:#|$)/.test(name));
}

export function checkProposer(name: string, { proposers }: ImproveTarget, model: string | undefined): void {
  if (Object.hasOwn(proposers, name) || isLinesFile(name) || isModelName(name)) return;
  if (name === 'model' && model !== undefined) return;
  const names = Object.keys(proposers);
  throw new Fault(
    'input',
    `Unknown proposer "${name}". Available: ${names.join(', ')}, a text file, a model name, or "model" with --model.${didYouMean(name, [...names, 'fake'])}`,
    { code: 'E_UNKNOWN_NAME' },
  );
}

export async function loadTextProposer(
  { proposer: name, model }: { readonly proposer: string; readonly model: string | null },
  { proposers }: ImproveTarget,
  { cwd, trust, agents: { model: called } }: NamingPlace & { readonly agents: AgentServices },
): Promise<Proposer> {
  const ownProposer = proposers[name];
  if (ownProposer !== undefined) return ownProposer;
  if (isLinesFile(name)) return learnedLines(await linesFrom(checkFile(name, trust, { cwd, env: process.env }), name));
  const wanted = name === 'model' ? model : name;
  if (called === undefined || wanted === null) throw new Fault('input', `The proposer "${name}" needs a model. Set it with --model.`);
  return reflectWith({ model: await called(wanted) });
}

/** Lines that an edit may add and remove, one per line of the file. */
async function linesFrom(path: string, name: string): Promise<readonly InstructionLine[]> {
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw new Fault('input', `The proposer's file ${name} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  });
  const lines = linesIn(text).map((line) => ({ line: line.trim(), component: 'instruction' }));
  if (lines.length > 0) return lines;
  throw new Fault('input', `${name} has no lines to try. Write one piece of advice per line.`);
}
