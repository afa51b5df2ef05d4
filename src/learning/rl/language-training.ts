/**
 * @file Self-play of a language model through text: it first imitates random legal play, so that it learns the grammar of an environment's
 * moves, and then plays itself with running baselines, a pull towards a reference that follows it slowly, and a falling learning rate. In
 * several environments at once it is one model with one trunk: every update plays all of them.
 */

import {
  type AnyEnvironment,
  type EpisodeEvent,
  Fault,
  type JsonObject,
  type Learner,
  type Policy,
  type Rng,
  rng,
  type Seat,
  type Seed,
  type StartEvent,
  type TokenRow,
  type View,
} from '../../core/index.ts';
import { rollout } from '../../engine/rollout.ts';
import { RunningBaseline } from './baselines/running.ts';
import { ChanceSeeds } from './chance-seeds.ts';
import { collapse } from './collapse.ts';
import { environmentKey, type LanguageRecipe, type TrainingEnvironment } from './recipes/language.ts';
import { endOf, fullReturns, laterReturns } from './returns.ts';
import { between } from './schedule.ts';
import { warmUp } from './warm-up.ts';

/** A learner that reads the text of views and answers in text. */
export interface TextLearner extends Learner {
  /** Tokens sampled so far. */
  readonly sampled: number;
  promptOf(view: View): readonly number[];
  answerOf(text: string): readonly number[];
  /** The reference goes a share of the way to the weights as they are. */
  refer(share?: number): Promise<void>;
  /** `forwardBackward` and `optimStep` in one. */
  step(batch: readonly TokenRow[], loss: string, settings: Readonly<Record<string, number>>): Promise<Readonly<Record<string, number>>>;
}

/** What can be seen when a choice is due, and the choices: for an environment small enough to list them. */
export interface DecisionPoint {
  readonly view: View;
  readonly choices: readonly string[];
}

export interface LanguageParts {
  /** The rules of each of the recipe's environments, in its order. */
  readonly environments: readonly AnyEnvironment[];
  readonly learner: TextLearner;
  readonly seed: Seed;
  /** Who takes a seat where an environment of the recipe names an anchor, by the name of its script. */
  readonly anchor?: (script: string, environment: AnyEnvironment) => Policy;
  readonly situations?: readonly DecisionPoint[];
  /** How far a strategy over the situations is from an equilibrium. */
  readonly exploitability?: (strategy: readonly ArrayLike<number>[]) => number;
}

export interface LanguageProgress {
  readonly update: number;
  readonly games: number;
  /** The share of turns answered in broken form, in the episodes since the last call. */
  readonly invalid: number;
  readonly entropy: number;
  readonly kl: number;
  readonly exploitability: number | null;
  /** The largest share of its answers, in any situation, that is none of the choices. */
  readonly outside: number | null;
}

/** Everything the next update depends on. */
export type LanguageCheckpoint = {
  readonly recipe: string;
  readonly seed: Seed;
  readonly update: number;
  readonly learner: string;
  readonly baseline: JsonObject;
};

/** An environment of the recipe with its rules, its seats and what chance does first in it. */
interface Table {
  readonly world: TrainingEnvironment;
  readonly environment: AnyEnvironment;
  readonly seats: readonly Seat[];
  readonly deals: ChanceSeeds;
  /** The agent on one seat of some episodes, and in how many of them. */
  readonly anchor: { readonly policy: Policy; readonly share: number } | null;
}

interface Answers {
  readonly tokens: readonly number[];
  count: number;
  sum: number;
}

export class LanguageTraining {
  readonly recipe: LanguageRecipe;
  readonly updates: number;
  readonly #parts: LanguageParts;
  readonly #tables: readonly Table[];
  readonly #baseline: RunningBaseline;
  /** What returns are compared by, as small numbers: the same for the whole run. */
  readonly #numbers = new Map<string, number>();
  #update = 0;
  #warm = false;
  #turns = 0;
  #broken = 0;
  #told: Readonly<Record<string, number>> = {};

  constructor(recipe: LanguageRecipe, parts: LanguageParts) {
    this.recipe = recipe;
    this.#parts = parts;
    this.#tables = recipe.worlds.map((world, i): Table => {
      const environment = parts.environments[i] as AnyEnvironment;
      return {
        world,
        environment,
        seats: environment.seats(environment.task(world.task)),
        deals: new ChanceSeeds(environment, world.task),
        anchor: anchorOf(world, environment, parts),
      };
    });
    this.#baseline = new RunningBaseline(recipe.decay);
    this.updates = Math.ceil(recipe.games / recipe.batch);
  }

  get update(): number {
    return this.#update;
  }

  /** Imitates random legal play; the policy that comes out of it is the first reference. */
  async warmUp(): Promise<void> {
    const { learner, seed } = this.#parts;
    const grounds = this.#tables.map(({ environment, world }) => ({ environment, task: world.task }));
    await warmUp(learner, grounds, { ...this.recipe.warmUp, seed });
    this.#warm = true;
  }

  /** Trains until so many updates have been made, all of them by default; returns why it stopped early, or null. */
  async run(updates: number = this.updates): Promise<string | null> {
    if (!this.#warm) await this.warmUp();
    while (this.#update < Math.min(updates, this.updates)) {
      await this.#step();
      const reason = collapse({ update: this.#update, loss: this.#told['loss'] ?? 0, invalid: this.#broken / Math.max(1, this.#turns) });
      if (reason !== null) return reason;
    }
    return null;
  }

  async progress(): Promise<LanguageProgress> {
    const { situations, exploitability, learner } = this.#parts;
    const play = situations === undefined ? null : await strategyOf(learner, situations);
    const invalid = this.#broken / Math.max(1, this.#turns);
    [this.#turns, this.#broken] = [0, 0];
    return {
      update: this.#update,
      games: this.#update * this.recipe.batch,
      invalid,
      entropy: this.#told['entropy'] ?? 0,
      kl: this.#told['kl'] ?? 0,
      exploitability: play === null || exploitability === undefined ? null : exploitability(play.strategy),
      outside: play === null ? null : play.outside,
    };
  }

  async save(): Promise<LanguageCheckpoint> {
    return {
      recipe: this.recipe.name,
      seed: this.#parts.seed,
      update: this.#update,
      learner: await this.#parts.learner.save(),
      baseline: { ...this.#baseline.write(), keys: [...this.#numbers.keys()] },
    };
  }

  async load(checkpoint: LanguageCheckpoint): Promise<void> {
    const { seed } = this.#parts;
    if (checkpoint.recipe !== this.recipe.name || checkpoint.seed !== seed)
      throw new Fault(
        'input',
        `The checkpoint is of ${checkpoint.recipe} with seed ${checkpoint.seed}, but this run is ${this.recipe.name} with seed ${seed}; resume the run it is from.`,
      );
    await this.#parts.learner.load(checkpoint.learner);
    this.#baseline.read(checkpoint.baseline);
    this.#numbers.clear();
    for (const key of checkpoint.baseline['keys'] as readonly string[]) this.#number(key);
    this.#update = checkpoint.update;
    this.#warm = true;
  }

  async #step(): Promise<void> {
    const { learner } = this.#parts;
    const { rate, ramp, kl, reference, clip } = this.recipe;
    const rows: TokenRow[] = [];
    for (const table of this.#tables) rows.push(...this.#rows(await this.#games(table), table));
    const done = this.#update / Math.max(1, this.updates - 1);
    this.#told = await learner.step(rows, 'cross_entropy', {
      kl: between(kl, done),
      rate: between(rate, done) * Math.min(1, (this.#update + 1) / ramp),
      beta2: 0.99,
      clip,
    });
    this.#update++;
    await learner.refer(between(reference, done));
  }

  /** The episodes of one update in one environment: against itself, and on each seat in turn against the anchor. */
  async #games({ world, environment, seats, deals, anchor }: Table): Promise<readonly (readonly EpisodeEvent[])[]> {
    const { learner, seed } = this.#parts;
    const games = Math.ceil(this.recipe.batch / this.#tables.length);
    const dice = rng(seed, 'games', world.environment, this.#update);
    const seeds = this.recipe.deals === 'even' ? deals.even(games, dice) : rolled(games, dice);
    const mine = castOf(seats, learner.policy());
    const each = anchor === null ? 0 : Math.round((anchor.share * games) / seats.length);
    const played = (cast: Readonly<Record<Seat, Policy>>, some: readonly Seed[]) =>
      rollout(environment, cast, { seeds: some, task: world.task, width: games });
    const logs = [...(await played(mine, seeds.slice(each * seats.length)))];
    for (const [i, seat] of seats.entries())
      if (each > 0) logs.push(...(await played({ ...mine, [seat]: anchor?.policy as Policy }, seeds.slice(i * each, (i + 1) * each))));
    return logs;
  }

  /** Every answer as a row that counts by its advantage. Answers that are alike are one row: a sum of gradients is a gradient of a sum. */
  #rows(logs: readonly (readonly EpisodeEvent[])[], { world, seats, deals }: Table): readonly TokenRow[] {
    const groups = new Map<readonly number[], Map<string, Answers>>();
    const { learner } = this.#parts;
    const { compare, credit, fine = 1 } = this.recipe;
    for (const log of logs) {
      const paid = (credit === 'later' ? laterReturns : fullReturns)(log, { scale: world.scale, fine });
      const { seed, cast } = log[0] as StartEvent;
      // What came before a move is not its effect, whether its seat could see it or not, so it may be part of the comparison group. So may
      // the opponent.
      let position = compare === 'seat' ? environmentKey(world) : `${environmentKey(world)} ${deals.of(seed)}`;
      for (const name of Object.values(cast)) if (name !== learner.id) position += ` ${name}`;
      const turns: Record<Seat, number> = {};
      for (const [i, event] of log.entries()) {
        if (event.kind !== 'action') continue;
        const { seat, action } = event;
        const here = position;
        if (compare === 'position') position += `/${action.text}`;
        if (cast[seat] !== learner.id) continue;
        const turn = turns[seat] ?? 0;
        turns[seat] = turn + 1;
        const key = this.#number(compare === 'position' ? here : `${here} ${seat}${compare === 'deal' ? ` ${turn}` : ''}`);
        const [advantage] = this.#baseline.advantages([paid[i] as number], [key]) as unknown as [number];
        const { promptTokenIds: prompt = [], tokenIds: tokens = [] } = event.calls?.[0] ?? {};
        const answers = groups.get(prompt) ?? new Map<string, Answers>();
        const group = answers.get(tokens.join()) ?? { tokens, count: 0, sum: 0 };
        group.count++;
        group.sum += advantage;
        answers.set(tokens.join(), group);
        groups.set(prompt, answers);
        this.#turns++;
      }
      const { penalties } = endOf(log);
      for (const seat of seats) if (cast[seat] === learner.id) this.#broken += penalties[seat] ?? 0;
    }
    const each = 1 / (logs.length * this.#tables.length);
    return [...groups].flatMap(([prompt, answers]) =>
      [...answers.values()].map(({ tokens, count, sum }) => rowOf(prompt, tokens, { mask: count * each, weight: sum / count })),
    );
  }

  #number(key: string): number {
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }
}

/** How a language model plays, by the chances of its own tokens: of each choice, among the choices; and what is left over, at most. */
export async function strategyOf(
  learner: TextLearner,
  situations: readonly DecisionPoint[],
): Promise<{ readonly strategy: readonly Float64Array[]; readonly outside: number }> {
  const rows = situations.flatMap(({ view, choices }) => {
    const prompt = learner.promptOf(view);
    return choices.map((choice) => rowOf(prompt, learner.answerOf(choice), { mask: 1, weight: 1 }));
  });
  const logprobs = await learner.logprobs(rows);
  let [next, outside] = [0, 0];
  const strategy = situations.map(({ choices }) => {
    const chances = Float64Array.from(choices, () => {
      const { mask } = rows[next] as TokenRow;
      const list = logprobs[next++] as ArrayLike<number>;
      let sum = 0;
      for (let i = 0; i < list.length; i++) if (mask[i] !== 0) sum += list[i] as number;
      return Math.exp(sum);
    });
    const inside = chances.reduce((sum, one) => sum + one, 0);
    outside = Math.max(outside, 1 - inside);
    return chances.map((one) => one / inside);
  });
  return { strategy, outside };
}

function anchorOf({ anchor }: TrainingEnvironment, environment: AnyEnvironment, parts: LanguageParts): Table['anchor'] {
  if (anchor === undefined) return null;
  if (parts.anchor === undefined) throw new Fault('input', `The recipe wants ${anchor.script} at a table, but nobody here can call it in.`);
  return { policy: parts.anchor(anchor.script, environment), share: anchor.share };
}

function rolled(count: number, dice: Rng): readonly Seed[] {
  return Array.from({ length: count }, () => dice.int(2 ** 32));
}

function castOf(seats: readonly Seat[], policy: Policy): Readonly<Record<Seat, Policy>> {
  return Object.fromEntries(seats.map((seat) => [seat, policy]));
}

function rowOf(prompt: readonly number[], answer: readonly number[], { mask, weight }: { mask: number; weight: number }): TokenRow {
  const tokens = [...prompt, ...answer];
  return {
    tokens,
    mask: tokens.map((_, i) => (i < prompt.length ? 0 : mask)),
    weights: tokens.map((_, i) => (i < prompt.length ? 0 : weight)),
  };
}
