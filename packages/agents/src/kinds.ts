/** @file Every kind of agent, one line each, loaded on first use. */

import { isContentEnvironment } from '@ludus-agents/environments/internal/content/content';
import type { Agent, AgentSpec, AnyEnvironment, Json, Model, Seat } from '@ludus-agents/kernel/internal/core/index';
import { canonical, charged, Fault, listsMoves, nameOf, withPromptForm } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { parseKind } from './agent-kind.ts';
import type { BotServices } from './bot/session.ts';
import type { HumanOptions } from './human.ts';
import type { Tokens } from './mind/budget.ts';
import type { Memory } from './mind/memory.ts';
import type { Mind } from './mind/mind.ts';
import type { RecallEncoder } from './mind/relevance.ts';
import type { RunScript } from './program.ts';
import type { EarlierEpisodes } from './team/agent.ts';
import type { KeptTool } from './tools/kept-tools.ts';
import type { ToolSet } from './tools/tool.ts';

/** External services that some kinds of agents need: a terminal for a person; models by name and helpers for language agents. */
export interface AgentServices {
  readonly human?: HumanOptions;
  readonly model?: (name: string) => Promise<Model>;
  /** Loads agents trained here, by names like local/RUN@best. They play as in training, without a surrounding prompt. */
  readonly learned?: (name: string, environment: AnyEnvironment, as?: 'member') => Promise<Agent>;
  /** A model's own tokenizer, if known. */
  readonly tokens?: (model: string) => Tokens | undefined;
  /** Recalls by meaning; without it, memories are recalled by words. */
  readonly encoder?: RecallEncoder;
  readonly tools?: ToolSet;
  /** The default model of language agents that name none; without it, the embedded model. */
  readonly usualModel?: () => Promise<string | undefined>;
  /** The variables and files of a bot. Throws if the bot requests one that was not allowed. */
  readonly bot?: (spec: AgentSpec) => BotServices;
  /** The memory of the named agent from earlier episodes; omitted if nothing should be remembered. */
  readonly memory?: (agent: string, seat: Seat) => Promise<Memory>;
  /** The agent's mind at the end of its last episode; omitted likewise. */
  readonly lastMind?: (agent: string) => Promise<Mind | undefined>;
  /** The last mind of the named team and the moves of its earlier episodes; omitted likewise. */
  readonly earlierEpisodes?: (agent: string) => Promise<EarlierEpisodes>;
  /** The functions that the agent stored; omitted likewise. */
  readonly toolbox?: (agent: string) => Promise<readonly KeptTool[]>;
  /**
   * Loads an environment by name or file: a team talks under the rules of "discussion", and a search may look ahead in a learned
   * environment.
   */
  readonly environment?: (name: string) => Promise<AnyEnvironment>;
  /** The interpreter, for programs that need no process. */
  readonly runScript?: RunScript;
  /** Whether the agents are named by a log or another record rather than by the user. */
  readonly fromLog?: boolean;
  /** The user's own agents, by file or package: a spec, an agent, or a function that creates one for the seat. */
  readonly own?: (name: string) => Promise<OwnAgent | undefined>;
}

export type OwnAgent = AgentSpec | Agent | ((seat: Seat, environment: AnyEnvironment) => Agent | Promise<Agent>);

/** The inputs for creating an agent. `rest` is the part after the colon in "scripted:NAME". */
interface Casting {
  readonly spec: AgentSpec;
  readonly rest: string | undefined;
  readonly seat: Seat;
  readonly environment: AnyEnvironment;
  readonly services: AgentServices;
  /** The number of enclosing files and specs. */
  readonly depth: number;
}

interface Kind {
  readonly about: string;
  make(casting: Casting): Promise<Agent>;
}

const kinds: Readonly<Record<string, Kind>> = {
  random: { about: 'any legal move, with equal probability', make: async () => (await import('./random.ts')).random() },
  scripted: {
    about: "the environment's player for the seat, or scripted:NAME; scripted:NAME~0.2 makes errors in a fifth of its turns",
    make: scripting,
  },
  human: { about: 'a person at this terminal', make: async ({ services }) => (await import('./human.ts')).human(services.human) },
  openenv: {
    about: 'a remote environment, as openenv:ws://HOST; for the seat "world" of relay',
    make: async ({ environment, seat, rest = '' }) => (await import('./openenv/world.ts')).createOpenEnvAgent(rest, seat, environment),
  },
  llm: { about: 'a language model, as llm:MODEL; llm alone is the embedded one', make: language },
  bot: {
    about:
      'an existing bot, as bot:http://…, bot:openai:…, bot:ws://…, bot:a2a:…, bot:acp:…, bot:mcp:…, bot:cmd:… or bot:./bot.ts; docs/reference/bots.md',
    make: bot,
  },
  a2a: { about: 'a remote agent that speaks A2A, as a2a:http://…', make: bot },
  cmd: { about: 'a bot that is a process, as cmd:node bot.js', make: bot },
  team: {
    about: 'several agents on one seat that discuss every turn; a file with "members"; docs/reference/teams.md',
    make: team,
  },
  search: { about: 'tries moves on a copy of the environment before it chooses one; docs/reference/search.md', make: searching },
  guarded: {
    about: 'a guard in front of another agent, by the text "defence"; a file with "base"; docs/reference/curricula.md',
    make: guarding,
  },
  tester: {
    about:
      'runs the tests of a repository in Python, inside the sandbox, or in WebAssembly if Python is not installed (tester:python-wasm); for the seat "tester" of programs',
    make: async ({ spec, rest }) => (await import('./tester.ts')).testerAgent(spec.name, rest),
  },
  shell: {
    about: 'runs commands in a container (shell:container) or inside bubblewrap (shell:bubblewrap); for the seat "shell" of reproduction',
    make: async ({ spec, rest }) => (await import('./shell.ts')).shellAgent(spec.name, rest),
  },
  finder: {
    about: 'finds documents by meaning if a sentence encoder is installed, otherwise by words; for the seat "finder" of library',
    make: async ({ spec, services }) => (await import('./finder.ts')).finderAgent(spec.name, services.encoder),
  },
  explorer: { about: 'visits the places it has visited least, or imitates a style; ludus env coverage', make: exploring },
  program: {
    about:
      'a policy in code, written once and run each turn in the sandbox, without a model; a file with the text "policy"; docs/reference/sandbox.md',
    make: async ({ spec, services }) => (await import('./program.ts')).programAgent(spec, services.runScript),
  },
  authored: {
    about: 'a persona that follows the rules in its document, without a model',
    make: async ({ spec }) => (await import('./authored.ts')).authoredAgent(spec),
  },
  local: { about: 'a trained agent, as local/RUN@best or local/RUN@step-N', make: learnt },
};

/**
 * Creates a scripted agent: a script of the environment, or in a scene with `"group": true` a persona that speaks the lines on its card.
 */
async function scripting({ spec, rest, seat, environment }: Casting): Promise<Agent> {
  const { group, user } = (spec.settings ?? {}) as { readonly group?: Json; readonly user?: Json };
  if (group !== true || spec.persona === undefined) return (await import('./scripted.ts')).scriptedAgent(environment, seat, rest);
  const { createScriptedPersona } = await import('./personas/scripted-persona.ts');
  const { parsePersona } = await import('./personas/parse.ts');
  return createScriptedPersona(environment, parsePersona(spec.persona), { group, ...(typeof user === 'string' ? { user } : {}) });
}

async function team({ spec, seat, environment, services, depth }: Casting): Promise<Agent> {
  const { readTeam } = await import('./team/settings.ts');
  const settings = readTeam(spec);
  if (services.environment === undefined)
    throw new Fault(
      'input',
      `${spec.name} is a team, but this agent loader cannot load the discussion environment. Use loadAgent or the command line.`,
      { code: 'E_NO_LOADER' },
    );
  const { teamAgent } = await import('./team/agent.ts');
  const discussion = await services.environment('discussion');
  // A member's answer may contain more than a move: ratings, a plan, the next speaker. The only member of a team just plays.
  const isAlone = settings.called.length === 1 && settings.protocol !== 'pipeline';
  const open = isAlone ? environment : { ...environment, about: { ...environment.about, complete: false, listed: false, bare: false } };
  const { learned } = services;
  const forMembers: AgentServices =
    learned === undefined ? services : { ...services, learned: (name, ground) => learned(name, ground, 'member') };
  const load = createAgentLoader(forMembers, depth + 1);
  const members: Record<string, Agent> = {};
  for (const member of settings.called) {
    const agent = await load(member.spec, seat, open);
    members[member.name] = agent.speaks !== undefined ? agent : await load(member.spec, seat, environment);
  }
  const past = services.earlierEpisodes;
  return teamAgent({ name: spec.name, settings, members, discussion, ...(past === undefined ? {} : { earlier: () => past(spec.name) }) });
}

async function searching({ spec, seat, environment, services, depth }: Casting): Promise<Agent> {
  const { readSearch } = await import('./search/settings.ts');
  const { searchAgent } = await import('./search/agent.ts');
  const settings = readSearch(spec);
  const load = createAgentLoader(services, depth + 1);
  // A judge, or a base that writes plans or thoughts, answers in free text, not only with a move.
  const open = { ...environment, about: { ...environment.about, complete: false, listed: false, bare: false } };
  const isWriter = settings.subtasks || settings.strategy === 'reasoning';
  const base = settings.base === undefined ? undefined : await load(settings.base, seat, environment);
  const writer = settings.base === undefined || !isWriter ? undefined : await load(settings.base, seat, open);
  const judge = settings.judge === undefined ? undefined : await load(settings.judge, seat, open);
  const file = settings.dream?.from;
  if (file !== undefined && services.environment === undefined)
    throw new Fault(
      'input',
      `${spec.name} searches the dream ${file}, but this agent loader cannot read files. Use loadAgent or the command line.`,
      { code: 'E_NO_LOADER' },
    );
  const dreamed = file === undefined ? undefined : await services.environment?.(file);
  const past = services.earlierEpisodes;
  const earlier = past === undefined ? undefined : () => past(spec.name);
  const { encoder } = services;
  return searchAgent({ name: spec.name, environment: nameOf(environment), settings, base, writer, judge, dreamed, earlier, encoder });
}

async function guarding({ spec, seat, environment, services, depth }: Casting): Promise<Agent> {
  const { guardedAgent, readGuarded } = await import('./guarded.ts');
  const settings = readGuarded(spec);
  const load = createAgentLoader(services, depth + 1);
  const open = { ...environment, about: { ...environment.about, complete: false } };
  const base = await load(settings.base, seat, environment);
  const judge = settings.judge === undefined ? undefined : await load(settings.judge, seat, open);
  return guardedAgent({ name: spec.name, defence: spec.texts?.['defence'] ?? '', settings, base, judge });
}

async function exploring({ spec }: Casting): Promise<Agent> {
  const { explorer, readExplorer } = await import('./explorer.ts');
  return explorer(spec.name, readExplorer(spec));
}

function learnt({ spec, rest, environment, services }: Casting): Promise<Agent> {
  const name = spec.model ?? `local/${rest ?? ''}`;
  if (services.learned === undefined)
    throw new Fault(
      'input',
      `${spec.name} needs ${name}, but this agent loader cannot load trained agents. Use loadAgent or the command line.`,
      { code: 'E_NO_LOADER' },
    );
  return services.learned(name, environment);
}

async function bot({ spec, seat, environment, services }: Casting): Promise<Agent> {
  const { readBotSettings } = await import('./bot/settings.ts');
  const settings = readBotSettings(spec);
  if (services.bot === undefined)
    throw new Fault('input', `${spec.name} is a bot, but this agent loader cannot connect to bots. Use loadAgent or the command line.`, {
      code: 'E_NO_LOADER',
    });
  const { botAgent } = await import('./bot/agent.ts');
  const { createBotLink } = await import('./bot/link.ts');
  const { paceOf } = await import('./bot/pace.ts');
  const link = await createBotLink(spec.name, settings, services.bot(spec));
  const pace = paceOf(canonical([spec.kind, (spec.settings ?? {}) as Json]), settings);
  return botAgent({ name: spec.name, link, settings, pace, environment, seat });
}

async function language(casting: Casting): Promise<Agent> {
  const { spec, rest, seat, environment, services } = casting;
  const { isLanguageTeam, teamOfLanguage } = await import('./team/settings.ts');
  if (isLanguageTeam(spec)) return team({ ...casting, spec: teamOfLanguage(spec) });
  // An empty form field names no model.
  const wanted = spec.model || rest || (await services.usualModel?.()) || 'local';
  if (wanted.startsWith('local/')) return learnt({ ...casting, spec: { ...spec, model: wanted } });
  if (services.model === undefined)
    throw new Fault(
      'input',
      `${spec.name} needs the model ${wanted}, but no models are available here. Use loadAgent, or pass { model: loadModel }.`,
      { code: 'E_NO_LOADER' },
    );
  const { llmAgent } = await import('./llm/agent.ts');
  const model = charged(await services.model(wanted));
  const tokens = services.tokens?.(wanted) ?? model.tokens;
  const trained = withPromptForm(spec, model);
  // Training had no context size and counted tokens by letters. Prompts are cut at the same places only without the model's own values.
  if (trained !== null) {
    const { context: _, tokens: __, ...bare } = model;
    return llmAgent({ spec: trained, seat, model: bare, tools: services.tools, complete: listsMoves(environment.about) });
  }
  const { encoder, tools, memory, toolbox: loadToolbox, lastMind: minds } = services;
  const lastMind = minds === undefined ? undefined : () => minds(spec.name);
  const toolbox = loadToolbox === undefined ? undefined : () => loadToolbox(spec.name);
  const lasting = memory === undefined ? undefined : () => memory(spec.name, seat);
  const agent = await llmAgent({
    spec,
    seat,
    model,
    tokens,
    encoder,
    tools,
    complete: listsMoves(environment.about),
    bare: environment.about.bare,
    lasting,
    lastMind,
    toolbox,
  });
  if (encoder === undefined || spec.persona === undefined) return agent;
  const { feelingAgent } = await import('./mind/feelings.ts');
  return feelingAgent(agent, encoder.embed);
}

/** Aliases of kinds. */
const aliases: Readonly<Record<string, string>> = { uniform: 'random', script: 'scripted', me: 'human' };

/** Every kind of agent with its description, for lists and help. */
export const agentKinds: readonly { readonly kind: string; readonly about: string }[] = Object.entries(kinds).map(([kind, { about }]) => ({
  kind,
  about,
}));

export type AgentOf = (spec: AgentSpec | string, seat: Seat, environment: AnyEnvironment) => Promise<Agent>;

/** Chains of files that name files, and of nested teams, are limited to this depth. */
const mostFiles = 4;

/** Creates a function that makes agents from specs, with the models, tools and stores that they need. */
export function createAgentLoader(services: AgentServices, files = 0): AgentOf {
  const fromOwn = async (spec: AgentSpec, isNamed: boolean, seat: Seat, environment: AnyEnvironment): Promise<Agent | null> => {
    const ownAgent = await services.own?.(spec.kind);
    if (ownAgent === undefined) return null;
    if (typeof ownAgent === 'function') return checkOwnAgent(await ownAgent(seat, environment), spec.kind);
    if ('act' in ownAgent) return ownAgent;
    checkDepth(spec, files);
    return createAgentLoader(services, files + 1)(isNamed ? ownAgent : { ...ownAgent, ...spec, kind: ownAgent.kind }, seat, environment);
  };
  return async (input, seat, environment) => {
    const spec: AgentSpec = typeof input === 'string' ? { name: input, kind: input } : input;
    if (spec.population !== undefined)
      throw new Fault(
        'input',
        `${spec.name} is a population, but a seat takes one person. Plans, suites, and scenes can draw people from a population.`,
      );
    const { kind: called, rest } = parseKind(spec.kind);
    const name = Object.hasOwn(aliases, called) ? aliases[called]! : called;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (files > mostFiles) checkDepth(spec, files);
    const agent =
      kind === undefined
        ? await fromOwn(spec, typeof input === 'string', seat, environment)
        : await kind.make({ spec, rest, seat, environment, services, depth: files });
    if (agent === null)
      throw new Fault(
        'input',
        `Unknown agent "${spec.kind}".${spec.kind === 'fake' ? ' The model that answers at random is the agent llm:fake.' : ''} Available: ${castable(environment).join(', ')}${services.own === undefined ? '' : ', or a file'}.${didYouMean(called, Object.keys(kinds))}${services.fromLog === true ? ' A log only has the names of its agents. If the agent was a file, pass the file for its seat again.' : ''}`,
        { code: 'E_UNKNOWN_NAME', details: { kind: 'agents', name: spec.kind } },
      );
    if (typeof input === 'string') return agent;
    const { looksAhead, speaks } = agent;
    const persona = spec.persona === undefined ? agent.persona : await personaHash(spec.persona);
    return {
      name: spec.name,
      ...(looksAhead === undefined ? {} : { looksAhead }),
      ...(speaks === undefined ? {} : { speaks }),
      ...(agent.prepare === undefined ? {} : { prepare: async (signal: AbortSignal) => agent.prepare?.(signal) }),
      ...(persona === undefined ? {} : { persona }),
      act: (turn, signal, simulator) => agent.act(turn, signal, simulator),
    };
  };
}

/** The hash of a spec's persona: the stored one, else the hash of the parsed document. */
async function personaHash(input: Json): Promise<string> {
  const { hashOfPersona } = await import('./personas/parse.ts');
  return hashOfPersona(input);
}

function checkDepth({ kind }: AgentSpec, files: number): void {
  if (files >= mostFiles)
    throw new Fault('input', `The agent ${kind} is defined by files that refer to each other. Set its kind in one of them.`);
}

/** Checks that a user's function returned an agent. */
function checkOwnAgent(result: unknown, name: string): Agent {
  if (typeof result === 'object' && result !== null && typeof (result as Partial<Agent>).act === 'function') return result as Agent;
  throw new Fault(
    'input',
    `${name} exports a function that does not return an agent. If the function answers messages, it is a bot: export it as "bot", or as the default and pass bot:${name}.`,
    { code: 'E_UNKNOWN_EXPORT', details: { file: name, accepted: ['bot', 'default'] } },
  );
}

/** Creates an agent for a seat from a spec or the name of its kind. */
export const createAgent: AgentOf = createAgentLoader({});

/** The kinds of agents that can play in an environment, as users write them. */
export function castable(environment: AnyEnvironment): string[] {
  const scripts = Object.keys(environment.scripts ?? {}).map((name) => `scripted:${name}`);
  const written: Readonly<Record<string, readonly string[]>> = {
    scripted: scripts,
    llm: ['llm:MODEL'],
    local: ['local/RUN'],
    bot: ['bot:URL'],
    a2a: ['a2a:URL'],
    cmd: ['cmd:COMMAND'],
    // Created only from a file with members or code, or a persona with rules.
    team: [],
    guarded: [],
    program: [],
    authored: [],
    search: environment.about.open === true || environment.imagine !== undefined ? ['search'] : [],
    tester: nameOf(environment) === 'programs' ? ['tester'] : [],
    finder: nameOf(environment) === 'library' ? ['finder'] : [],
    shell: nameOf(environment) === 'reproduction' ? ['shell'] : [],
    openenv: nameOf(environment) === 'relay' ? ['openenv:ws://HOST'] : [],
  };
  return Object.keys(kinds).flatMap((kind) => written[kind] ?? [kind]);
}

/** The default agent of a seat without one: the environment's script for the seat, the tester or shell it needs, or random. */
export function standIn(environment: AnyEnvironment, seat: Seat): string {
  if (seat === 'finder' && nameOf(environment) === 'library') return 'finder';
  const other = isContentEnvironment(environment) && Object.hasOwn(environment.others, seat) ? environment.others[seat] : undefined;
  if (other !== undefined) return other;
  if (Object.hasOwn(environment.scripts ?? {}, seat)) return `scripted:${seat}`;
  return seat === 'tester' && nameOf(environment) === 'programs' ? 'tester' : 'random';
}
