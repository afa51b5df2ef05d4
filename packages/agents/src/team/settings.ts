/** @file The settings of a team, parsed once from its spec, and the team that the settings of a language agent describe. */

import { teamProtocols } from '@ludus-agents/environments/internal/team-protocols';
import { specShape } from '@ludus-agents/kernel/internal/core/agent-spec';
import { type AgentSpec, Fault, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  boolean,
  either,
  list,
  number,
  object,
  one,
  optional,
  readAs,
  record,
  required,
  type ShapeValue,
  text,
  whole,
  withDefault,
  withWords,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { pipelineNames } from './pipelines.ts';

export const teamShape = object({
  members: required(
    list(either<AgentSpec | string>('the name of an agent, or a spec', words, specShape), { from: 1, to: 16 }),
    'who takes part: names of agents, files, or specs',
  ),
  protocol: withDefault(
    one(...teamProtocols),
    (jsonObject) => (jsonObject['pipeline'] === undefined && jsonObject['modules'] === undefined ? 'rounds' : 'pipeline'),
    'who speaks when, and when it is over',
  ),
  links: optional(withWords('pairs [SPEAKER, LISTENER]', list(list(text, 2))), 'who is heard by whom; all by all without it'),
  lead: optional(text, 'who plans, merges or decides; the first member without it'),
  rounds: optional(whole(1, 20), 'rounds, plans or candidates at most'),
  threshold: optional(number(0, 10), 'refine: the marks that are enough'),
  most: optional(whole(1, 200), 'turns of members in one turn of the team, at most'),
  pipeline: optional(one(...pipelineNames), 'modules that are known by name'),
  modules: optional(list(anything, { from: 1, to: 64 }), 'pipeline: your modules, each {"name", "tell"} and more'),
  off: optional(list(words), 'mechanisms of the protocol, or modules of the pipeline, that are switched off'),
  lasting: optional(boolean, 'does the team bring its memory and its routines along from earlier episodes?'),
  knowledge: optional(
    list(text, { from: 1, to: 1000 }),
    'pipeline: lines of knowledge, of which a module with "knowledge": N is told the N that fit',
  ),
  goals: optional(list(words, { from: 1, to: 200 }), 'four-modules: what the planner may ask for'),
  ticks: optional(
    either<number | Readonly<Record<string, number>>>(
      'ticks for every answer, or {"MEMBER or MODULE": ticks}',
      whole(0, 1000),
      record(whole(0, 1000)),
    ),
    'what an answer of a member costs where the environment has a clock',
  ),
  curiosity: optional(boolean, 'pipeline: is it told how new what it sees is?'),
  share: optional(number(0, 1), 'guidance: the part that guidance has in the choice'),
  mix: optional(one('product', 'linear'), 'guidance: how the two weights are mixed'),
  person: optional(text, 'refine: the member who may keep each candidate, say what to change, or leave it to the marks'),
  samples: optional(whole(1, 9), 'thought-graph: how often the lead is asked for each act'),
});

export type TeamSettings = ShapeValue<typeof teamShape>;

const settingsOf = object<{ settings: TeamSettings }>({ settings: withDefault(teamShape, {}) });

export interface TeamMember {
  readonly name: string;
  readonly spec: AgentSpec | string;
}

/** The name of a member that is given by a file: that of its export, or of the file. */
function nameOf(member: string): string {
  if (!/^\.{0,2}\//.test(member)) return member;
  const [path = '', exported = ''] = member.split('#');
  const file =
    path
      .split('/')
      .at(-1)
      ?.replace(/\.[a-z]+$/, '') ?? '';
  return exported !== '' ? exported : file !== '' ? file : member;
}

/** Parses a team's spec. Members are called by their names; duplicate names get a number. */
export function readTeam(spec: AgentSpec): TeamSettings & { readonly called: readonly TeamMember[] } {
  const { settings } = readAs(settingsOf, { settings: spec.settings }, { where: spec.name, called: 'a team' });
  const called: TeamMember[] = [];
  for (const member of settings.members) {
    const wanted = (typeof member === 'string' ? nameOf(member) : member.name).replace(/[:,\n]+/g, ' ').trim();
    const alike = called.filter(({ name }) => name === wanted || name.startsWith(`${wanted} `)).length;
    called.push({ name: alike === 0 ? wanted : `${wanted} ${alike + 1}`, spec: member });
  }
  const names = called.map(({ name }) => name);
  for (const name of [...[settings.lead, settings.person].filter((item) => item !== undefined), ...(settings.links ?? []).flat()])
    if (!names.includes(name))
      throw new Fault(
        'input',
        `${spec.name}: the team has no member "${name}". Available: ${names.join(', ')}.${didYouMean(name, names)}`,
        { code: 'E_UNKNOWN_NAME' },
      );
  return { ...settings, called };
}

export const teamGraphShape = object({
  members: required(list(words, { from: 1, to: 16 }), 'names; the text member/NAME is the brief of each'),
  links: withDefault(list(list(text, 2)), [], 'pairs [SPEAKER, LISTENER]'),
  answers: withDefault(words, 'lead', 'who speaks last, and answers'),
});

/** The format of `settings.team` of a language agent: written by hand, or by the improvement engine for teams. */
export type TeamGraph = ShapeValue<typeof teamGraphShape>;

/** Whether this is a language agent that works as a team. */
export function isLanguageTeam({ settings, texts }: AgentSpec): boolean {
  return isObject(settings?.['team']) || Object.keys(texts ?? {}).some((name) => name.startsWith('member/'));
}

/**
 * Expands a language agent with `settings.team`, or with members' briefs in its texts, into a team: each member is the same agent with its
 * own brief, the links define who reads whom, and the member that answers speaks last.
 */
export function teamOfLanguage(spec: AgentSpec): AgentSpec {
  const { team: teamSettings, ...settings } = (spec.settings ?? {}) as Readonly<Record<string, Json>>;
  const briefs = Object.entries(spec.texts ?? {}).filter(([name]) => name.startsWith('member/'));
  const texts = Object.fromEntries(Object.entries(spec.texts ?? {}).filter(([name]) => !name.startsWith('member/')));
  const names = briefs.map(([name]) => name.slice('member/'.length));
  const star = { members: ['lead', ...names], links: names.map((name) => [name, 'lead']), answers: 'lead' };
  const { team } = readAs(
    object<{ team: TeamGraph }>({ team: withDefault(teamGraphShape, star) }),
    { team: teamSettings ?? star },
    { where: spec.name, called: 'a team' },
  );
  if (!team.members.includes(team.answers))
    throw new Fault('input', `${spec.name}: "${team.answers}" answers for the team, but its members are ${team.members.join(', ')}.`);
  const members = team.members.map((name): AgentSpec => {
    const brief = spec.texts?.[`member/${name}`];
    const ownEntry = brief === undefined ? texts : { ...texts, instruction: [texts['instruction'], brief].filter(Boolean).join('\n') };
    return { ...spec, name, texts: ownEntry, settings };
  });
  return {
    name: spec.name,
    kind: 'team',
    settings: { protocol: 'in-order', members: members, links: team.links, lead: team.answers },
  };
}
