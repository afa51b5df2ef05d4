/** @file Runs an improvement by name: a recipe, an engine and settings become a run that is stored and can be resumed. */

import { modelName } from '@ludus-agents/agents/internal/agent-kind';
import { type AgentServices, createAgentLoader, standIn } from '@ludus-agents/agents/internal/kinds';
import { createModel } from '@ludus-agents/agents/internal/models/index';
import { runCode } from '@ludus-agents/agents/internal/tools/sandbox';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { listWords } from '@ludus-agents/kernel/internal/core/format';
import type { Agent, AgentSpec, Json, JsonObject, RunRecord, Seat, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { asCharged, Fault, hash, modelFacts } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { loadEngine } from '../loaders.ts';
import { CheckpointJournal } from '../prompts/checkpoint-journal.ts';
import { type Choices, componentOfChoice } from '../prompts/choices.ts';
import { addressOf, componentsOf, isLocked } from '../prompts/components.ts';
import { type Engine, settingsOf } from '../prompts/engine.ts';
import { engines } from '../prompts/engines/index.ts';
import { skillsWith } from '../prompts/engines/skills.ts';
import { togetherWith } from '../prompts/engines/together.ts';
import { createEpisodeTrials } from '../prompts/episode-trials.ts';
import type { TrialEnvironment } from '../prompts/evaluator.ts';
import { type GateName, type GateRule, gateRules } from '../prompts/gate.ts';
import type { Improvement, ImproveServices } from '../prompts/improve.ts';
import type { CostName, PlayCost } from '../prompts/objectives.ts';
import { trainWith } from '../prompts/proposers/train.ts';
import type { Split } from '../prompts/trial-ledger.ts';
import { asPipeline } from '../prompts/workflow.ts';
import { choicesFor, namedChoices } from './choices.ts';
import { checkImproveFiles, type ImproveFiles, readImproveFiles, sameButFiles } from './improve-files.ts';
import { createSuiteTrials } from './suite-trials.ts';
import { checkProposer, loadTextProposer, recipeNamed, targetOf } from './targets.ts';

/** A request for an improvement; omitted fields have defaults. */
export interface ImproveRequest {
  /** A recipe by name, or the user's agent on a suite. */
  readonly recipe?: string;
  readonly agent?: AgentSpec;
  readonly suite?: Suite;
  readonly engine?: string;
  readonly settings?: JsonObject;
  readonly seed: Seed;
  /** The number of tasks that may be played; or tokens or money for the whole run, without such a limit. */
  readonly calls?: number;
  readonly tokens?: number;
  readonly money?: number;
  readonly model?: string;
  /** A proposer of the recipe, "random", a file of lines, or a model that reflects. */
  readonly proposer?: string;
  /** A gate by name, or the user's rule. */
  readonly gate?: string | GateRule;
  /** The score equivalent of one token, dollar or second of a play; and the maximum mean cost of a play. */
  readonly prices?: Partial<PlayCost>;
  readonly most?: Partial<PlayCost>;
  /** The cost that the gate "frugal" saves; tokens by default. */
  readonly saving?: CostName;
  readonly protect?: readonly number[];
  readonly repeats?: number;
  readonly counts?: Partial<Readonly<Record<Split, number>>>;
  readonly locked?: readonly string[];
  /** Possible values of components, by name: `{"setting/temperature": [0, 0.7], "model": ["a", "b"]}`. */
  readonly choices?: Choices;
  readonly name?: string;
}

/** The fields of an improvement's run record besides the plan. */
export type ImproveWork = Improvement & {
  readonly kind: 'improve';
  /** The recipe, or the suite on which the agent is improved. */
  readonly recipe: string;
  /** The whole suite, if there is one, so that the run is resumed on the same. */
  readonly suite?: Suite;
  readonly model: string | null;
  /** Omitted if it depends on no files. */
  readonly files?: ImproveFiles;
};

export type ImproveRun = RunRecord & { readonly work: JsonObject & ImproveWork };

/** The run of a request. The same request with the same files yields the same run. */
export async function improveRun(wish: ImproveRequest, cwd: string, trust: Trust): Promise<ImproveRun> {
  if (wish.calls === undefined && wish.tokens === undefined && wish.money === undefined)
    throw new Fault('input', 'An improvement needs a budget: calls, tokens, or money.');
  const engineName = wish.engine ?? targetOf(wish).engine;
  const engine = await loadEngine(engineName, cwd, trust);
  if (engine.designs === true && wish.agent === undefined)
    throw new Fault('input', `The engine "${engine.name}" designs workflows for your agent. Run "ludus improve ./agent.json --on SUITE".`);
  const target = targetOf(engine.designs === true && wish.agent !== undefined ? { ...wish, agent: asPipeline(wish.agent) } : wish);
  if (isFileName(engineName) && Object.hasOwn(engines, engine.name))
    throw new Fault('input', `${engineName} is named "${engine.name}", like a built-in engine. Rename it.`);
  // A writing model uses the same names as a playing one.
  const proposer =
    (wish.proposer === undefined ? undefined : modelName(wish.proposer)) ??
    (wish.model === undefined ? Object.keys(target.proposers)[0] : 'model');
  checkProposer(proposer, target, wish.model);
  if (engine.trains === true && target.learner === undefined)
    throw new Fault(
      'input',
      `${target.name} has no weights to train, which the engine "${engine.name}" needs. Try together-demo, which has weights.`,
    );
  if (target.learner !== undefined && wish.model !== undefined)
    throw new Fault('input', `${target.name} trains weights in this process, which is not possible with a named model. Remove --model.`);
  checkLocks(target.start, wish);
  const texts: ImproveWork = {
    kind: 'improve',
    recipe: target.name,
    ...(wish.suite === undefined ? {} : { suite: wish.suite }),
    model: wish.model ?? null,
    // Stored by its given name: an engine from a file is loaded by it when the run is resumed.
    engine: engineName,
    settings: settingsOf(engine, wish.settings ?? {}) as Json,
    proposer,
    seed: wish.seed,
    budget: {
      ...(wish.calls === undefined ? {} : { calls: wish.calls }),
      ...(wish.tokens === undefined ? {} : { tokens: wish.tokens }),
      ...(wish.money === undefined ? {} : { money: wish.money }),
    },
    tasks: { ...target.counts, ...wish.counts },
    repeats: wish.repeats ?? 1,
    gate: gateOf(wish),
    locked: wish.locked ?? [],
    ...withChoices(target.start, wish),
    start: target.start,
  };
  const { files } = await readImproveFiles(texts, target.plan, { cwd, trust });
  const work: ImproveWork = Object.keys(files).length === 0 ? texts : { ...texts, files };
  const id = wish.name ?? `${target.name}-${engine.name}-${wish.seed}-${hash(work).slice(0, 4)}`;
  return {
    id,
    plan: { name: id, ...target.plan, seeds: { from: 0, count: 1 } },
    // A budget is a limit: the number of episodes is only known at the end.
    episodes: 0,
    work: work as JsonObject & ImproveWork,
  };
}

/** The choices of a run; omitted if there are none, which keeps old runs identical. */
function withChoices(start: AgentSpec, { choices = {}, suite }: ImproveRequest): Pick<Improvement, 'choices'> {
  const all = suite === undefined ? choices : choicesFor(start, choices);
  return Object.keys(all).length === 0 ? {} : { choices: all };
}

/** Parts of a spec that engines add, which may be locked before they exist. */
const addedKinds = ['skill', 'playbook', 'library', 'hint', 'experience', 'member', 'demonstrations'];

/** A lock that matches nothing is a mistake, and would leave the intended part unprotected. */
function checkLocks(start: AgentSpec, { locked = [], choices = {} }: ImproveRequest): void {
  const names = [...Object.keys(componentsOf(start)), ...Object.keys(choices).map(componentOfChoice)];
  const idle = locked.find(
    (lock) => !names.some((name) => isLocked(name, [lock])) && !addedKinds.some((kind) => lock === kind || lock.startsWith(`${kind}/`)),
  );
  if (idle === undefined) return;
  const all = [...new Set(names)];
  throw new Fault('input', `${start.name} has no component "${idle}" to lock. Available: ${all.join(', ')}.${didYouMean(idle, all)}`, {
    code: 'E_UNKNOWN_NAME',
  });
}

function gateNamed(name: string): GateRule {
  if (Object.hasOwn(gateRules, name)) return gateRules[name as GateName];
  const names = Object.keys(gateRules);
  throw new Fault('input', `Unknown gate "${name}". Available: ${names.join(', ')}, or a file.${didYouMean(name, names)}`, {
    code: 'E_UNKNOWN_NAME',
  });
}

function gateOf({ gate = 'ours', protect, prices, most, saving }: ImproveRequest): GateRule {
  const rule = typeof gate === 'string' ? gateNamed(gate) : gate;
  if (saving !== undefined && rule.frugal === undefined)
    throw new Fault('input', '"saving" needs the gate "frugal". Pass --gate frugal as well.', { code: 'E_MISSING_OPTION' });
  return {
    ...rule,
    ...(protect === undefined ? {} : { protect }),
    ...(prices === undefined ? {} : { prices }),
    ...(most === undefined ? {} : { most }),
    ...(saving === undefined || rule.frugal === undefined ? {} : { frugal: { ...rule.frugal, of: saving } }),
  };
}

/**
 * Stores a run under its name, or resumes the existing one if it is the same. Returns a message if an earlier run differs only in its
 * files.
 */
export async function saveImproveRun(store: Store, run: ImproveRun, place: NamingPlace): Promise<string | null> {
  const before = await store.run(run.id);
  const changed = before?.work?.kind === 'improve' ? sameButFiles(before.work as ImproveWork, run.work) : [];
  if (changed.length > 0)
    throw new Fault(
      'input',
      `${listWords(changed)} changed since run ${run.id} was started. Use another --name to improve what is there now.`,
      {
        code: 'E_STALE',
        details: { run: run.id, files: changed },
      },
    );
  if (before !== null && hash((before.work ?? null) as Json) !== hash(run.work as Json))
    throw new Fault('input', `Another run "${run.id}" already exists in this store. Use another --name.`, { code: 'E_ALREADY_EXISTS' });
  await store.putRun(run);
  return checkImproveFiles(store, run, place);
}

/** The work of a run, if it is an improvement. */
export function workOf(run: RunRecord): ImproveWork {
  if (run.work?.kind !== 'improve') throw new Fault('input', `The run "${run.id}" was not made by "ludus improve".`);
  return run.work as ImproveWork;
}

/** Creates everything an improvement needs from the workspace. */
export async function createImproveServices(store: Store, run: RunRecord, context: ImproveContext): Promise<ImproveServices> {
  const { cwd, trust, agents: agentServices = createAgentServices(cwd, trust), ...rest } = context;
  const agents = withSteadyFake(agentServices);
  const work = workOf(run);
  const target = targetOf({
    recipe: work.recipe,
    suite: work.suite,
    agent: work.start,
    model: work.model ?? undefined,
    choices: work.choices,
  });
  const shelf = target.learner === undefined ? null : await CheckpointJournal.open(store, run.id, target.learner);
  const { suite, seed, start } = work;
  const ground =
    suite === undefined
      ? await recipeTrials({ store, run: run.id, work, shelf, cwd, trust, agents })
      : await createSuiteTrials({
          store,
          run: run.id,
          suite,
          seed,
          counts: work.tasks,
          start,
          choices: namedChoices(start, work.choices ?? {}),
          cwd,
          trust,
          agents,
        });
  const proposer = await loadTextProposer(work, target, { cwd, trust, agents });
  const blind = target.proposers['blind'];
  const engine = await engineWith(work.engine, shelf, { cwd, trust });
  return { ...{ store, run: run.id, engine, ground, proposer, blind }, ...rest };
}

/**
 * The fake model varies its answer each time the same is asked, and a resumed run skips earlier requests. Creating it for every call gives
 * the same answers before and after resuming.
 */
function withSteadyFake(services: AgentServices): AgentServices {
  const { model } = services;
  if (model === undefined) return services;
  return {
    ...services,
    model: async (name) => {
      const newModel = await model(name);
      if (newModel.id !== 'fake') return newModel;
      return asCharged({ ...modelFacts(newModel), complete: async (...call) => (await createModel(name, {})).complete(...call) });
    },
  };
}

interface RecipeGround {
  readonly store: Store;
  readonly run: string;
  readonly work: ImproveWork;
  readonly shelf: CheckpointJournal | null;
  readonly cwd: string;
  /** The origin of the names in the request. */
  readonly trust: Trust;
  readonly agents: AgentServices;
}

async function recipeTrials({ store, run, work, shelf, cwd, trust, agents: services }: RecipeGround): Promise<TrialEnvironment> {
  const recipe = recipeNamed(work.recipe);
  const environment = await resolveEnvironment(recipe.environment, cwd, trust);
  const called = createAgentLoader(services);
  const players = new PromiseCache<Agent>();
  const playerOf = (spec: AgentSpec) => {
    const id = addressOf(spec);
    return players.get(id, async () => {
      const learner = await shelf?.learner(spec.model);
      const agent = work.model === null ? recipe.player(spec, learner) : await called(spec, recipe.seat, environment);
      return { name: `${spec.name}@${id.slice(0, 8)}`, act: (turn, signal) => agent.act(turn, signal) };
    });
  };
  // Detects a start that cannot play before anything is spent.
  await playerOf(work.start);
  return createEpisodeTrials({
    ...{ store, run, environment, tasks: recipe.tasks, seat: recipe.seat },
    async agents(spec, task) {
      const agents: Record<Seat, Agent> = {};
      for (const seat of environment.seats(environment.task(task)))
        agents[seat] = seat === recipe.seat ? await playerOf(spec) : await called(standIn(environment, seat), seat, environment);
      return agents;
    },
  });
}

async function engineWith(name: string, shelf: CheckpointJournal | null, { cwd, trust }: NamingPlace): Promise<Engine> {
  // Skills may be code, which is tested in the sandbox before it is stored.
  if (name === 'skills') return skillsWith((code, input) => runCode(code, input));
  return name === 'together' && shelf !== null ? togetherWith(trainWith(shelf, rate)) : loadEngine(name, cwd, trust);
}

/** The learning rate of tables, which need few and large steps. */
const rate = 0.6;

/** The context, with optional agents and models; by default, those of the workspace. */
export type ImproveContext = NamingPlace & { readonly agents?: AgentServices } & Pick<ImproveServices, 'concurrency' | 'signal'>;
