/** @file Runs an improvement by name: a recipe, an engine and settings become a run that is stored and can be resumed. */

import { createAgentLoader, standIn } from '../agents/kinds.ts';
import { runCode } from '../agents/tools/sandbox.ts';
import {
  type Agent,
  type AgentSpec,
  Fault,
  hash,
  type Json,
  type JsonObject,
  type Learner,
  type Plan,
  type RunRecord,
  type Seat,
  type Seed,
  type Store,
} from '../core/index.ts';
import { PromiseCache } from '../core/promise-cache.ts';
import { didYouMean } from '../core/suggest.ts';
import { jailbreak } from '../environments/jailbreak.ts';
import { privacyGuard } from '../environments/privacy-guard/index.ts';
import { Tabular } from '../learners/index.ts';
import { redTeamDemo } from '../learning/adversaries/demo.ts';
import { CheckpointJournal } from '../learning/prompts/checkpoint-journal.ts';
import { addressOf } from '../learning/prompts/components.ts';
import { togetherDemo } from '../learning/prompts/demo/habits.ts';
import { instructionDemo, lawfulPlayer } from '../learning/prompts/demo/index.ts';
import { type Engine, type Proposer, settingsOf } from '../learning/prompts/engine.ts';
import { engines } from '../learning/prompts/engines/index.ts';
import { skillsWith } from '../learning/prompts/engines/skills.ts';
import { togetherWith } from '../learning/prompts/engines/together.ts';
import { createEpisodeTrials } from '../learning/prompts/episode-trials.ts';
import { type GateName, type GateRule, gateRules } from '../learning/prompts/gate.ts';
import type { Improvement, ImproveServices } from '../learning/prompts/improve.ts';
import { reflectWith } from '../learning/prompts/proposers/reflect.ts';
import { trainWith } from '../learning/prompts/proposers/train.ts';
import type { Split } from '../learning/prompts/trial-ledger.ts';
import { createAgentServices } from '../workspace/agent-services.ts';
import type { CodeSource } from '../workspace/consent.ts';
import { resolveEnvironment } from '../workspace/environments.ts';
import { isFileName } from '../workspace/load.ts';
import { loadEngine } from '../workspace/loaders.ts';

/** Something that can be improved: a seat of an environment, a start, who plays it without a model, and who proposes. */
export interface ImproveRecipe {
  readonly name: string;
  readonly about: string;
  readonly environment: string;
  readonly seat: Seat;
  readonly tasks: readonly Json[];
  readonly counts: Readonly<Record<Split, number>>;
  readonly start: AgentSpec;
  /** Plays a spec where no model is named, with the weights that it names where it has some. */
  readonly player: (spec: AgentSpec, learner?: Learner) => Agent;
  /** Untrained weights, where they can be trained too. */
  readonly learner?: () => Learner;
  /** The engine that is usual; left out, gepa. */
  readonly engine?: string;
  /** By name; the first is usual, and "blind" makes the random edits. */
  readonly proposers: Readonly<Record<string, Proposer>>;
}

export const improveRecipes: readonly ImproveRecipe[] = [
  { ...instructionDemo, player: (spec) => lawfulPlayer(spec) },
  redTeamDemo(jailbreak),
  redTeamDemo(privacyGuard),
  togetherDemo(() => new Tabular({ id: 'local/habits' })),
];

/** A request for an improvement; everything left out has a default. */
export interface ImproveRequest {
  readonly recipe: string;
  readonly engine?: string;
  readonly settings?: JsonObject;
  readonly seed: Seed;
  readonly calls: number;
  readonly money?: number;
  readonly model?: string;
  readonly proposer?: string;
  readonly gate?: string;
  readonly protect?: readonly number[];
  readonly repeats?: number;
  readonly counts?: Partial<Readonly<Record<Split, number>>>;
  readonly locked?: readonly string[];
  readonly name?: string;
}

/** The fields of an improvement's run record besides the plan. */
export type ImproveWork = Improvement & { readonly kind: 'improve'; readonly recipe: string; readonly model: string | null };

/** The run of a request. The same request is the same run. */
export async function improveRun(
  wish: ImproveRequest,
  cwd?: string,
  source?: CodeSource,
): Promise<RunRecord & { readonly work: JsonObject & ImproveWork }> {
  const recipe = recipeNamed(wish.recipe);
  const engineName = wish.engine ?? recipe.engine ?? 'gepa';
  const engine = await loadEngine(engineName, cwd, source);
  if (isFileName(engineName) && Object.hasOwn(engines, engine.name))
    throw new Fault('input', `${engineName} calls itself "${engine.name}", as a built-in engine does; give yours another name.`);
  const proposer = wish.proposer ?? (wish.model === undefined ? (Object.keys(recipe.proposers)[0] as string) : 'model');
  if (proposer === 'model' ? wish.model === undefined : !Object.hasOwn(recipe.proposers, proposer))
    throw new Fault(
      'input',
      `There is no proposer "${proposer}" here; there are ${Object.keys(recipe.proposers).join(', ')}, and model with --model.`,
    );
  if (engine.trains === true && recipe.learner === undefined)
    throw new Fault('input', `${recipe.name} has no weights to train, which the engine "${engine.name}" needs; together-demo has some.`);
  if (recipe.learner !== undefined && wish.model !== undefined)
    throw new Fault('input', `${recipe.name} trains weights in this process, and a model by name has none here; leave out --model.`);
  const work: ImproveWork = {
    kind: 'improve',
    recipe: recipe.name,
    model: wish.model ?? null,
    // As it was named: an engine from a file is found there again when the run is taken up.
    engine: engineName,
    settings: settingsOf(engine, wish.settings ?? {}) as Json,
    proposer,
    seed: wish.seed,
    budget: { calls: wish.calls, ...(wish.money === undefined ? {} : { money: wish.money }) },
    tasks: { ...recipe.counts, ...wish.counts },
    repeats: wish.repeats ?? 1,
    gate: gateOf(wish),
    locked: wish.locked ?? [],
    start: wish.model === undefined ? recipe.start : { ...recipe.start, kind: 'llm', model: wish.model },
  };
  const id = wish.name ?? `${recipe.name}-${engine.name}-${wish.seed}-${hash(work as unknown as Json).slice(0, 4)}`;
  const plan: Plan = {
    name: id,
    environments: [{ environment: recipe.environment, tasks: recipe.tasks }],
    seeds: { from: 0, count: 1 },
    casts: [{ '*': 'scripted', [recipe.seat]: work.start }],
  };
  return {
    id,
    plan,
    episodes: 3 * wish.calls + (engine.trains === true ? 5 : 3) * work.tasks.report,
    work: work as unknown as JsonObject & ImproveWork,
  };
}

function gateOf({ gate = 'ours', protect }: ImproveRequest): GateRule {
  if (!Object.hasOwn(gateRules, gate))
    throw new Fault(
      'input',
      `There is no gate "${gate}"; there are ${Object.keys(gateRules).join(', ')}.${didYouMean(gate, Object.keys(gateRules))}`,
    );
  const rule: GateRule = gateRules[gate as GateName];
  return protect === undefined ? rule : { ...rule, protect };
}

function recipeNamed(name: string): ImproveRecipe {
  const found = improveRecipes.find((recipe) => recipe.name === name);
  const names = improveRecipes.map((recipe) => recipe.name);
  if (found === undefined)
    throw new Fault('input', `There is no recipe "${name}" to improve; there are ${names.join(', ')}.${didYouMean(name, names)}`);
  return found;
}

/** Keeps a run under its name, or takes up the one that is there, provided that it is the same. */
export async function saveImproveRun(store: Store, run: Awaited<ReturnType<typeof improveRun>>): Promise<void> {
  const before = await store.run(run.id);
  if (before !== null && hash((before.work ?? null) as Json) !== hash(run.work as Json))
    throw new Fault('input', `There is already another run "${run.id}" in this store; give this one another --name.`);
  await store.putRun(run);
}

/** The work of a run, if it is an improvement. */
export function workOf(run: RunRecord): ImproveWork {
  if (run.work?.kind !== 'improve') throw new Fault('input', `The run "${run.id}" is no improvement; "ludus improve" makes one.`);
  return run.work as unknown as ImproveWork;
}

/** Everything an improvement needs from the workspace. */
export async function createImproveServices(store: Store, run: RunRecord, { cwd, ...rest }: ImproveContext): Promise<ImproveServices> {
  const work = workOf(run);
  const recipe = recipeNamed(work.recipe);
  const environment = await resolveEnvironment(recipe.environment, cwd);
  const services = createAgentServices(cwd);
  const called = createAgentLoader(services);
  const shelf = recipe.learner === undefined ? null : await CheckpointJournal.open(store, run.id, recipe.learner);
  const players = new PromiseCache<Agent>();
  const playerOf = (spec: AgentSpec) => {
    const id = addressOf(spec);
    return players.get(id, async () => {
      const learner = await shelf?.learner(spec.model);
      const agent = work.model === null ? recipe.player(spec, learner) : await called(spec, recipe.seat, environment);
      return { name: `${spec.name}@${id.slice(0, 8)}`, act: (turn, signal) => agent.act(turn, signal) };
    });
  };
  const ground = createEpisodeTrials({
    ...{ store, run: run.id, environment, tasks: recipe.tasks, seat: recipe.seat },
    async agents(spec, task) {
      const agents: Record<Seat, Agent> = {};
      for (const seat of environment.seats(environment.task(task)))
        agents[seat] = seat === recipe.seat ? await playerOf(spec) : await called(standIn(environment, seat), seat, environment);
      return agents;
    },
  });
  // A start that cannot play is found before anything is spent.
  await playerOf(work.start);
  const model = work.model === null || services.model === undefined ? null : await services.model(work.model);
  const proposer = work.proposer === 'model' && model !== null ? reflectWith({ model }) : (recipe.proposers[work.proposer] as Proposer);
  const blind = recipe.proposers['blind'] as Proposer;
  const engine = await engineWith(work.engine, shelf, cwd);
  return { ...{ store, run: run.id, engine, ground, proposer, blind }, ...rest };
}

async function engineWith(name: string, shelf: CheckpointJournal | null, cwd: string): Promise<Engine> {
  // Skills may be code, which is tried in the sandbox before it is kept.
  if (name === 'skills') return skillsWith((code, input) => runCode(code, input));
  return name === 'together' && shelf !== null ? togetherWith(trainWith(shelf, rate)) : loadEngine(name, cwd, 'folder');
}

/** Tables learn in few and large steps. */
const rate = 0.6;

export type ImproveContext = { readonly cwd: string } & Pick<ImproveServices, 'concurrency' | 'signal'>;
