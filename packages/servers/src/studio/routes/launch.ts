/** @file Routes of the launcher: the choices, the estimate of a form, and starting it. */

import { modelsOfSpec } from '@ludus-agents/agents/internal/kind-rules';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { agentKind, environmentKind, populationKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { detectors } from '@ludus-agents/desk/internal/faults/index';
import { type CostEstimate, callsModels, estimatePlan } from '@ludus-agents/evaluation/internal/estimate';
import { suiteKind } from '@ludus-agents/evaluation/internal/kinds';
import type { Span } from '@ludus-agents/evaluation/internal/span';
import { loadPlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import type { AttackKind } from '@ludus-agents/learning/internal/improving/attack-kinds';
import { improveRecipes } from '@ludus-agents/learning/internal/improving/targets';
import { engineKind, recipeKind } from '@ludus-agents/learning/internal/kinds';
import { loadRecipe } from '@ludus-agents/learning/internal/loaders';
import type { TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import { Hono } from 'hono';
import { describeEntry, listKind, ownNames } from '../../describe.ts';
import type { LaunchBegun, LaunchChoices, LaunchLook, LaunchRequest, RecipeSetting } from '../api-launch.ts';
import type { StudioContext } from '../context.ts';
import { type Launch, launchAgents, launchOf } from '../launch.ts';
import { listPersonas } from '../launch-probe.ts';
import { listScenes } from '../launch-scene.ts';
import { callsOut, timeOf } from '../launch-time.ts';
import { ownEntry, ownFiles } from '../own-files.ts';
import { reply } from '../request.ts';
import { launchBody } from '../requests.ts';
import { trainedRuns } from '../seatable.ts';

/** A questionnaire template. */
const questionnaire = JSON.stringify(
  {
    name: 'town',
    items: [
      { id: 'trust', kind: 'scale', text: 'Most people can be trusted.', options: ['no', 'rather no', 'rather yes', 'yes'] },
      { id: 'move', text: 'Will you move away?', options: ['yes', 'no'] },
    ],
  },
  null,
  2,
);

export function launch(studio: StudioContext) {
  return new Hono()
    .get('/', async (call) => reply(call, await choices(studio)))
    .get('/recipes/:name', async (call) => {
      const { settings } = await describeEntry(recipeKind, call.req.param('name'), studio.place.cwd, Trust.request);
      return reply<readonly RecipeSetting[]>(
        call,
        settings.map(({ name, otherwise, range }) => ({ name, otherwise, range })),
      );
    })
    .post('/look', launchBody, async (call) => {
      const request = call.req.valid('json');
      return reply(call, await look(studio, request, await launchOf(studio, request)));
    })
    .post('/', launchBody, async (call) =>
      reply<LaunchBegun>(call, { page: await (await launchOf(studio, call.req.valid('json'))).begin() }),
    );
}

async function choices({ place: { cwd }, store }: StudioContext): Promise<LaunchChoices> {
  const environments = await listKind(environmentKind, cwd);
  const trained = (await trainedRuns(store, cwd)).flatMap(({ name, recipe, kept }) =>
    kept.slice(0, 1).map((at) => ({ name: `local/${name}@${at}`, about: `trained here with ${recipe.name}` })),
  );
  const named = await Promise.all((await ownNames(agentKind, cwd)).map((name) => ownEntry(agentKind, name, cwd)));
  const files = ownFiles(cwd);
  return {
    environments: [...files.environments, ...environments],
    agents: [
      ...named,
      ...files.agents,
      { name: 'random', about: 'any legal move' },
      { name: 'scripted', about: 'the rule-based player of the environment' },
      { name: 'llm:fake', about: 'a model without a network, for trying things out' },
      ...trained,
    ],
    suites: [...files.suites, ...(await listKind(suiteKind, cwd))],
    faults: detectors.map(({ name }) => name),
    attacks: Object.entries(attackAbout).map(([name, about]) => ({ name, about })),
    scenes: listScenes(cwd),
    personas: listPersonas(cwd),
    recipes: [...files.recipes.map((file) => ({ ...file, trains: null })), ...(await listRecipes(cwd))],
    improvements: improveRecipes.map(({ name, about }) => ({ name, about })),
    engines: (await listKind(engineKind, cwd)).map(({ name }) => name),
    populations: [...files.populations, ...(await listKind(populationKind, cwd))].map(({ name }) => name),
    questionnaire,
  };
}

async function listRecipes(cwd: string): Promise<LaunchChoices['recipes']> {
  const { recipes } = await import('@ludus-agents/learning/internal/rl/recipes/index');
  const builtIn = new Map(recipes.map(({ name, training }) => [name, training]));
  return (await listKind(recipeKind, cwd)).map(({ name, about }) => {
    const training = builtIn.get(name);
    if (training === undefined) return { name, about, trains: null };
    const { environment, games, learner = 'table' } = training;
    return { name, about, trains: { environment, games, learner } };
  });
}

const attackAbout: Readonly<Record<AttackKind, string>> = {
  guard: 'Plants a secret in the agent’s prompt and asks for it',
  privacy: 'Asks a defender for a secret, in six kinds of ways',
  jailbreak: 'Asks for what the agent must refuse',
  redcoder: 'Asks for code in conversations and looks for weaknesses in it',
  injection: 'Hides instructions in what the tools of a desk return',
  twins: 'Compares requests that differ only in whether they are allowed',
  threats: 'Pressures the agent of a desk to break its policy',
  crescendo: 'Starts harmlessly and asks for a little more in every turn',
  goat: 'Changes its strategy after every refusal',
  mischievous: 'Plays a customer who tries to get away with things',
};

async function look(
  studio: StudioContext,
  request: LaunchRequest,
  { title, command, plan, plans, episodes: limit }: Launch,
): Promise<LaunchLook> {
  const whole = { title, command, plan };
  if (limit !== undefined) return { ...whole, ...(await limitedLook(studio, request, limit)) };
  if (plans.length === 0) return { ...whole, episodes: null, estimate: null, bots: false, ...(await learning(studio, request)) };
  const { store, place } = studio;
  const make = launchAgents(place);
  let [episodes, basis] = [0, ''];
  let seconds: number | null = 0;
  let bots = false;
  let estimate: CostEstimate | null = null;
  for (const plan of plans) {
    const sheet = await loadPlanTasks(plan, (name) => resolveEnvironment(name, place.cwd, Trust.request));
    const [first] = sheet.scenes;
    // An agent that can't take a seat is reported now, not after the start.
    if (first !== undefined)
      for (const cast of first.casts) for (const [seat, spec] of Object.entries(cast)) await make(spec, seat, first.environment);
    const costEstimate = callsModels(sheet)
      ? await estimatePlan(plan, sheet, { store, env: place.env, agents: createAgentServices(place.cwd, Trust.request) })
      : null;
    const time = await timeOf(sheet, { store, make, estimate: costEstimate });
    episodes += sheet.planned;
    seconds = seconds === null || time.seconds === null ? null : seconds + time.seconds;
    bots ||= sheet.scenes.some(({ casts }) => casts.some((cast) => Object.values(cast).some(callsOut)));
    basis = time.basis;
    if (costEstimate !== null) estimate = estimate === null ? costEstimate : addEstimates(estimate, costEstimate);
  }
  return { ...whole, episodes, estimate, seconds, basis, bots };
}

/** Work without a plan: the number of episodes is known, the number of turns in each is not. */
async function limitedLook(
  { place }: StudioContext,
  { what, agents = [], attacker }: LaunchRequest,
  episodes: number,
): Promise<Pick<LaunchLook, 'episodes' | 'estimate' | 'seconds' | 'basis' | 'bots'>> {
  const spec = await readSpec(agents[0] ?? '', place.cwd, Trust.request);
  const models = [...modelsOfSpec(spec), ...(attacker === undefined ? [] : [attacker])];
  return {
    ...{ episodes, estimate: null, seconds: null, bots: models.length > 0 || callsOut(spec) },
    basis:
      what === 'probe'
        ? 'One conversation for each probe, most of one or two turns; the one about drift has 50.'
        : 'At most this number of episodes; each has one or more turns of the agent.',
  };
}

function addEstimates(a: CostEstimate, b: CostEstimate): CostEstimate {
  const sum = (span: Span, other: Span): Span => ({
    low: span.low + other.low,
    likely: span.likely + other.likely,
    high: span.high + other.high,
  });
  return {
    ...a,
    episodes: a.episodes + b.episodes,
    calls: sum(a.calls, b.calls),
    promptTokens: sum(a.promptTokens, b.promptTokens),
    completionTokens: sum(a.completionTokens, b.completionTokens),
    money: a.money === null || b.money === null ? null : sum(a.money, b.money),
    unpriced: [...new Set([...a.unpriced, ...b.unpriced])],
  };
}

/** The previous speed of the same recipe here. */
async function learning(
  { store, place }: StudioContext,
  { what, recipe, games, seeds = 1 }: LaunchRequest,
): Promise<Pick<LaunchLook, 'seconds' | 'basis'>> {
  if (what === 'improve') return { seconds: null, basis: 'depends on the tasks and the models' };
  const { name, training } = await loadRecipe(recipe ?? '', place.cwd, Trust.request);
  const wanted = games ?? training.games;
  for (const run of (await store.runs()).toReversed()) {
    if (run.work?.kind !== 'train' || (run.work['recipe'] as { name?: string } | undefined)?.name !== name) continue;
    const { metrics = 0 } = await store.journals(run.id);
    const [last] = (metrics === 0 ? [] : await store.notes(run.id, 'metrics', metrics - 1)) as readonly TrainingProgress[];
    if (last !== undefined && last.seconds > 0 && last.games > 0)
      return { seconds: (seeds * wanted * last.seconds) / last.games, basis: `at the speed of ${run.id}` };
  }
  return { seconds: null, basis: 'This recipe has not been trained here yet, so its duration is unknown.' };
}
