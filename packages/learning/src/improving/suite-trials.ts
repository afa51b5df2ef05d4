/**
 * @file Trials on a suite: a candidate takes the tested seats of its scenes, the suite's own agents the others, and the scene's scorer
 * decides, as in an evaluation.
 *
 * Scenes come in turn, so that each weighs the same. Where a scene has tasks enough, those that proposers learn from and those that gates
 * choose by are different tasks, and all others are held out from both. The report plays every task of the suite, and knows what each was used
 * for. Where a scene has few tasks, only the seeds differ.
 */

import { type AgentServices, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { caseName } from '@ludus-agents/evaluation/internal/cases/case';
import { checkGrader, graderCheckText } from '@ludus-agents/evaluation/internal/cases/grader-check';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { decidingScores } from '@ludus-agents/evaluation/internal/score-run';
import { resultsOf } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { scoreEpisodes } from '@ludus-agents/evaluation/internal/scoring/score';
import { castsOf, isBuiltInAgent, personasOf, type Suite, type SuiteScene } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import type {
  Agent,
  AgentSpec,
  AnyEnvironment,
  Episode,
  Json,
  Score,
  Scorer,
  Seat,
  Seed,
  Store,
} from '@ludus-agents/kernel/internal/core/index';
import { hash, rng } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { type Choices, withChoice } from '../prompts/choices.ts';
import { addressOf, componentsOf, withComponents } from '../prompts/components.ts';
import { createTrials, type TrialPlace, taskName } from '../prompts/episode-trials.ts';
import type { TrialEnvironment } from '../prompts/evaluator.ts';
import { type Split, splits, type TaskIdentity, type TaskUse, type TrialKey } from '../prompts/trial-ledger.ts';

/** A tested seat of a scene with one of its tasks. */
export interface SuiteItem {
  readonly scene: number;
  readonly place: SuiteScene['seats'][number];
  readonly task: Json;
  /** How an improvement has used the task. */
  readonly use: TaskUse;
}

/** The minimum number of tasks for dividing those of a scene. */
const enoughTasks = 6;

/** The tasks of each split, scene by scene. */
export type SuiteSplit = Readonly<Record<Split, readonly (readonly SuiteItem[])[]>>;

/** The maximum number of episodes for proposals and the gate, which need no more tasks than that. */
export type SuiteCounts = Pick<Readonly<Record<Split, number>>, 'propose' | 'select'>;

/**
 * Divides the tasks of each scene at random: proposals and the gate each get as many as they play, at most a third, without overlap. The
 * report has all tasks, held-out ones first. Null counts mean that nothing is improved: then every task is held out.
 */
export function splitSuite({ scenes }: Pick<Suite, 'scenes'>, seed: Seed, counts: SuiteCounts | null): SuiteSplit {
  const parts = scenes.map(({ tasks, seats }, scene): Readonly<Record<Split, readonly SuiteItem[]>> => {
    const order = rng(seed, 'split', scene).shuffle(tasks);
    const itemsOf = (ownItems: readonly Json[], use: TaskUse) =>
      ownItems.flatMap((task) => seats.map((place): SuiteItem => ({ scene, place, task, use })));
    if (order.length < enoughTasks) {
      const items = itemsOf(order, 'seeds');
      return { propose: items, select: items, report: items };
    }
    const third = Math.floor(order.length / 3);
    const share = (split: keyof SuiteCounts) =>
      counts === null ? 0 : Math.min(third, Math.ceil(counts[split] / scenes.length / seats.length));
    const [shownCount, gate] = [share('propose'), share('propose') + share('select')];
    const propose = itemsOf(order.slice(0, shownCount), 'proposer');
    const select = itemsOf(order.slice(shownCount, gate), 'gate');
    return { propose, select, report: [...itemsOf(order.slice(gate), 'held-out'), ...select, ...propose] };
  });
  return Object.fromEntries(splits.map((split) => [split, parts.map((part) => part[split])])) as unknown as SuiteSplit;
}

/** The number of report episodes: at least this many, such that every task is played equally often. */
export function reportEpisodes({ scenes }: Pick<Suite, 'scenes'>, atLeast: number): number {
  const most = Math.max(
    0,
    ...scenes.filter(({ tasks }) => tasks.length >= enoughTasks).map(({ tasks, seats }) => tasks.length * seats.length),
  );
  const round = most * scenes.length;
  return round === 0 ? atLeast : Math.ceil(atLeast / round) * round;
}

/** The number of scenes with separate tasks in every split. */
export function dividedScenes({ scenes }: Pick<Suite, 'scenes'>): number {
  return scenes.filter(({ tasks }) => tasks.length >= enoughTasks).length;
}

export interface SuiteTrialsOptions {
  readonly store: Store;
  readonly run: string;
  readonly suite: Suite;
  /** The seed for dividing the tasks. */
  readonly seed: Seed;
  /** The numbers of episodes for proposals and the gate; null if nothing is improved, so that no task was used before. */
  readonly counts: SuiteCounts | null;
  /** The agent to improve: it must be able to take every tested seat, which is checked before anything is spent. */
  readonly start: AgentSpec;
  /** Possible values of its components: each is tested too. */
  readonly choices?: Choices | undefined;
  readonly cwd: string;
  /** The services that create agents. */
  readonly agents: AgentServices;
  /** The origin of the file names in the suite. */
  readonly trust: Trust;
}

/** Loads everything that the suite names, and plays candidates on it. */
export async function createSuiteTrials(options: SuiteTrialsOptions): Promise<TrialEnvironment> {
  const { store, run, suite, seed, counts, start, choices = {}, cwd, trust } = options;
  const load = createAgentLoader(options.agents);
  const stages = await Promise.all(suite.scenes.map((scene) => stageOf(scene, cwd, trust)));
  const division = splitSuite(suite, seed, counts);
  const itemAt = ({ split, task: number }: TrialKey): SuiteItem => {
    const scenes = division[split];
    const items = scenes[number % scenes.length];
    return items[Math.floor(number / scenes.length) % items.length];
  };
  const agents = new PromiseCache<Agent>();
  const trialAgent = (spec: AgentSpec, seat: Seat, environment: AnyEnvironment) =>
    agents.get(hash([addressOf(spec), seat, environment.id]), () => load(spec, seat, environment));
  for (const { scene, environment } of stages)
    for (const seat of scene.seats.flat())
      for (const spec of [start, ...singleChoices(start, choices)])
        await trialAgent({ ...spec, kind: scene.kinds[start.name] ?? spec.kind }, seat, environment);
  const trials = createTrials({
    ...{ store, run, identity: ['suite', suite, seed, counts] },
    taskAt(key): TaskIdentity {
      const { scene, task, use } = itemAt(key);
      const name = caseName(task) ?? taskName(task);
      const { name: sceneName, tasks } = suite.scenes[scene];
      // The only task of a scene is drawn again for every seed.
      const unit = tasks.length === 1 ? `${name} ${key.split}/${key.task}/${key.repeat}` : name;
      return { scene: sceneName, task: name, unit, use };
    },
    place(key): TrialPlace {
      const { scene: at, place, task } = itemAt(key);
      const { scene, environment, score } = stages[at];
      return {
        ...{ environment, task },
        seat: typeof place === 'string' ? place : place[0],
        score: (episode) => score(suite, episode),
        async agents(spec) {
          const [cast = {}] = castsOf({ ...scene, seats: [place] }, [spec]);
          const mine = `${spec.name}@${addressOf(spec).slice(0, 8)}`;
          const results = environment.seats(environment.task(task)).map(async (seat): Promise<[Seat, Agent]> => {
            const wanted = cast[seat] ?? cast['*'] ?? 'scripted';
            const other = typeof wanted === 'string' ? { name: wanted, kind: wanted } : wanted;
            const agent = await trialAgent(other, seat, environment);
            const name = isBuiltInAgent(other.name) ? other.name : mine;
            return [seat, { name, act: (turn, signal) => agent.act(turn, signal) }];
          });
          return Object.fromEntries(await Promise.all(results));
        },
      };
    },
  });
  const graders = stages.flatMap(({ scorer }) => (scorer.name.startsWith('grader=') ? [scorer] : []));
  if (graders.length === 0) return trials;
  return {
    ...trials,
    async checkGrader(plays, signal) {
      const words = graders.map(async (grader) => {
        const graded = plays.filter((play) => stages[itemAt(play).scene]?.scorer === grader && play.episode !== undefined);
        const episodes = graded.map(async ({ episode: id = '', score: value }) => ({
          episode: { id, events: await store.events(id) },
          value,
        }));
        return graderCheckText(await checkGrader(grader, await Promise.all(episodes), signal));
      });
      return Promise.all(words);
    },
  };
}

interface Stage {
  readonly scene: SuiteScene;
  readonly environment: AnyEnvironment;
  readonly scorer: Scorer;
  /** The result of the tested seats first, as in an evaluation; then the scorer's scores. */
  readonly score: (suite: Suite, episode: Episode) => Promise<readonly Score[]>;
}

async function stageOf(scene: SuiteScene, cwd: string, trust: Trust): Promise<Stage> {
  const environment = await resolveEnvironment(scene.environment, cwd, trust);
  for (const task of scene.tasks) environment.task(task);
  const scorer = await loadScorer(scene.score, cwd, trust);
  const scorers = [scorer];
  const existing = { personas: personasOf(scene), reference: scene.reference };
  return {
    ...{ scene, environment, scorer },
    async score(suite, episode) {
      const all: Score[] = [];
      for await (const { scores } of scoreEpisodes([{ episode, ...existing }], { scorers })) all.push(...scores);
      const [start] = episode.events;
      const record = { environment: environment.id, cast: start?.kind === 'start' ? start.cast : {} };
      const results = resultsOf(suite, scene, { record, scores: decidingScores(scene, scorers, all) });
      return [jointResult(results), ...all];
    },
  };
}

/** One agent may have several seats of an episode: their mean decides, and one without a value makes the whole null. */
function jointResult(results: readonly Score[]): Score {
  const [first] = results as readonly [Score];
  const values = results.flatMap(({ value }) => (value === null ? [] : [value]));
  if (results.length === 1) return first;
  const failed = results.find(({ value }) => value === null);
  return failed ?? { ...first, value: values.reduce((sum, value) => sum + value, 0) / values.length };
}

/** The agent with each possible value, one at a time, to detect invalid ones before anything is spent. */
function singleChoices(start: AgentSpec, choices: Choices): readonly AgentSpec[] {
  const components = componentsOf(start);
  return Object.entries(choices).flatMap(([name, values]) =>
    values.map((value) => withComponents(start, withChoice(components, name, value))),
  );
}
