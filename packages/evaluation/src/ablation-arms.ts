/** @file The removable parts of an agent: modules, mechanisms, members, memory, plans, tools, texts, and a model's thinking. */

import { isLanguageKind } from '@ludus-agents/agents/internal/agent-kind';
import { withNested } from '@ludus-agents/agents/internal/kind-rules';
import { experienceParts } from '@ludus-agents/agents/internal/mind/experience';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import { moduleNames } from '@ludus-agents/agents/internal/team/pipelines';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { protocols } from '@ludus-agents/environments/internal/discussion/protocols/index';
import type { AgentSpec, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';

/** An agent with one thing changed. */
export interface Arm {
  readonly name: string;
  readonly spec: AgentSpec;
}

/** Settings of a language agent that are parts of it, each with its value when removed. */
const switches: Readonly<Record<string, { readonly has: (value: Json | undefined) => boolean; readonly off: Json }>> = {
  memory: { has: (value) => value !== undefined && value !== 'off', off: 'off' },
  lasting: { has: (value) => value === true, off: false },
  writer: { has: (value) => value === true, off: false },
  knowledge: { has: (value) => Array.isArray(value) && value.length > 0, off: [] },
  remember: { has: (value) => value === true, off: false },
  plan: { has: (value) => value === true, off: false },
  reflect: { has: (value) => value === true, off: false },
  affect: { has: (value) => value === true, off: false },
  context: { has: (value) => value !== undefined && value !== 'window', off: 'window' },
  toolMode: { has: (value) => value !== undefined && value !== 'all', off: 'all' },
  toolRemoval: { has: (value) => value === 'model', off: 'rule' },
  toolWindow: { has: (value) => typeof value === 'number', off: null },
  toolPlan: { has: (value) => value === true, off: false },
  digests: { has: (value) => value === true || (typeof value === 'object' && value !== null), off: false },
  architecture: { has: (value) => value !== undefined && value !== 'plain' && value !== 'react' && value !== 'code', off: 'plain' },
};

/** The agent without each of its parts, one at a time; with `thinking` also with the model's own thinking on and off. */
export function ablationArms(spec: AgentSpec, { thinking = false }: { readonly thinking?: boolean } = {}): readonly Arm[] {
  const arm = (what: string, changed: AgentSpec): Arm => ({ name: what, spec: { ...changed, name: `${spec.name} ${what}` } });
  const without = (what: string, changed: AgentSpec) => arm(`without ${what}`, changed);
  const armsOf = spec.kind === 'team' ? teamArms : spec.kind === 'search' ? searchArms : partArms;
  const arms = armsOf(spec, without);
  if (!thinking) return arms;
  return [...arms, ...(['off', 'high'] as const).map((reasoning) => arm(`thinking ${reasoning}`, withReasoning(spec, reasoning)))];
}

type MakeArm = (what: string, changed: AgentSpec) => Arm;

function partArms(spec: AgentSpec, without: MakeArm): readonly Arm[] {
  const { settings = {}, tools = [], notes = [], texts = {}, persona } = spec;
  const { tools: _, ...unarmed } = spec;
  const { notes: __, ...forgetful } = spec;
  const { persona: ___, ...plain } = spec;
  return [
    ...Object.entries(switches).flatMap(([name, { has, off }]) =>
      has(settings[name]) ? [without(name, { ...spec, settings: { ...settings, [name]: off } })] : [],
    ),
    ...experienceParts.flatMap((part) => {
      const { [part]: entries, ...rest } = (settings['experience'] ?? {}) as Readonly<Record<string, Json>>;
      const isEmpty = entries === undefined || Object.keys(entries as object).length === 0;
      return isEmpty ? [] : [without(`experience ${part}`, { ...spec, settings: { ...settings, experience: rest } })];
    }),
    ...tools.map((tool) =>
      without(`tool ${tool}`, tools.length === 1 ? unarmed : { ...spec, tools: tools.filter((otherTool) => otherTool !== tool) }),
    ),
    ...(notes.length === 0 ? [] : [without('notes', forgetful)]),
    ...(persona === undefined ? [] : [without('persona', plain)]),
    ...Object.keys(texts).map((name) => {
      const { [name]: ____, ...others } = texts;
      return without(`text ${name}`, { ...spec, texts: others });
    }),
  ];
}

/** The parts of a team that can be switched off: the modules of its pipeline, or the mechanisms of its protocol. */
export function switchesOf(spec: AgentSpec): readonly string[] {
  const team = readTeam(spec);
  return team.protocol === 'pipeline' ? moduleNames(team) : Object.keys(protocols[team.protocol].mechanisms ?? {});
}

function teamArms(spec: AgentSpec, without: MakeArm): readonly Arm[] {
  const team = readTeam(spec);
  const settings = spec.settings as JsonObject;
  const off = team.off ?? [];
  const mechanisms = switchesOf(spec)
    .filter((name) => !off.includes(name))
    .map((name) => without(name, { ...spec, settings: { ...settings, off: [...off, name] } }));
  if (team.protocol === 'pipeline') return mechanisms;
  const lead = team.lead ?? team.called[0]?.name;
  const members = team.called.flatMap(({ name }, i) => {
    if (name === lead) return [];
    const links = team.links?.filter((pair) => !pair.includes(name));
    const others = (settings['members'] as readonly Json[]).filter((_, at) => at !== i);
    return [without(name, { ...spec, settings: { ...settings, members: others, ...(links === undefined ? {} : { links }) } })];
  });
  return [...mechanisms, ...members];
}

/** Mechanisms of a search, each with the setting that disables it. */
const searchSwitches: Readonly<Record<string, Json>> = {
  ...{ hindsight: false, reflections: false, lasting: false, refine: false, subtasks: false, debate: 0, imagine: false },
  ...{ judging: 'score', supervision: 'outcome', structure: 'chain' },
};

/** A search without each enabled mechanism: those of its strategy and those of its settings. */
function searchArms(spec: AgentSpec, without: MakeArm): readonly Arm[] {
  const settings = readSearch(spec);
  const { judge, ...unjudged } = (spec.settings ?? {}) as JsonObject;
  const isOn = (name: string) => {
    if (name === 'refine' && !settings.subtasks) return false;
    // Imagined moves are scored one by one, without a tree.
    if (settings.strategy === 'webdreamer' ? !['imagine', 'judging', 'debate'].includes(name) : name === 'imagine') return false;
    return settings[name as keyof typeof settings] !== searchSwitches[name];
  };
  // Strategies that weigh moves by the rules alone have none of these parts.
  if (['mcts', 'best-of-n', 'beam', 'exact'].includes(settings.strategy)) return [];
  return [
    ...Object.keys(searchSwitches)
      .filter(isOn)
      .map((name) => without(name, { ...spec, settings: { ...spec.settings, [name]: searchSwitches[name] } })),
    ...(judge === undefined || settings.strategy === 'webdreamer' ? [] : [without('judge', { ...spec, settings: unjudged })]),
  ];
}

/** A search with its number of attempts multiplied; for imagined moves, its number of ratings. */
export function withBudget(spec: AgentSpec, factor: number): AgentSpec {
  const settings = readSearch(spec);
  const field = settings.strategy === 'webdreamer' ? 'judgements' : 'simulations';
  return { ...spec, settings: { ...spec.settings, [field]: Math.max(1, Math.round(settings[field] * factor)) } };
}

/** The same agent, including nested agents, with the given thinking budget. */
function withReasoning(spec: AgentSpec, reasoning: 'off' | 'high'): AgentSpec {
  const changed = withNested(spec, (item) => withReasoning(typeof item === 'string' ? { name: item, kind: item } : item, reasoning));
  return isLanguageKind(spec.kind) ? { ...changed, settings: { ...changed.settings, reasoning } } : changed;
}
