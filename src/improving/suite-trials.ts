/**
 * @file Trials on a suite: a candidate takes the tested seats of its scenes, the suite's own agents the others, and the scene's scorer
 * decides, as in an evaluation.
 *
 * Scenes come in turn, so that each weighs the same. Where a scene has tasks enough, those that proposers learn from, those that gates
 * choose by and those of the report are different tasks; where it has few, only the dice differ.
 */

import { type AgentServices, createAgentLoader } from '../agents/kinds.ts';
import {
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  type Episode,
  hash,
  type Json,
  rng,
  type Score,
  type Seat,
  type Seed,
  type Store,
} from '../core/index.ts';
import { PromiseCache } from '../core/promise-cache.ts';
import { decidingScores } from '../evaluation/score-run.ts';
import { type Choices, withChoice } from '../learning/prompts/choices.ts';
import { addressOf, componentsOf, withComponents } from '../learning/prompts/components.ts';
import { createTrials, type TrialPlace } from '../learning/prompts/episode-trials.ts';
import type { TrialEnvironment } from '../learning/prompts/evaluator.ts';
import { type Split, splits } from '../learning/prompts/trial-ledger.ts';
import { resultsOf } from '../scoring/evaluation/index.ts';
import { scoreEpisodes } from '../scoring/score.ts';
import { castsOf, isBuiltInAgent, personasOf, type Suite, type SuiteScene } from '../scoring/suites/index.ts';
import type { CodeSource } from '../workspace/consent.ts';
import { resolveEnvironment } from '../workspace/environments.ts';
import { loadScorer } from '../workspace/evaluation-loaders.ts';

/** A tested place of a scene with one of its tasks. */
export interface SuiteItem {
  readonly scene: number;
  readonly place: SuiteScene['seats'][number];
  readonly task: Json;
}

/** From so many on, the tasks of a scene are divided. */
const enoughTasks = 6;

/** The tasks of each split, scene by scene. */
export type SuiteSplit = Readonly<Record<Split, readonly (readonly SuiteItem[])[]>>;

/** Divides the tasks of each scene among the splits, by dice: no two splits share one where the scene has enough. */
export function splitSuite({ scenes }: Pick<Suite, 'scenes'>, seed: Seed): SuiteSplit {
  const parts = scenes.map(({ tasks, seats }, scene) => {
    const order = rng(seed, 'split', scene).shuffle(tasks);
    const third = Math.floor(order.length / 3);
    const cuts = order.length < enoughTasks ? null : { propose: [0, third], select: [third, 2 * third], report: [2 * third, order.length] };
    const itemsOf = (own: readonly Json[]) => own.flatMap((task) => seats.map((place): SuiteItem => ({ scene, place, task })));
    return (split: Split) => itemsOf(cuts === null ? order : order.slice(...cuts[split]));
  });
  return Object.fromEntries(splits.map((split) => [split, parts.map((part) => part(split))])) as unknown as SuiteSplit;
}

/** How many scenes of a suite have tasks of their own in every split. */
export function dividedScenes({ scenes }: Pick<Suite, 'scenes'>): number {
  return scenes.filter(({ tasks }) => tasks.length >= enoughTasks).length;
}

export interface SuiteTrialsOptions {
  readonly store: Store;
  readonly run: string;
  readonly suite: Suite;
  /** The dice that divide its tasks. */
  readonly seed: Seed;
  /** The agent that is improved: it must be able to take every tested place, which is found out before anything is spent. */
  readonly start: AgentSpec;
  /** Values that its components may take: each is tried on, too. */
  readonly choices?: Choices | undefined;
  readonly cwd: string;
  /** What agents are made with. */
  readonly agents: AgentServices;
  /** Who names files in the suite. */
  readonly source?: CodeSource | undefined;
}

/** Loads everything that the suite names, and plays candidates on it. */
export async function createSuiteTrials(options: SuiteTrialsOptions): Promise<TrialEnvironment> {
  const { store, run, suite, seed, start, choices = {}, cwd, source } = options;
  const load = createAgentLoader(options.agents);
  const stages = await Promise.all(suite.scenes.map((scene) => stageOf(scene, cwd, source)));
  const division = splitSuite(suite, seed);
  const agents = new PromiseCache<Agent>();
  const trialAgent = (spec: AgentSpec, seat: Seat, environment: AnyEnvironment) =>
    agents.get(hash([addressOf(spec), seat, environment.id]), () => load(spec, seat, environment));
  for (const { scene, environment } of stages)
    for (const seat of scene.seats.flat())
      for (const spec of [start, ...singleChoices(start, choices)])
        await trialAgent({ ...spec, kind: scene.kinds[start.name] ?? spec.kind }, seat, environment);
  return createTrials({
    ...{ store, run, identity: ['suite', suite as unknown as Json, seed] },
    place({ split, task: number }): TrialPlace {
      const scenes = division[split];
      const items = scenes[number % scenes.length]!;
      const { scene: at, place, task } = items[Math.floor(number / scenes.length) % items.length]!;
      const { scene, environment, score } = stages[at]!;
      return {
        ...{ environment, task },
        seat: typeof place === 'string' ? place : place[0]!,
        score: (episode) => score(suite, episode),
        async agents(spec) {
          const [cast = {}] = castsOf({ ...scene, seats: [place] }, [spec]);
          const mine = `${spec.name}@${addressOf(spec).slice(0, 8)}`;
          const made = environment.seats(environment.task(task)).map(async (seat): Promise<[Seat, Agent]> => {
            const wanted = cast[seat] ?? cast['*'] ?? 'scripted';
            const other = typeof wanted === 'string' ? { name: wanted, kind: wanted } : wanted;
            const agent = await trialAgent(other, seat, environment);
            const name = isBuiltInAgent(other.name) ? other.name : mine;
            return [seat, { name, act: (turn, signal) => agent.act(turn, signal) }];
          });
          return Object.fromEntries(await Promise.all(made));
        },
      };
    },
  });
}

interface Stage {
  readonly scene: SuiteScene;
  readonly environment: AnyEnvironment;
  /** The result of the tested seats first, as an evaluation has it; then what the scorer said. */
  readonly score: (suite: Suite, episode: Episode) => Promise<readonly Score[]>;
}

async function stageOf(scene: SuiteScene, cwd: string, source?: CodeSource): Promise<Stage> {
  const environment = await resolveEnvironment(scene.environment, cwd, source);
  for (const task of scene.tasks) environment.task(task);
  const scorers = [await loadScorer(scene.score, cwd, source)];
  const known = { personas: personasOf(scene), reference: scene.reference };
  return {
    ...{ scene, environment },
    async score(suite, episode) {
      const all: Score[] = [];
      for await (const { scores } of scoreEpisodes([{ episode, ...known }], { scorers })) all.push(...scores);
      const [start] = episode.events;
      const record = { environment: environment.id, cast: start?.kind === 'start' ? start.cast : {} };
      const results = resultsOf(suite, scene, { record, scores: decidingScores(scene, scorers, all) });
      return [jointResult(results), ...all];
    },
  };
}

/** One agent may have several seats of an episode: their mean decides, and a seat without a value leaves the whole without one. */
function jointResult(results: readonly Score[]): Score {
  const [first] = results as readonly [Score];
  const values = results.flatMap(({ value }) => (value === null ? [] : [value]));
  if (results.length === 1) return first;
  const failed = results.find(({ value }) => value === null);
  return failed ?? { ...first, value: values.reduce((sum, value) => sum + value, 0) / values.length };
}

/** The agent with each value that it may have, one at a time: a slip in one of them is found before anything is spent. */
function singleChoices(start: AgentSpec, choices: Choices): readonly AgentSpec[] {
  const components = componentsOf(start);
  return Object.entries(choices).flatMap(([name, values]) =>
    values.map((value) => withComponents(start, withChoice(components, name, value))),
  );
}
