/**
 * @file The texts inside a team or a pipeline, as components: every prompt of a program of several is improved like the one of a single agent.
 *
 * | name | where it is in the settings of a team |
 * |---|---|
 * | `members/NAME/TEXT` | a text of the member, `members/Ann/instruction` |
 * | `module/NAME` | the sentence that a module of a pipeline is told, of one that is known by name too |
 *
 * The settings keep everything else: a team without its texts is still the same structure.
 */

import { pipelines } from '@ludus-agents/agents/internal/team/pipelines';
import { type AgentSpec, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';

type Texts = Readonly<Record<string, string>>;

export const isTeam = ({ kind }: Pick<AgentSpec, 'kind'>): boolean => kind === 'team';

/** Whether a component is a text inside a team. */
export function isNested(name: string): boolean {
  return name.startsWith('members/') || name.startsWith('module/');
}

/** Splits the settings of a team into its structure and its texts. */
export function splitTeam(settings: JsonObject): { readonly settings: JsonObject; readonly texts: Texts } {
  const texts: Record<string, string> = {};
  const structure = visit(settings, {
    member(member, name) {
      const memberTexts = member['texts'];
      if (!isObject(memberTexts) || Object.keys(memberTexts).length === 0) return member;
      const { texts: _, ...rest } = member;
      for (const [title, text] of Object.entries(memberTexts)) texts[`${name}/${title}`] = String(text);
      return rest;
    },
    module(jsonObject, name) {
      const { tell, ...rest } = jsonObject;
      if (typeof tell !== 'string') return jsonObject;
      texts[name] = tell;
      return rest;
    },
  });
  // A pipeline given by name stays a name until one of its sentences changes.
  const named = pipelineModules(settings);
  return { settings: structure, texts: named === null ? texts : { ...texts, ...splitTeam({ modules: named }).texts } };
}

/** The modules of a pipeline that the settings only name; null if they list modules, or name none. */
export function pipelineModules({ pipeline, modules }: JsonObject): Json | null {
  return typeof pipeline === 'string' && modules === undefined ? (pipelines[pipeline]?.modules ?? null) : null;
}

/** Puts texts back into the structure of a team. Ignores texts of unknown members and modules. */
export function joinTeam(settings: JsonObject, texts: Texts): JsonObject {
  const named = pipelineModules(settings);
  const before = named === null ? {} : splitTeam({ modules: named }).texts;
  const isEdited = Object.entries(before).some(([name, text]) => texts[name] !== undefined && texts[name] !== text);
  return visit(named !== null && isEdited ? { ...settings, modules: named } : settings, {
    member(member, name) {
      const ownEntries = Object.entries(texts).filter(([title]) => title.startsWith(`${name}/`));
      if (ownEntries.length === 0) return member;
      const before = isObject(member['texts']) ? member['texts'] : {};
      return {
        ...member,
        texts: { ...before, ...Object.fromEntries(ownEntries.map(([title, text]) => [title.slice(name.length + 1), text])) },
      };
    },
    module: (jsonObject, name) => (texts[name] === undefined ? jsonObject : { ...jsonObject, tell: texts[name] }),
  });
}

interface Visitor {
  member(member: JsonObject, name: string): JsonObject;
  module(jsonObject: JsonObject, name: string): JsonObject;
}

/** Visits members and modules in order. Duplicate names get a number. */
function visit(settings: JsonObject, { member, module }: Visitor): JsonObject {
  const used = new Set<string>();
  const unique = (name: string): string => {
    let free = name;
    for (let i = 2; used.has(free); i++) free = `${name}-${i}`;
    used.add(free);
    return free;
  };
  const visitModules = (modules: readonly Json[]): readonly Json[] =>
    modules.map((otherModule, i) => {
      if (!isObject(otherModule)) return otherModule;
      const name = unique(`module/${String(otherModule['name'] ?? i)}`);
      const changed = module(otherModule, name);
      return Array.isArray(otherModule['modules'])
        ? { ...changed, modules: visitModules(otherModule['modules'] as readonly Json[]) }
        : changed;
    });
  const { members, modules } = settings;
  return {
    ...settings,
    ...(Array.isArray(members)
      ? {
          members: (members as readonly Json[]).map((otherMember, i) =>
            isObject(otherMember) ? member(otherMember, unique(`members/${String(otherMember['name'] ?? i)}`)) : otherMember,
          ),
        }
      : {}),
    ...(Array.isArray(modules) ? { modules: visitModules(modules as readonly Json[]) } : {}),
  };
}
