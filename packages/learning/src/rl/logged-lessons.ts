/**
 * @file Lessons from logs: episodes are played, chosen, judged, compared, and become rows with a weight for every token.
 *
 * With `ahead` later batches are played while the gradient of this one is computed, with the weights as they are: bounded staleness, and
 * deterministic, so that a resumed run makes the identical next update. Where a learner can hold on to its weights, the next batch begins as
 * soon as the step is called for, with the weights that come of it: nothing is stale, and a server need not wait for anyone.
 *
 * With `overlap` there is no barrier at all: batches share the room for episodes, the gradient waits for no game but its own, and each call
 * names the weights that sampled it. No token is older than `ahead` updates when it is learned from.
 */

import type { FlatGame } from '@ludus-agents/environments/internal/game';
import type { AnyEnvironment, Json, JsonObject, Learner, Policy, Seat, Seed, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { Tasks, type TaughtTasks } from '../curricula/seed-pool.ts';
import { Advantages } from './advantage.ts';
import { TrainingProgress } from './advice-game.ts';
import { AveragePolicy } from './average-policy.ts';
import { channelMeans } from './channels.ts';
import { ActCounter, countGroups, countPlay } from './counters.ts';
import { EpisodeContexts } from './episode-contexts.ts';
import { descend, type GradientBatch, isFused, minibatchesOf } from './gradient.ts';
import { type EpisodeJudge, judgeSamples, preferSamples, type RewardPreference, SourceTally } from './judging.ts';
import { guideBatch, type LessonGuide } from './lesson-guide.ts';
import type { LessonFigures, LessonMoment, Lessons } from './lessons.ts';
import { outside, PastEntropy } from './losses/band.ts';
import { canFreeze } from './merged-rows.ts';
import { playEnvironments, type ReadyEnvironment } from './play-environments.ts';
import { type PlayedGroup, playedGroups } from './played-groups.ts';
import type { Recipe } from './recipe.ts';
import { beyondLoop } from './recipe-support.ts';
import { Recollection } from './recollection.ts';
import { type Overlap, type PlayedEpisode, playGames, type Rollouts } from './rollouts.ts';
import { type EpisodeSample, shapeSample } from './samples.ts';
import { selectEpisodes } from './select-episodes.ts';
import { type Staleness, stalenessOf } from './staleness.ts';
import type { TreeLearner } from './tree-lessons.ts';
import { gatedPolicy, WeightGate } from './weight-gate.ts';

export interface LoggedParts {
  readonly environment: AnyEnvironment;
  readonly learner: Learner;
  /** How the learner plays, if it reads something else than its own policy would. */
  readonly policy?: Policy;
  readonly seed: Seed;
  /** Several environments at once, instead of the single one. */
  readonly environments?: readonly ReadyEnvironment[];
  /** The agents on the seats that the learner does not play: frozen agents, scripts, other learners. */
  readonly others?: Readonly<Record<Seat, Policy>>;
  /** Like `others`, but drawn again for every update: a league. The learner plays and trains on the remaining seats. */
  readonly cast?: (update: number) => Readonly<Record<Seat, Policy>>;
  /** Rewards turns in place of the environment. */
  readonly judge?: EpisodeJudge;
  /** The judges of the recipe's reward channels, by channel name. */
  readonly judges?: Readonly<Record<string, EpisodeJudge>>;
  /** The personas on the seats, for judges. */
  readonly personas?: Readonly<Record<Seat, Json>>;
  /** Decides which of two episodes is better, if returns do not. */
  readonly prefer?: RewardPreference;
  /** The decisions of a small environment, for averaging all policies of a table. */
  readonly decisions?: FlatGame;
  /** Demonstrations as rows to imitate, created for every update. */
  readonly shown?: (update: number) => Promise<readonly TokenRow[]>;
  /** Other sources of lessons besides play: kept episodes, teachers, forks. */
  readonly guides?: readonly LessonGuide[];
  /** Lets episodes and updates overlap; lock-step if unset. */
  readonly overlap?: Overlap | undefined;
  /** The number of later batches played before a batch's gradient; none if unset. */
  readonly ahead?: number;
  /** Episodes already played elsewhere, instead of playing here; `seats` are the learner's in them. */
  readonly played?: (update: number) => Promise<readonly PlayedGroup[]>;
  readonly seats?: readonly Seat[];
  /** The curriculum's teacher with its tasks, if it has one. */
  readonly taught?: TaughtTasks;
  /** Plays the episodes elsewhere: workers on other machines. */
  readonly rollouts?: Rollouts;
  /** Receives messages about the run, such as the end of a stage. */
  readonly say?: (sentence: string) => void;
}

/** A batch in progress: its games use the weights of one update, and judging overlaps with training on earlier batches. */
interface Batch {
  /** The number of updates applied to the weights that played it. */
  readonly version: number;
  readonly played: Promise<readonly PlayedEpisode[]>;
  readonly judged: Promise<readonly EpisodeSample[]>;
}

export class LoggedLessons implements Lessons {
  #recipe: Recipe;
  readonly #parts: LoggedParts;
  readonly #updates: number;
  readonly #advantages: Advantages;
  readonly #seats: readonly Seat[];
  readonly #tasks: Tasks;
  readonly #contexts: EpisodeContexts | null;
  readonly #entropy = new PastEntropy();
  readonly #recollection: Recollection;
  readonly #acts = new ActCounter();
  readonly #sources = new SourceTally(this.#acts);
  readonly #progress = new TrainingProgress();
  /** The average of all policies so far, if the decisions are few enough to list. */
  readonly average: AveragePolicy | null;
  /** Batches of upcoming updates, in order. */
  #waiting: Batch[] = [];
  /** The last batch that was played here. */
  #played: Promise<unknown> = Promise.resolve();

  constructor(recipe: Recipe, parts: LoggedParts, updates: number) {
    const { judge, judges = {}, guides = [] } = parts;
    const wrong = beyondLoop(recipe, {
      judge: judge !== undefined,
      shown: parts.shown !== undefined || guides.length > 0,
      judges,
      taught: parts.taught !== undefined,
    });
    if (wrong !== null) throw new Fault('input', `The recipe ${recipe.name} ${wrong}, so it cannot be trained.`, { code: 'E_UNSUPPORTED' });
    this.#recipe = recipe;
    this.#parts = parts;
    this.#updates = updates;
    this.average = parts.decisions === undefined || !('strategy' in parts.learner) ? null : new AveragePolicy(parts.decisions);
    this.#advantages = new Advantages(recipe, { judged: parts.judge !== undefined });
    this.#seats = parts.environment.seats(parts.environment.task(recipe.training.tasks?.[0] ?? recipe.training.task ?? {}));
    this.#tasks = new Tasks(recipe.curriculum, parts.seed, parts.taught);
    const { view } = recipe;
    this.#contexts = view?.kind === 'episodes' ? new EpisodeContexts(view) : null;
    if (this.#contexts !== null && ((parts.ahead ?? 0) > 0 || parts.rollouts !== undefined || parts.environments !== undefined))
      throw new Fault('input', `${recipe.name} plays dependent episodes, so they cannot be played in advance or by workers.`, {
        code: 'E_UNSUPPORTED',
      });
    const isBound = parts.environments !== undefined && guides.some(({ anywhere }) => anywhere !== true);
    if (guides.length > 0 && ((parts.ahead ?? 0) > 0 || parts.rollouts !== undefined || isBound))
      throw new Fault(
        'input',
        `${recipe.name} depends on the latest episodes, so they cannot be played in advance, by workers, or in several environments.`,
        { code: 'E_UNSUPPORTED' },
      );
    this.#recollection = new Recollection(recipe, { learner: parts.learner, seed: parts.seed, seats: this.#seats });
  }

  /** Switches to another stage of the recipe, from the next batch on. */
  use(recipe: Recipe): void {
    this.#recipe = recipe;
    this.#advantages.use(recipe);
  }

  async learn({ update, done, step }: LessonMoment): Promise<LessonFigures> {
    const { learner, rollouts, shown, seed, overlap, ahead = 0, guides = [] } = this.#parts;
    // Starts every batch that may use the current weights before awaiting anything.
    const next: Batch[] = [];
    const last = Math.min(update + ahead, this.#updates - 1);
    for (let later = update + this.#waiting.length; later <= last; later++) next.push(await this.#underway(later, update));
    this.#waiting.push(...next);
    const now = this.#waiting.shift() as Batch;
    const episodes = await now.judged;
    this.#sources.check(update + 1 >= this.#updates);
    const played = await now.played;
    const age = stalenessOf(episodes, update, now.version);
    this.#acts.add('stale tokens', age.tokens);
    countPlay(this.#recipe, played, this.#acts);
    const guided = await guideBatch(guides, { update, done, played, episodes });
    for (const [name, count] of Object.entries(guided.figures)) this.#acts.add(name, count);
    const lesson = this.#contexts?.lesson(episodes, update) ?? guided.episodes;
    // During the first pass over tasks, the only result is which of them to train on.
    const episodeSamples = this.#tasks.passing ? [] : selectEpisodes(lesson, this.#recipe);
    const retainedEpisodeSamples = this.#recollection.injected(episodeSamples, update);
    this.#acts.add('episodes left out', lesson.length - episodeSamples.length);
    this.#acts.add('rows recalled', retainedEpisodeSamples.filter((episode, i) => episode !== episodeSamples[i]).length);
    await this.#advantages.study(retainedEpisodeSamples, learner, done);
    const advantages = shapeSample(
      retainedEpisodeSamples,
      this.#recollection.scaled(retainedEpisodeSamples, this.#advantages.of(retainedEpisodeSamples, done)),
    );
    countGroups(retainedEpisodeSamples, advantages, this.#acts);
    const batch: GradientBatch = {
      ...{ learner, recipe: this.#recipe, episodes: retainedEpisodeSamples, advantages, update, done, past: this.#entropy },
      terms: [...guided.terms, ...this.#recollection.imitated(update)],
      recalled: await this.#recollection.rows(retainedEpisodeSamples, advantages, update),
      shown: [...guided.shown, ...((await shown?.(update)) ?? [])],
    };
    this.#acts.add('rows recalled', batch.recalled.length + batch.terms!.length - guided.terms.length);
    this.#acts.add('rows imitated', batch.shown.length);
    const parts = minibatchesOf(batch, rng(seed, 'minibatch', update));
    // Later steps of the update use samples from before the earlier ones.
    if (age.most === 0) for (const part of parts.slice(1)) this.#acts.add('stale tokens', sampledTokens(part.episodes));
    // Games in this process read the weights, so they finish before the first of several steps; a single step waits for them.
    const isApart = this.#freezes || overlap !== undefined;
    const playing = isApart ? undefined : Promise.all(next.map(({ played }) => played));
    if (parts.length > 1 && rollouts === undefined) await playing;
    const alone = ahead === 0 || isApart;
    const passing = <T>(work: () => Promise<T>) => (overlap === undefined ? work() : overlap.gate.pass(work));
    const descending = passing(() => descend(parts, step, alone));
    if (alone && isFused(parts)) this.#beginNext(update);
    const [{ measured, clipped, applied }] = await Promise.all([descending, playing]);
    const { band } = this.#recipe.loss;
    if (band !== undefined && outside(this.#entropy.last, this.#entropy.mean, band).slope !== 0)
      this.#acts.add('updates outside the band', 1);
    if (clipped > 0) this.#acts.add('updates that clipped', 1);
    this.#entropy.add(measured['entropy'] ?? 0);
    if (applied !== true) {
      const stepping = passing(() => learner.optimStep(step));
      this.#beginNext(update);
      await stepping;
    }
    if (overlap !== undefined) overlap.gate.version = update + 1;
    this.average?.add((learner as TreeLearner).strategy());
    const { passing: isTrying } = this.#tasks;
    // If an outcome model pays, its rewards also decide which tasks failed.
    this.#tasks.learn(this.#recipe.rewardModel === undefined ? episodes : guided.episodes, update);
    if (isTrying && this.#tasks.passed !== null) this.#parts.say?.(this.#tasks.passed);
    this.#acts.reach('tasks left out', this.#tasks.rejected);
    this.#acts.add('states met again', this.#advantages.statesMet);
    this.#acts.add('past returns used', this.#advantages.takePastUsed());
    this.#acts.add('tokens by certainty', this.#advantages.reshaped);
    [this.#advantages.statesMet, this.#advantages.reshaped] = [0, 0];
    const [bought, compared] = this.#advantages.bought ?? [0, 0];
    this.#acts.reach('central critics used', bought);
    this.#acts.reach('returns compared', compared);
    if (this.#contexts !== null) {
      this.#acts.add('earlier episodes read', this.#contexts.earlier(update) * episodes.length);
      this.#acts.add('partial updates', Number(this.#contexts.isPartial(update)));
    }
    const counted = {
      shown: batch.shown.length,
      terms: batch.terms?.length ?? 0,
      replayed: batch.recalled.length,
      injected: retainedEpisodeSamples.filter((episode, i) => episode !== episodeSamples[i]).length,
      dropped: lesson.length - episodeSamples.length,
      branched: (await now.played).filter(({ log }) => isBranch(log)).length,
    };
    for (const [name, count] of Object.entries(counted)) this.#acts.add(name, count);
    this.#progress.add(meanOrZero(episodes.map(({ returned }) => returned)), (update + 1) / this.#updates);
    const figures = { ...figuresOf(episodes, measured, clipped), acts: this.#acts.counts, ...figuresOfAge(age) };
    if (guides.length === 0) return figures;
    // Tokens sampled under guidance count as sampled; demonstrations do not.
    return {
      ...figures,
      tokens: sampledTokens(episodes) + (guided.figures['guided'] ?? 0),
      guidance: guided.figures,
    };
  }

  async write(): Promise<JsonObject> {
    const { guides = [] } = this.#parts;
    // Batches started with the current weights are replayed with them after resuming.
    const waiting = await Promise.all(this.#begins ? [] : this.#waiting.map(({ judged }) => judged));
    return {
      advantages: this.#advantages.write(),
      acts: this.#acts.write(),
      waiting,
      versions: this.#begins ? [] : this.#waiting.map(({ version }) => version),
      entropy: this.#entropy.write(),
      progress: this.#progress.write(),
      ...this.#recollection.write(),
      ...(this.#contexts !== null && { contexts: this.#contexts.write() }),
      ...(guides.length > 0 && { guides: Object.fromEntries(guides.map((guide) => [guide.name, guide.write()])) }),
      tasks: this.#tasks.write(),
      average: this.average?.write() ?? null,
    };
  }

  read(from: JsonObject): void {
    this.#advantages.read(from['advantages'] as JsonObject);
    this.#acts.read((from['acts'] ?? {}) as JsonObject);
    const waiting = from['waiting'] as readonly (readonly EpisodeSample[])[];
    const versions = (from['versions'] ?? []) as readonly number[];
    this.#waiting = waiting.map((episodes, i) => ({
      version: versions[i] ?? 0,
      played: Promise.resolve([]),
      judged: Promise.resolve(episodes),
    }));
    this.#entropy.read(from['entropy'] as JsonObject);
    this.#progress.read(from['progress']);
    this.#recollection.read(from);
    this.#contexts?.read(from['contexts'] as JsonObject);
    for (const guide of this.#parts.guides ?? []) guide.read((from['guides'] as JsonObject)[guide.name] as JsonObject);
    this.#tasks.read(from['tasks'] as JsonObject);
    if (from['average'] !== null) this.average?.read(from['average'] as JsonObject);
  }

  /** Starts a batch. A gradient may block this thread until it is done, so remote rollouts are sent before it begins. */
  async #underway(update: number, version: number): Promise<Batch> {
    if (this.#parts.rollouts === undefined) return this.#begin(update, version);
    const { promise: underway, resolve } = Promise.withResolvers<void>();
    const batch = this.#begin(update, version, resolve);
    await Promise.race([underway, batch.played]);
    return batch;
  }

  /** Whether a batch keeps the weights it began with, even if they change meanwhile. */
  get #freezes(): boolean {
    const { learner, policy, rollouts } = this.#parts;
    return canFreeze(learner) && policy === undefined && rollouts === undefined;
  }

  /** Whether the next batch depends only on the weights after this one. */
  get #begins(): boolean {
    const { guides = [], cast, played, ahead = 0 } = this.#parts;
    const { curriculum, phases, rollout } = this.#recipe;
    const plain = curriculum.kind === 'uniform' && phases === undefined && rollout.kind !== 'adaptive' && rollout.kind !== 'branch';
    return (
      this.#freezes && ahead === 0 && plain && guides.length === 0 && cast === undefined && played === undefined && this.#contexts === null
    );
  }

  #beginNext(update: number): void {
    if (this.#begins && update + 1 < this.#updates) this.#waiting.push(this.#begin(update + 1, update + 1));
  }

  #begin(update: number, version: number, underway?: () => void): Batch {
    const { judge, judges, prefer, rollouts, personas, overlap } = this.#parts;
    const frozen = this.#frozenPolicy(version);
    // In lock-step, batches are played one after the other, so that the learner sees them in a fixed order.
    const inTurn = rollouts === undefined && overlap === undefined;
    const played = inTurn ? this.#played.then(() => this.#play(update, { frozen })) : this.#play(update, { frozen, underway });
    this.#played = played.catch(() => {});
    const compared = prefer === undefined ? played : played.then((episodes) => preferSamples(episodes, prefer));
    const judged = compared.then((episodes) =>
      judgeSamples(episodes, { ...(judge !== undefined && { judge }), ...judges }, { personas, tally: this.#sources }),
    );
    // Callers that need the result await it. Until then, a rejection must not end the process.
    judged.catch(() => {});
    return { version, played, judged };
  }

  /** A policy with the current weights, if the learner can freeze them. */
  #frozenPolicy(version: number): Policy | undefined {
    const { learner, overlap } = this.#parts;
    if (!this.#freezes || !canFreeze(learner)) return undefined;
    const policy = learner.frozenPolicy();
    return overlap === undefined ? policy : gatedPolicy(policy, new WeightGate({ concurrent: true, version }));
  }

  #play(
    update: number,
    { frozen, underway }: { readonly frozen?: Policy | undefined; readonly underway?: (() => void) | undefined },
  ): Promise<readonly PlayedEpisode[]> {
    const { environment, learner, seed, cast, others = {}, rollouts, environments, policy = frozen, played, overlap } = this.#parts;
    if (played !== undefined) return played(update).then((groups) => playedGroups(groups, this.#parts.seats ?? this.#seats));
    if (environments !== undefined) return playEnvironments(this.#recipe, environments, { learner, policy, seed, update });
    const players = {
      environment,
      learner,
      policy,
      seed,
      seats: this.#seats,
      others: cast ?? (() => others),
      tasks: this.#tasks,
      rollouts,
      overlap,
      acts: this.#acts,
    };
    if (this.#contexts !== null) return this.#contexts.play(this.#recipe, players, update);
    return playGames(this.#progress.withProgress(this.#recipe), players, { update, ...(underway !== undefined && { underway }) });
  }
}

function isBranch([first]: PlayedEpisode['log']): boolean {
  return first?.kind === 'start' && first.fork !== undefined;
}

function sampledTokens(episodes: readonly EpisodeSample[]): number {
  return episodes.reduce((sum, { turns }) => turns.reduce((turn, { written }) => turn + written.length, sum), 0);
}

function figuresOfAge({ most, mean }: Staleness): Pick<LessonFigures, 'stale' | 'staleness'> {
  return { stale: most, staleness: mean };
}

function figuresOf(episodes: readonly EpisodeSample[], measured: Readonly<Record<string, number>>, clipped: number): LessonFigures {
  const turns = episodes.reduce((sum, episode) => sum + episode.turns.length, 0);
  const returns = episodes.map(({ returned }) => returned);
  return {
    returned: meanOrZero(returns),
    spread: returns.length === 0 ? 0 : Math.max(...returns) - Math.min(...returns),
    won: meanOrZero(returns.map((value) => (Math.sign(value) + 1) / 2)),
    entropy: measured['entropy'] ?? 0,
    kl: measured['kl'] ?? 0,
    clipped,
    invalid: episodes.reduce((sum, { invalid }) => sum + invalid, 0) / Math.max(1, turns),
    tokens: measured['tokens'] ?? 0,
    loss: measured['loss'] ?? 0,
    channels: channelMeans(episodes),
  };
}
