/**
 * @file The training loop: play, learn, step, update by update, for every learner. Everything a method decides is in its recipe; everything
 * else is passed in. Where a whole game tree is passed in, the games are played on it; else they are episodes with logs.
 */

import type { FlatGame } from '@ludus-agents/environments/internal/game';
import { Fault, type JsonObject, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { collapse } from './collapse.ts';
import type { LessonFigures } from './lessons.ts';
import { LoggedLessons, type LoggedParts } from './logged-lessons.ts';
import { canStep } from './merged-rows.ts';
import { MirrorLessons, type TextTable } from './mirror-lessons.ts';
import { Phases } from './phases.ts';
import type { Recipe } from './recipe.ts';
import { between } from './schedule.ts';
import { type TreeLearner, TreeLessons } from './tree-lessons.ts';
import type { StrategyTable } from './tree-sampler.ts';

export interface LoopParts extends LoggedParts {
  /** The whole game tree, if training runs on it; the learner must then be able to play it. */
  readonly game?: FlatGame;
  /** The texts of a language model that is trained on the tree. */
  readonly texts?: TextTable;
  /** The learner's training before its first game: imitation. */
  readonly before?: () => Promise<void>;
  /** Receives the figures of every update. */
  readonly tell?: (metrics: Metrics) => void;
}

/** The measurements of one update of a learner. */
export interface Metrics extends LessonFigures {
  readonly update: number;
  readonly games: number;
}

/** Everything the next update depends on. */
export type LoopCheckpoint = {
  readonly recipe: string;
  readonly seed: Seed;
  readonly update: number;
  readonly learner: string;
  readonly lessons: JsonObject;
  readonly phases: JsonObject;
};

/** Plays, learns and updates a learner, update by update. */
export class TrainingLoop {
  readonly recipe: Recipe;
  readonly #planned: number;
  readonly #phases: Phases;
  readonly #parts: LoopParts;
  readonly #lessons: TreeLessons | MirrorLessons | LoggedLessons;
  #update = 0;
  #begun = false;

  constructor(recipe: Recipe, parts: LoopParts) {
    this.recipe = recipe;
    this.#parts = parts;
    this.#planned = Math.ceil(recipe.training.games / recipe.training.batch);
    this.#phases = new Phases(recipe);
    const { learner } = parts;
    this.#lessons = lessonsOf(recipe, this.#phases.recipe, parts, this.#planned);
    if (this.#lessons instanceof MirrorLessons && parts.texts === undefined) return;
    if (recipe.training.average !== undefined && !canStep(learner))
      throw new Fault('input', `The weights of ${learner.id} cannot be averaged. Remove "training.average", or train a transformer.`);
    if (recipe.loss.kl?.follow !== undefined && !canStep(learner))
      throw new Fault('input', `The reference of ${learner.id} cannot be updated by a share. Set "refresh" in loss.kl instead.`);
  }

  /** The total number of updates: all planned ones, or fewer if the last stage ended early. */
  get updates(): number {
    return this.#phases.over ? this.#update : this.#planned;
  }

  get update(): number {
    return this.#update;
  }

  /** The number of completed stages. */
  get stagesEnded(): number {
    return this.#phases.ended;
  }

  /** The average of all policies, for a table over few decisions; null otherwise. */
  average(): StrategyTable | null {
    return this.#lessons.average?.strategy() ?? null;
  }

  /** Runs the imitation before the first update, if any. Runs once, and not again after resuming from a checkpoint. */
  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.#parts.before?.();
  }

  /** Makes updates until the given number is reached or the run has collapsed; returns why it stopped early, or null. */
  async run(updates: number = this.updates): Promise<string | null> {
    await this.begin();
    while (this.#update < Math.min(updates, this.updates)) {
      const metrics = await this.#step();
      this.#parts.tell?.(metrics);
      this.#beginNextPhase(metrics);
      const reason = collapse(metrics);
      if (reason !== null) return reason;
    }
    return null;
  }

  async save(): Promise<LoopCheckpoint> {
    const { seed, learner } = this.#parts;
    return {
      recipe: this.recipe.name,
      seed,
      update: this.#update,
      learner: await learner.save(),
      lessons: await this.#lessons.write(),
      phases: this.#phases.write(),
    };
  }

  async load({ recipe, seed, update, learner, lessons, phases }: LoopCheckpoint): Promise<void> {
    const { seed: loopSeed } = this.#parts;
    if (recipe !== this.recipe.name || seed !== loopSeed)
      throw new Fault(
        'input',
        `The checkpoint is from ${recipe} with seed ${seed}, but this run is ${this.recipe.name} with seed ${loopSeed}. Resume the run that it comes from.`,
      );
    this.#update = update;
    this.#begun = true;
    await this.#parts.learner.load(learner);
    this.#lessons.read(lessons);
    this.#phases.read(phases);
    if (this.#lessons instanceof LoggedLessons) this.#lessons.use(this.#phases.recipe);
  }

  /** If these figures end a phase, the next one's settings apply from the next update on. */
  #beginNextPhase(metrics: Metrics): void {
    const ended = this.#phases.heard(metrics);
    if (ended === null) return;
    this.#parts.say?.(this.#phases.name === null ? ended : `${ended} Next is ${this.#phases.name}.`);
    if (this.#lessons instanceof LoggedLessons) this.#lessons.use(this.#phases.recipe);
  }

  async #step(): Promise<Metrics> {
    const { training, loss } = this.recipe;
    /** The completed share of the run, from 0 to 1, used by schedules. */
    const done = this.#update / Math.max(1, this.#planned - 1);
    const rise = training.ramp === undefined ? 1 : Math.min(1, (this.#update + 1) / training.ramp);
    const step = {
      rate: between(training.rate, done) * rise,
      ...(training.squares !== undefined && { beta2: training.squares }),
      ...(loss.norm !== undefined && { clip: loss.norm }),
    };
    const figures = await this.#lessons.learn({ update: this.#update, done, step });
    this.#update++;
    await this.#moveReference(done);
    await this.#averageWeights();
    return { update: this.#update, games: this.#update * training.batch, ...figures };
  }

  /** Averages the weights over the last updates; the final update sets the weights to the mean. */
  async #averageWeights(): Promise<void> {
    const { learner } = this.#parts;
    const { average } = this.recipe.training;
    if (
      average === undefined ||
      this.#lessons instanceof MirrorLessons ||
      !canStep(learner) ||
      this.#update <= this.#planned * (1 - average)
    )
      return;
    await learner.average();
    if (this.#update === this.#planned) await learner.settle();
  }

  /** Moves the reference part of the way to the weights, or replaces it every n updates. */
  async #moveReference(done: number): Promise<void> {
    const { learner } = this.#parts;
    // For mirror steps, the lessons maintain the reference themselves.
    if (this.#lessons instanceof MirrorLessons) return;
    const { follow, refresh = null } = this.recipe.loss.kl ?? {};
    if (follow !== undefined && canStep(learner)) await learner.refer(between(follow, done));
    else if (refresh !== null && this.#update % refresh === 0) await learner.refer();
  }
}

/** Chooses how the recipe is trained: mirror steps or gradients on a whole tree, or episodes with logs. */
function lessonsOf(recipe: Recipe, first: Recipe, parts: LoopParts, updates: number): TreeLessons | MirrorLessons | LoggedLessons {
  const { game, learner, seed, texts } = parts;
  if (game === undefined) return new LoggedLessons(first, parts, updates);
  if (recipe.loss.kind === 'mirror')
    return new MirrorLessons(recipe, { game, learner, seed, ...(texts !== undefined && { texts }) }, updates);
  return new TreeLessons(recipe, { game, learner: learner as TreeLearner, seed });
}
