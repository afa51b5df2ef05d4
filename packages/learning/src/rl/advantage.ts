/** @file Computes one advantage for each turn from episodes, by the reward and baseline slots of a recipe. */

import type { JsonObject, Learner } from '@ludus-agents/kernel/internal/core/index';
import { anchorAdvantages } from './baselines/anchor.ts';
import { BoughtBaseline } from './baselines/bought.ts';
import { ValueTable } from './baselines/critic.ts';
import { gae, lengthTrace, twoLevelGae } from './baselines/gae.ts';
import { groupAdvantages } from './baselines/group.ts';
import { jointAdvantages } from './baselines/joint.ts';
import { RunningBaseline } from './baselines/running.ts';
import { StateCritic } from './baselines/state-critic.ts';
import { type Transition, UtteranceCritic, type UtteranceJudge } from './baselines/utterance-critic.ts';
import { type ChannelWeights, channelWeights, turnRewards } from './channels.ts';
import { entropyAware } from './entropy-advantage.ts';
import type { Baseline, GroupField, Recipe } from './recipe.ts';
import { outcome, returnToGo, winRates } from './rewards.ts';
import { type EpisodeSample, stateOf, type TurnAdvantage, type TurnSample } from './samples.ts';

/** The channel of a judge that replaces the environment's reward. */
const judgeChannel = 'judge';

/** Group keys that distinguish turns within one episode. */
const ofTurns: readonly GroupField[] = ['turn', 'state', 'position'];

export class Advantages {
  #recipe: Recipe;
  /** Whether a judge's rewards replace the environment's. */
  readonly #judged: boolean;
  #weights: ChannelWeights;
  readonly #running: RunningBaseline;
  readonly #critic = new ValueTable();
  /** Updates so far; a critic may learn alone during the first ones. */
  #updates = 0;
  readonly #utterances: UtteranceJudge | null;
  readonly #bought: BoughtBaseline | null;
  readonly #numbers = new Map<string, number>();
  #won: ReadonlyMap<EpisodeSample, number> | null = null;

  constructor(recipe: Recipe, { judged = false }: { readonly judged?: boolean } = {}) {
    this.#recipe = recipe;
    this.#judged = judged;
    this.#weights = this.#weightsAt(0);
    const { baseline } = recipe;
    this.#running = new RunningBaseline(baseline.kind === 'running' ? baseline.decay : 1);
    this.#utterances =
      baseline.kind !== 'utterances' ? null : baseline.by === 'states' ? new StateCritic(baseline) : new UtteranceCritic(baseline);
    this.#bought = baseline.kind === 'bought' ? new BoughtBaseline(baseline) : null;
  }

  /** Trains the critics that must learn before an update is judged: critics of utterances, under the current policy. */
  async study(episodes: readonly EpisodeSample[], learner: Learner, done: number): Promise<void> {
    if (this.#utterances === null) return;
    this.#weights = this.#weightsAt(done);
    const news = episodes.flatMap((episode) => {
      const rewards = turnRewards(episode, this.#weights);
      return episode.turns.map((turn, t): Transition => {
        const next = episode.turns[t + 1];
        return { turn, reward: rewards[t], next: next === undefined ? null : stateOf(next) };
      });
    });
    await this.#utterances.learn(news, learner);
  }

  /** The number of turns for which a central critic was bought, and the number of all turns; null if the recipe buys none. */
  get bought(): readonly [bought: number, asked: number] | null {
    return this.#bought?.used ?? null;
  }

  /** One advantage for each turn of each episode, or for each token if the critic judges tokens. */
  of(episodes: readonly EpisodeSample[], done = 0): readonly ArrayLike<TurnAdvantage>[] {
    const { baseline } = this.#recipe;
    this.#weights = this.#weightsAt(done);
    const { warm = 0 } = baseline.kind === 'value' ? baseline : {};
    const learning = this.#updates++ < warm;
    if (baseline.kind === 'utterances') return episodes.map(({ turns }) => turns.map((turn) => this.#utterances!.advantage(turn)));
    if (baseline.kind === 'bought') return episodes.map((episode) => this.#byPosition(episode));
    if (baseline.kind === 'value') {
      const predicted =
        baseline.joint === true
          ? this.#byChain(episodes, baseline)
          : episodes.map((episode) => (baseline.level === 'turn' ? this.#byCritic(episode, baseline) : this.#byTokens(episode, baseline)));
      return learning
        ? predicted.map((list) => list.map((item) => (typeof item === 'number' ? 0 : Float64Array.from(item, () => 0))))
        : predicted;
    }
    this.#won = this.#recipe.assignment.kind === 'win-rate' && !this.#judged ? winShares(episodes) : null;
    const rewards = episodes.map((episode) => this.#paid(episode));
    if (baseline.kind === 'none' || baseline.kind === 'positions') return rewards;
    const byTurn = this.#recipe.assignment.kind !== 'outcome' || baseline.key.some((field) => ofTurns.includes(field));
    const arrayLikes = byTurn ? this.#overTurns(episodes, rewards, baseline) : this.#overEpisodes(episodes, baseline);
    const compared =
      baseline.kind === 'group' && baseline.plus !== undefined ? this.#plusStates(episodes, arrayLikes, baseline.plus) : arrayLikes;
    if (baseline.kind !== 'group' || baseline.entropy === undefined) return compared;
    this.reshaped += episodes.reduce((sum, { turns }) => turns.reduce((turn, { written }) => turn + written.length, sum), 0);
    return entropyAware(episodes, compared, baseline.entropy);
  }

  /** The number of uses of past returns since the last call: reads of a critic's values and of running means. */
  takePastUsed(): number {
    const reads = this.#critic.reads + this.#running.reads;
    [this.#critic.reads, this.#running.reads] = [0, 0];
    return reads;
  }

  /** The number of tokens reweighted by their certainty. */
  reshaped = 0;
  /** The number of turns compared with others from the same state, if states are compared. */
  statesMet = 0;

  /** Switches to another stage of the recipe; running statistics are retained. */
  use(recipe: Recipe): void {
    this.#recipe = recipe;
  }

  write(): JsonObject {
    return {
      ...{ running: this.#running.write(), critic: this.#critic.write(), keys: [...this.#numbers.keys()], updates: this.#updates },
      ...(this.#utterances !== null && { utterances: this.#utterances.write() }),
      ...(this.#bought !== null && { bought: this.#bought.write() }),
    };
  }

  read(from: JsonObject): void {
    this.#running.read(from['running'] as JsonObject);
    this.#critic.read(from['critic'] as JsonObject);
    this.#updates = (from['updates'] as number | undefined) ?? 0;
    this.#utterances?.read(from['utterances'] as JsonObject);
    this.#bought?.read(from['bought'] as JsonObject);
    this.#numbers.clear();
    for (const word of from['keys'] as readonly string[]) this.#numbers.set(word, this.#numbers.size);
  }

  #paid(episode: EpisodeSample): readonly number[] {
    const { assignment } = this.#recipe;
    const won = this.#recipe.assignment.kind === 'win-rate' ? (episode.won ?? this.#won?.get(episode)) : undefined;
    if (won !== undefined) return episode.turns.map(() => won);
    if (assignment.kind === 'return-to-go' && assignment.penalties === 'own') {
      const later = returnToGo(turnRewards(episode, this.#weights, false), assignment.discount);
      return later.map((payment, turn) => payment - this.#weights.penalty * (episode.turns[turn]?.penalty ?? 0));
    }
    const rewards = turnRewards(episode, this.#weights);
    return assignment.kind === 'outcome' ? outcome(rewards) : returnToGo(rewards, 'discount' in assignment ? assignment.discount : 1);
  }

  #weightsAt(done: number): ChannelWeights {
    return this.#judged ? { environment: 0, penalty: 0, judged: [[judgeChannel, 1]] } : channelWeights(this.#recipe, done);
  }

  /** Statistics over episodes: each episode counts once, however many turns it took. */
  #overEpisodes(episodes: readonly EpisodeSample[], baseline: Grouped): readonly ArrayLike<number>[] {
    const sums = episodes.map((episode) => this.#paid(episode)[0] ?? episode.returned);
    const match = this.#compared(
      sums,
      episodes.map((episode) => this.#number(baseline.key, episode, 0)),
      baseline,
    );
    return episodes.map(({ turns }, i) => turns.map(() => match[i]));
  }

  #overTurns(episodes: readonly EpisodeSample[], rewards: readonly (readonly number[])[], baseline: Grouped): readonly ArrayLike<number>[] {
    const groups = episodes.flatMap((episode) => episode.turns.map((_, turn) => this.#number(baseline.key, episode, turn)));
    return split(this.#compared(rewards.flat(), groups, baseline), episodes);
  }

  #compared(values: readonly number[], groups: readonly number[], baseline: Grouped): Float64Array {
    return baseline.kind === 'running'
      ? this.#running.advantages(values, groups)
      : groupAdvantages(values, groups, { ...baseline, single: 'zero' });
  }

  #plusStates(episodes: readonly EpisodeSample[], arrayLikes: readonly ArrayLike<number>[], plus: Plus): readonly ArrayLike<number>[] {
    const visits = episodes.flatMap((episode) => {
      const returned = returnToGo(turnRewards(episode, this.#weights), plus.discount);
      return episode.turns.map((turnSample, turn) => ({ key: `${episode.prompt}/${stateOf(turnSample)}`, returned: returned[turn] }));
    });
    const compared = anchorAdvantages(visits);
    this.statesMet += compared.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
    const extra = split(compared, episodes);
    return arrayLikes.map((list, i) => Array.from(list, (value, turn) => value + plus.weight * (extra[i]?.[turn] as number)));
  }

  #byPosition(episode: EpisodeSample): readonly number[] {
    const rewards = this.#paid(episode);
    return episode.turns.map((turn, t) => this.#bought!.advantage(stateOf(turn), turn.position ?? '', rewards[t]));
  }

  #byCritic(episode: EpisodeSample, { discount, trace: fixed, alpha }: Valued): readonly number[] {
    const { turns, truncated } = episode;
    const rewards = turnRewards(episode, this.#weights);
    const values = turns.map((turn) => this.#critic.value(stateOf(turn)));
    const beyond = truncated ? (values.at(-1) ?? 0) : 0;
    const trace = alpha === undefined ? fixed : lengthTrace(alpha, tokensOf(episode));
    const match = gae({ rewards, values, discount, trace, beyond });
    // With a length-dependent trace for the policy, the critic learns the full return.
    const targets = alpha === undefined ? match : gae({ rewards, values, discount, trace: 1, beyond });
    turns.forEach((turnSample, turn) => {
      this.#critic.learn(stateOf(turnSample), targets[turn] + values[turn]);
    });
    return [...match];
  }

  /** The turns of all seats of a game as one chain. */
  #byChain(episodes: readonly EpisodeSample[], { discount, trace }: Valued): readonly (readonly number[])[] {
    const rewards = episodes.map((episode) => turnRewards(episode, this.#weights).reduce((sum, value) => sum + value, 0));
    const critic = {
      value: (turn: TurnSample) => this.#critic.value(stateOf(turn)),
      learn: (turn: TurnSample, target: number) => this.#critic.learn(stateOf(turn), target),
    };
    return jointAdvantages(episodes, rewards, { discount, trace, critic });
  }

  /** A value for every prefix that a token was written after; a turn's reward goes to its last token. */
  #byTokens(episode: EpisodeSample, { level, discount, trace: fixed, alpha }: Valued): readonly Float64Array[] {
    const { turns, truncated } = episode;
    const keys: string[] = [];
    const [rewards, ends]: [number[], number[]] = [[], []];
    const turnPayments = turnRewards(episode, this.#weights);
    turns.forEach((turn, t) => {
      turn.written.forEach((_, i) => {
        const last = i === turn.written.length - 1;
        keys.push(`${stateOf(turn)}|${turn.written.slice(0, i).join(' ')}`);
        rewards.push(last ? turnPayments[t] : 0);
        ends.push(last ? 1 : 0);
      });
    });
    const values = keys.map((key) => this.#critic.value(key));
    const trace = alpha === undefined ? fixed : lengthTrace(alpha, keys.length);
    const beyond = truncated ? (values.at(-1) ?? 0) : 0;
    const { assignment } = this.#recipe;
    const match =
      level === 'two-level'
        ? twoLevelGae({ rewards, values, ends, discount, trace, turnDiscount: 'discount' in assignment ? assignment.discount : 1 })
        : gae({ rewards, values, discount, trace, beyond });
    const targets = alpha === undefined ? match : gae({ rewards, values, discount, trace: 1, beyond });
    keys.forEach((key, i) => {
      this.#critic.learn(key, targets[i] + values[i]);
    });
    let at = 0;
    return turns.map(({ written }) => {
      at += written.length;
      return match.subarray(at - written.length, at);
    });
  }

  /** Maps keys to small integers, the same for the whole run. */
  #number(key: readonly GroupField[], episode: EpisodeSample, turn: number): number {
    const word = key.map((field) => fieldOf(field, episode, turn)).join('/');
    const number = this.#numbers.get(word) ?? this.#numbers.size;
    this.#numbers.set(word, number);
    return number;
  }
}

function fieldOf(field: GroupField, episode: EpisodeSample, turn: number): string | number | undefined {
  const turnSample = episode.turns[turn];
  if (field === 'turn') return turn;
  if (field === 'state') return turnSample === undefined ? '' : stateOf(turnSample);
  return field === 'position' ? turnSample?.position : episode[field];
}

type Valued = Extract<Baseline, { kind: 'value' }>;

function tokensOf({ turns }: EpisodeSample): number {
  return turns.reduce((sum, { written }) => sum + written.length, 0);
}

type Grouped = Extract<Baseline, { readonly key: unknown }>;
type Plus = NonNullable<Extract<Baseline, { kind: 'group' }>['plus']>;

/** How often each episode beats the others of its group and seat. */
function winShares(episodes: readonly EpisodeSample[]): ReadonlyMap<EpisodeSample, number> {
  const groups = Map.groupBy(episodes, ({ prompt, seat }) => `${prompt}/${seat}`);
  return new Map(
    [...groups.values()].flatMap((group) => {
      const rates = winRates(group.map(({ returned }) => returned));
      return group.map((episode, i): [EpisodeSample, number] => [episode, rates[i]]);
    }),
  );
}

function split(values: Float64Array, episodes: readonly EpisodeSample[]): readonly Float64Array[] {
  let at = 0;
  return episodes.map(({ turns }) => {
    at += turns.length;
    return values.subarray(at - turns.length, at);
  });
}
