/** @file Converts a form to a job: its plan, its terminal command, and the work itself. One entry per kind. */

import { type AgentOf, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { distinguish } from '@ludus-agents/agents/internal/workspace/agent-names';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { markRequested } from '@ludus-agents/agents/internal/workspace/cast-run';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { checkGateRules, gateRunName, playGate } from '@ludus-agents/desk/internal/play-gate';
import { arenaRun, runArena } from '@ludus-agents/evaluation/internal/arena';
import { callsFailed, type EvaluateOptions, evaluate, planEvaluation, putEvaluation } from '@ludus-agents/evaluation/internal/evaluate';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import { openVersions } from '@ludus-agents/evaluation/internal/plan-versions';
import { type AgentSpec, Fault, type Json, type Plan } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { loadPlanTasks, readPlan, runId } from '@ludus-agents/kernel/internal/engine/plan';
import { type RunOptions, run as runPlan } from '@ludus-agents/kernel/internal/engine/run';
import { improveRun } from '@ludus-agents/learning/internal/improving/improve';
import { planImprovement } from '@ludus-agents/learning/internal/improving/plan';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { planSurvey, surveyAgent } from '@ludus-agents/societies/internal/surveys/plan';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { LaunchKind, LaunchRequest } from './api-launch.ts';
import type { JobContext } from './background-jobs.ts';
import { walletOf } from './budget.ts';
import type { StudioContext } from './context.ts';
import { useEndpoints } from './endpoints.ts';
import { command, launchAttack, quoteWord, some } from './launch-command.ts';
import { launchProbe } from './launch-probe.ts';
import { scenePlan } from './launch-scene.ts';
import { atOnce } from './launch-time.ts';
import { beginImproving } from './routes/improvements.ts';
import { beginTraining } from './routes/trainings.ts';

/** A job that can be started. */
export interface Launch {
  readonly title: string;
  readonly command: string;
  /** The plans to estimate; empty for learning. */
  readonly plans: readonly Plan[];
  /** The complete plan as input of `ludus run`. */
  readonly plan: Plan | null;
  /** Episodes without plans: their number is a limit. */
  readonly episodes?: number;
  /** Starts the job, and returns its page. */
  begin(): Promise<string>;
}

/** Agents whose models are paid from the studio's budget. */
export function launchAgents(place: WorkingFolder): AgentOf {
  return createAgentLoader({ ...createAgentServices(place.cwd, Trust.request), model: walletOf(place).modelOf });
}

export function launchOf(studio: StudioContext, request: LaunchRequest): Promise<Launch> {
  // Judges and models named by a recipe use these names, too.
  useEndpoints(studio.place);
  return kinds[request.what](studio, request);
}

/** Plays a plan like the command line, paid from the studio's budget. */
function performs({ place }: StudioContext): (plan: Plan, options: RunOptions) => ReturnType<typeof runPlan> {
  const agent = launchAgents(place);
  return (plan, options) => {
    // An episode of it may be forked on the page without asking again.
    const specs = plan.casts.flatMap((cast) => Object.values(cast));
    markRequested(place, runId(plan), specs);
    return runPlan(plan, { ...options, agent, concurrency: atOnce });
  };
}

function startPlan(studio: StudioContext, plan: Plan, { title, reuse }: { title: string; reuse: boolean }): () => Promise<string> {
  const { store, place, jobs } = studio;
  return async () => {
    const run = runId(plan);
    const environment = (name: string) => resolveEnvironment(name, place.cwd, Trust.request);
    // The page of a run without a record would report it as missing.
    const sheet = await loadPlanTasks(plan, environment);
    const { planned } = sheet;
    await store.putRun({ id: run, plan, episodes: planned });
    const versions = await openVersions([{ plan, sheet }], { store, run, cwd: place.cwd, trust: Trust.request, reuse });
    jobs.start({ run, title, cast: [], planned }, async ({ signal, tell }) => {
      const { played } = await performs(studio)(plan, {
        ...{ store, environment, agent: launchAgents(place), signal, versions: versions.of, reuse },
        onProgress: ({ played: now, before }) => tell(now + before),
      });
      // Changes in the meantime are shown on the page of the run.
      if (played > 0) await versions.settle();
    });
    return `#/run/${encodeURIComponent(run)}`;
  };
}

const kinds: Readonly<Record<LaunchKind, (studio: StudioContext, request: LaunchRequest) => Promise<Launch>>> = {
  async run(studio, { name, environments = [], tasks = [], agents = [], against, seeds = 10, from = 0, reuse = false }) {
    some('an environment', environments);
    some('an agent', agents);
    const written = {
      ...(name === undefined ? {} : { name }),
      environments: environments.map((environment) => ({ environment, tasks: tasks.length === 0 ? [{}] : tasks })),
      seeds: { from, count: seeds },
      casts: await castsOf({ environments, tasks, agents, against }, studio.place),
      ...(against === undefined ? {} : { swap: true }),
    };
    const plan = readPlan(written, 'The form');
    const title = `${agents.join(', ')} in ${environments.join(', ')}`;
    return {
      title,
      plan,
      plans: [plan],
      command: `echo ${quoteWord(JSON.stringify(written))} | ludus run -${reuse ? ' --reuse' : ''}`,
      begin: startPlan(studio, plan, { title, reuse }),
    };
  },

  async eval(studio, { suite = '', agents = [], seeds, reuse }) {
    const { store, jobs } = studio;
    const options = await suiteOptions(studio, { suite, agents, seeds, reuse });
    const whole = await planEvaluation(options);
    const title = `${agents.join(', ')} on ${suite}`;
    return {
      ...{ title, plan: null, plans: whole.plans },
      command: command('eval', suite, { agents: agents.join(','), seeds, reuse }),
      async begin() {
        await putEvaluation(store, whole);
        const cast = whole.agents.map((agent) => agent.name);
        jobs.start({ run: whole.run, title, cast, planned: whole.planned }, ({ signal, tell }) =>
          evaluate({ ...options, signal, onProgress: ({ played: now, before }) => tell(now + before) }),
        );
        return `#/run/${encodeURIComponent(whole.run)}`;
      },
    };
  },

  async test(studio, { suite: name = '', agents = [], seeds, failUnder, mustPass, allowFaults }) {
    const { store, place, jobs } = studio;
    const suite = await loadSuite(name, place.cwd, Trust.request);
    const rules = { failUnder, mustPass, allowFaults };
    checkGateRules(rules, suite);
    const run = gateRunName(suite);
    const options = { ...(await suiteOptions(studio, { suite, agents, seeds })), suite, run, floors: false };
    const whole = await planEvaluation(options);
    const title = `Test of ${agents.join(', ')} on ${name}`;
    return {
      ...{ title, plan: null, plans: whole.plans },
      command: command('test', name, {
        ...{ agents: agents.join(','), seeds, 'fail-under': failUnder, 'must-pass': mustPass, 'allow-fault': allowFaults },
      }),
      async begin() {
        await putEvaluation(store, whole);
        const cast = whole.agents.map((agent) => agent.name);
        jobs.start({ run, title, cast, planned: whole.planned }, async ({ signal, tell }) => {
          const { report } = await playGate({ ...options, signal, onProgress: ({ played, before }) => tell(played + before) }, rules);
          const fault = callsFailed(report);
          if (fault !== null) throw fault;
        });
        return `#/run/${encodeURIComponent(run)}`;
      },
    };
  },

  async arena(studio, { environments = [], tasks = [], agents = [], games = 1000, reuse }) {
    const [name] = some('an environment', environments);
    if (agents.length < 2) throw new Fault('input', `An arena needs at least two agents, but got ${agents.length}.`);
    const { store, place, jobs } = studio;
    const environment = await resolveEnvironment(name, place.cwd, Trust.request);
    const [jsonObject] = tasks;
    const task = environment.task(jsonObject ?? {}) as Json;
    const specs = await specsOf(agents, place);
    const arena = {
      ...{ environment, source: name, task, agents: specs, games, swiss: false, store, reuse },
      ...{ cwd: place.cwd, trust: Trust.request, perform: performs(studio) },
    };
    const run = arenaRun(arena);
    const title = `An arena of ${name}`;
    const half = Math.max(1, Math.floor(games / (agents.length * (agents.length - 1))));
    const seats = environment.seats(task);
    const pairs = specs.flatMap((spec, i) => specs.slice(i + 1).map((other) => ({ [seats[0] ?? '*']: spec, '*': other })));
    const plan: Plan = { environments: [{ environment: name, tasks: [task] }], seeds: { from: 0, count: half }, casts: pairs, swap: true };
    return {
      ...{ title, plan: null, plans: [plan] },
      command: command('arena', name, {
        ...{ agents: agents.join(','), games, task: jsonObject === undefined ? undefined : JSON.stringify(jsonObject), reuse },
      }),
      async begin() {
        jobs.start({ run, title, cast: agents, planned: games }, (desk) =>
          runArena({ ...arena, signal: desk.signal, onProgress: rounds(desk) }),
        );
        return `#/board/${encodeURIComponent(run)}`;
      },
    };
  },

  async survey(studio, { questionnaire = '', population = '', number = 100, agents = [], from = 0, reuse = false }) {
    const [agent] = some('an agent', agents);
    const { cwd } = studio.place;
    const questionnaireJson = jsonFrom(questionnaire, 'The questionnaire');
    const survey = planSurvey({
      questionnaire: questionnaireJson,
      population: await loadPopulation(population, cwd, Trust.request),
      number,
      seed: from,
      agent: await readSpec(surveyAgent(agent), cwd, Trust.request),
    });
    const options = { population, n: number, agent, seed: from, reuse };
    const title = `A survey of ${number} people`;
    return {
      ...{ title, plan: survey.plan, plans: [survey.plan] },
      command: `echo ${quoteWord(JSON.stringify(questionnaireJson))} | ${command('survey', '-', options)}`,
      begin: startPlan(studio, survey.plan, { title, reuse }),
    };
  },

  async train(studio, { recipe = '', games, from = 1, seeds = 1, settings = {} }) {
    const base = await loadRecipe(recipe, studio.place.cwd, Trust.request);
    const variants = sweepOf(settings);
    if (variants.length * seeds > mostTrainings)
      throw new Fault(
        'input',
        `These values and seeds make ${variants.length * seeds} training runs, but at most ${mostTrainings} can start at once.`,
        { code: 'E_TOO_LARGE' },
      );
    // Errors are reported before anything starts.
    for (const variant of variants) override(base, variant);
    const trainings = variants.flatMap((set) =>
      Array.from({ length: seeds }, (_, i) => ({ recipe, games: games ?? 0, seed: from + i, set })),
    );
    const commands = variants.map((set) =>
      [
        command('train', recipe, { seed: from, games, seeds: seeds > 1 ? seeds : undefined }),
        ...set.map((item) => `--set ${quoteWord(item)}`),
      ].join(' '),
    );
    return {
      ...{ title: `Training ${recipe}`, plan: null, plans: [] },
      command: commands.join('\n'),
      async begin() {
        const runs: string[] = [];
        for (const wanted of trainings) runs.push((await beginTraining(studio, wanted)).run);
        if (runs.length === 1) return `#/training/${encodeURIComponent(runs[0]!)}`;
        return `#/trainings?${new URLSearchParams({ runs: JSON.stringify(runs) })}`;
      },
    };
  },

  attack: launchAttack,
  probe: launchProbe,

  async scene(studio, { scene = '', model, seeds = 1, from = 0, reuse = false }) {
    const { plan, title } = await scenePlan(studio.place.cwd, { scene, model, seeds, from });
    return {
      ...{ title, plan, plans: [plan] },
      command: `echo ${quoteWord(JSON.stringify(plan))} | ludus run -${reuse ? ' --reuse' : ''}`,
      begin: startPlan(studio, plan, { title, reuse }),
    };
  },

  async improve(studio, { recipe = '', agents = [], suite = '', engine = '', proposer, from = 1, calls = 500 }) {
    const ownEntry = recipe === '' ? await ownTarget(some('an agent', agents)[0], suite, studio.place) : {};
    const wish = { ...(recipe === '' ? ownEntry : { recipe }), engine, seed: from, calls, ...(proposer === undefined ? {} : { proposer }) };
    // Errors are reported before anything starts.
    const run = await improveRun(wish, studio.place.cwd, Trust.request);
    const [named, on] = recipe === '' ? [agents[0] ?? '', suite] : [recipe, undefined];
    return {
      ...{ title: `Optimizing ${named} with ${engine}`, plan: null, plans: planImprovement(run) },
      command: command('improve', named, { on, engine, proposer, seed: from, budget: calls }),
      begin: async () => `#/improving/${encodeURIComponent((await beginImproving(studio, wish)).run)}`,
    };
  },
};

const mostTrainings = 24;

/** Every combination of the entered values, each in the form of `--set`. Commas separate values, except within JSON. */
function sweepOf(settings: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  return Object.entries(settings).reduce<readonly (readonly string[])[]>(
    (variants, [path, typed]) => {
      const text = typed.trim();
      if (text === '') return variants;
      const values = /^[[{"]/.test(text) ? [text] : text.split(',').map((value) => value.trim());
      return variants.flatMap((variant) => values.filter((value) => value !== '').map((value) => [...variant, `${path}=${value}`]));
    },
    [[]],
  );
}

/** An agent as data with its suite for the improvement. */
async function ownTarget(agent: string, suite: string, { cwd }: WorkingFolder) {
  return { agent: await readSpec(agent, cwd, Trust.request), suite: await loadSuite(suite, cwd, Trust.request) };
}

/** How a suite is played with agents from the form, paid from the studio's budget. */
async function suiteOptions(
  studio: StudioContext,
  { suite, agents, seeds, reuse }: Pick<EvaluateOptions, 'suite' | 'seeds' | 'reuse'> & { readonly agents: readonly string[] },
) {
  some('an agent', agents);
  const { store, place } = studio;
  return {
    ...{ suite, agents: await specsOf(agents, place), seeds, reuse, store, cwd: place.cwd, trust: Trust.request },
    ...{ makeAgent: launchAgents(place), perform: performs(studio) },
  };
}

async function specsOf(agents: readonly string[], { cwd }: WorkingFolder): Promise<readonly AgentSpec[]> {
  return distinguish(await Promise.all(agents.map((word) => readSpec(word, cwd, Trust.request))), agents, cwd);
}

/** Each agent on every seat; with an opponent, on the first seat, which all selected environments must share. */
async function castsOf(
  {
    environments,
    tasks,
    agents,
    against,
  }: Required<Pick<LaunchRequest, 'environments' | 'tasks' | 'agents'>> & { readonly against: string | undefined },
  { cwd }: WorkingFolder,
): Promise<Plan['casts']> {
  if (against === undefined) return agents.map((agent) => ({ '*': agent }));
  const firsts = await Promise.all(
    environments.map(async (name) => {
      const environment = await resolveEnvironment(name, cwd, Trust.request);
      return environment.seats(environment.task(tasks[0] ?? {}))[0] ?? '*';
    }),
  );
  const [first = '*', ...others] = new Set(firsts);
  if (others.length > 0)
    throw new Fault(
      'input',
      `With the opponent ${against}, run these environments separately: their first seats have different names, ${[first, ...others].join(' and ')}.`,
    );
  return agents.map((agent) => ({ [first]: agent, '*': against }));
}

/** Every round of an arena counts from the start. */
function rounds({ tell }: JobContext): (progress: { readonly played: number; readonly before: number }) => void {
  let [over, round] = [0, 0];
  return ({ played: now, before }) => {
    if (now + before < round) over += round;
    round = now + before;
    tell(over + round);
  };
}
