/** @file The rules of each kind of agent for its specs: whether they are valid, which agents they contain, and the cost of a turn. */

import { type AgentSpec, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import { parseKind } from './agent-kind.ts';
import { readBotSettings } from './bot/settings.ts';
import { readExplorer } from './explorer.ts';
import { readGuarded } from './guarded.ts';
import { readSettings } from './llm/settings.ts';
import { readProgram } from './program.ts';
import { readSearch } from './search/settings.ts';
import { isLanguageTeam, readTeam, teamOfLanguage } from './team/settings.ts';

/** Settings that can contain agents. */
const nestedFields = ['members', 'base', 'judge'] as const;

interface KindRules {
  /** Throws if the settings are invalid. */
  read?(spec: AgentSpec): unknown;
  /** The number of turns that contained agents may take in one turn of this agent. */
  turnsInside?(spec: AgentSpec): number;
  /** The most model calls of one turn, for kinds without contained agents. */
  callsInTurn?(spec: AgentSpec): number;
}

const bot: KindRules = { read: readBotSettings };

const rules: Readonly<Record<string, KindRules>> = {
  bot,
  a2a: bot,
  cmd: bot,
  explorer: { read: readExplorer },
  guarded: { read: readGuarded, turnsInside: ({ settings }) => (settings?.['judge'] === undefined ? 1 : 2) },
  llm: {
    read: (spec) => readSettings(isLanguageTeam(spec) ? (readTeam(teamOfLanguage(spec)).members[0] as AgentSpec) : spec, null),
    callsInTurn: languageCalls,
  },
  program: { read: readProgram },
  search: { read: readSearch, turnsInside: searchTurns },
  team: {
    read: readTeam,
    turnsInside: ({ settings }) => {
      const most = settings?.['most'];
      return typeof most === 'number' ? most : 24;
    },
  },
};

function rulesOf(kind: string): KindRules {
  const name = parseKind(kind).kind;
  return Object.hasOwn(rules, name) ? (rules[name] ?? {}) : {};
}

/** Throws if a spec's settings are invalid for its kind. */
export function checkSettings(spec: AgentSpec): void {
  rulesOf(spec.kind).read?.(spec);
}

/** The most model calls of one turn: some architectures take several, and reading a tool result takes another call. */
export function callsInTurn(spec: AgentSpec | string): number {
  if (typeof spec === 'string') return 1;
  if (isLanguageTeam(spec)) return callsInTurn(teamOfLanguage(spec));
  const inside = nestedSpecs(spec);
  const { turnsInside, callsInTurn: calls } = rulesOf(spec.kind);
  if (inside.length > 0) return (turnsInside ?? searchTurns)(spec) * Math.max(...inside.map(callsInTurn));
  return calls?.(spec) ?? 1;
}

export function usesTools(spec: AgentSpec | string | undefined): boolean {
  return typeof spec === 'object' && (spec.tools?.length ?? 0) > 0;
}

/** The agents that a spec contains, as written; empty if there are none. Their errors are reported elsewhere. */
export function nestedSpecs({ settings = {} }: Partial<AgentSpec>): readonly (AgentSpec | string)[] {
  const inside = nestedFields.flatMap((name): readonly (Json | undefined)[] => {
    const value = settings[name];
    return name === 'members' ? (Array.isArray(value) ? (value as readonly Json[]) : []) : [value];
  });
  return inside.filter(isSpec);
}

/** The same spec with each contained agent changed. */
export function withNested(spec: AgentSpec, change: (inside: AgentSpec | string) => AgentSpec | string): AgentSpec {
  const changeOne = (value: Json): Json => (isSpec(value) ? change(value) : value);
  const settings: Record<string, Json> = { ...spec.settings };
  for (const name of nestedFields) {
    const value = settings[name];
    if (value === undefined) continue;
    if (name !== 'members') settings[name] = changeOne(value);
    else if (Array.isArray(value)) settings[name] = (value as readonly Json[]).map(changeOne);
  }
  return { ...spec, settings };
}

/** Every model that a spec may call: the agent's own, and those of the agents it contains. */
export function modelsOfSpec(written: AgentSpec | string): readonly string[] {
  const spec: Partial<AgentSpec> = typeof written === 'string' ? { kind: written } : written;
  const { kind, rest } = parseKind(spec.kind ?? '');
  const model = spec.model ?? (kind === 'llm' ? (rest ?? 'local') : undefined);
  return [...new Set([...(model === undefined ? [] : [model]), ...nestedSpecs(spec).flatMap(modelsOfSpec)])];
}

function isSpec(value: Json | undefined): value is AgentSpec | string {
  return typeof value === 'string' || isObject(value);
}

function searchTurns(spec: AgentSpec): number {
  const { width, judge } = (spec.settings ?? {}) as { readonly width?: Json; readonly judge?: Json };
  if (judge === undefined) return typeof width === 'number' ? width : 16;
  const { simulations, judgements, debate, subtasks, reflections } = readSearch(spec);
  return simulations * (1 + judgements) + debate + (subtasks ? 1 : 0) + (reflections ? judgements : 0);
}

function languageCalls(spec: AgentSpec): number {
  const { architecture, steps, reflect, revise, writer } = readSettings(spec, null);
  const most =
    architecture === 'jekyll-hyde'
      ? 2 + 2 * steps
      : architecture === 'look-ahead'
        ? 1 + 2 * steps
        : usesTools(spec) || architecture === 'code'
          ? steps + 1
          : 1;
  return most + (reflect ? 1 : 0) + (writer ? 1 : 0) + (revise.most > 0 ? 1 : 0);
}
