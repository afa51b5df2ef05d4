/** @file Computes one advantage for each turn from episodes, by the reward and baseline slots of a recipe. */

import type { JsonObject } from '../../core/index.ts';
import { anchorAdvantages } from './baselines/anchor.ts';
import { ValueTable } from './baselines/critic.ts';
import { gae, twoLevelGae } from './baselines/gae.ts';
import { groupAdvantages } from './baselines/group.ts';
import { RunningBaseline } from './baselines/running.ts';
import type { Baseline, GroupField, Recipe } from './recipe.ts';
import { outcome, returnToGo, winRates } from './rewards.ts';
import type { EpisodeSample, TurnAdvantage } from './samples.ts';

/** Turn rewards that the environment does not pay: information gain, checklists, win rates, human gain come from who judges. */
export type TurnRewarder = (episode: EpisodeSample) => readonly number[];

export class Advantages {
  readonly #recipe: Recipe;
  readonly #judge: TurnRewarder | undefined;
  readonly #running: RunningBaseline;
  readonly #critic = new ValueTable();
  readonly #numbers = new Map<string, number>();
  #won: ReadonlyMap<EpisodeSample, number> | null = null;

  constructor(recipe: Recipe, judge?: TurnRewarder) {
    this.#recipe = recipe;
    this.#judge = judge;
    const { baseline } = recipe;
    this.#running = new RunningBaseline(baseline.kind === 'running' ? baseline.decay : 1);
  }

  /** One advantage for each turn of each episode, or for each token that a critic of tokens judges. */
  of(episodes: readonly EpisodeSample[]): readonly ArrayLike<TurnAdvantage>[] {
    const { baseline } = this.#recipe;
    if (baseline.kind === 'value')
      return episodes.map((episode) => (baseline.level === 'turn' ? this.#byCritic(episode, baseline) : this.#byTokens(episode, baseline)));
    this.#won = this.#recipe.assignment.kind === 'win-rate' && this.#judge === undefined ? wonBy(episodes) : null;
    const paid = episodes.map((episode) => this.#paid(episode));
    if (baseline.kind === 'none') return paid;
    const byTurn = this.#recipe.assignment.kind !== 'outcome' || baseline.key.some((field) => field === 'turn' || field === 'state');
    const found = byTurn ? this.#overTurns(episodes, paid, baseline) : this.#overEpisodes(episodes, baseline);
    return baseline.kind === 'group' && baseline.plus !== undefined ? this.#plusStates(episodes, found, baseline.plus) : found;
  }

  write(): JsonObject {
    return { running: this.#running.write(), critic: this.#critic.write(), keys: [...this.#numbers.keys()] };
  }

  read(from: JsonObject): void {
    this.#running.read(from['running'] as JsonObject);
    this.#critic.read(from['critic'] as JsonObject);
    this.#numbers.clear();
    for (const word of from['keys'] as readonly string[]) this.#numbers.set(word, this.#numbers.size);
  }

  #paid(episode: EpisodeSample): readonly number[] {
    const { assignment } = this.#recipe;
    const won = this.#won?.get(episode);
    if (won !== undefined) return episode.turns.map(() => won);
    const rewards = this.#judge === undefined ? episode.turns.map(({ reward }) => reward) : this.#judge(episode);
    return assignment.kind === 'outcome' ? outcome(rewards) : returnToGo(rewards, 'discount' in assignment ? assignment.discount : 1);
  }

  /** Statistics over episodes: a long one is one, however many turns it took. */
  #overEpisodes(episodes: readonly EpisodeSample[], baseline: Grouped): readonly ArrayLike<number>[] {
    const sums = episodes.map((episode) => this.#paid(episode)[0] ?? episode.returned);
    const found = this.#compared(
      sums,
      episodes.map((episode) => this.#number(baseline.key, episode, 0)),
      baseline,
    );
    return episodes.map(({ turns }, i) => turns.map(() => found[i] as number));
  }

  #overTurns(episodes: readonly EpisodeSample[], paid: readonly (readonly number[])[], baseline: Grouped): readonly ArrayLike<number>[] {
    const groups = episodes.flatMap((episode) => episode.turns.map((_, turn) => this.#number(baseline.key, episode, turn)));
    return split(this.#compared(paid.flat(), groups, baseline), episodes);
  }

  #compared(values: readonly number[], groups: readonly number[], baseline: Grouped): Float64Array {
    return baseline.kind === 'running'
      ? this.#running.advantages(values, groups)
      : groupAdvantages(values, groups, { ...baseline, single: 'zero' });
  }

  #plusStates(episodes: readonly EpisodeSample[], found: readonly ArrayLike<number>[], plus: Plus): readonly ArrayLike<number>[] {
    const visits = episodes.flatMap((episode) => {
      const returned = returnToGo(
        episode.turns.map(({ reward }) => reward),
        plus.discount,
      );
      return episode.turns.map(({ state }, turn) => ({ key: `${episode.prompt}/${state}`, returned: returned[turn] as number }));
    });
    const extra = split(anchorAdvantages(visits), episodes);
    return found.map((list, i) => Array.from(list, (value, turn) => value + plus.weight * (extra[i]?.[turn] as number)));
  }

  #byCritic({ turns, truncated }: EpisodeSample, { discount, trace }: { readonly discount: number; readonly trace: number }) {
    const rewards = turns.map(({ reward }) => reward);
    const values = turns.map(({ state }) => this.#critic.value(state));
    const beyond = truncated ? (values.at(-1) ?? 0) : 0;
    const found = gae({ rewards, values, discount, trace, beyond });
    turns.forEach(({ state }, turn) => {
      this.#critic.learn(state, (found[turn] as number) + (values[turn] as number));
    });
    return found;
  }

  /** A value for every text that a token was written after; what a turn was paid is paid to its last token. */
  #byTokens(
    { turns, truncated }: EpisodeSample,
    { level, discount, trace }: Extract<Baseline, { kind: 'value' }>,
  ): readonly Float64Array[] {
    const keys: string[] = [];
    const [rewards, ends]: [number[], number[]] = [[], []];
    for (const { state, tokens, mask, reward } of turns) {
      const written = tokens.filter((_, i) => mask[i] === 1);
      written.forEach((_, i) => {
        const last = i === written.length - 1;
        keys.push(`${state}|${written.slice(0, i).join(' ')}`);
        rewards.push(last ? reward : 0);
        ends.push(last ? 1 : 0);
      });
    }
    const values = keys.map((key) => this.#critic.value(key));
    const { assignment } = this.#recipe;
    const found =
      level === 'two-level'
        ? twoLevelGae({ rewards, values, ends, discount, trace, turnDiscount: 'discount' in assignment ? assignment.discount : 1 })
        : gae({ rewards, values, discount, trace, beyond: truncated ? (values.at(-1) ?? 0) : 0 });
    keys.forEach((key, i) => {
      this.#critic.learn(key, (found[i] as number) + (values[i] as number));
    });
    let at = 0;
    return turns.map(({ mask }) => {
      const count = mask.filter((bit) => bit === 1).length;
      at += count;
      return found.subarray(at - count, at);
    });
  }

  /** Keys as small numbers, the same for the whole run. */
  #number(key: readonly GroupField[], episode: EpisodeSample, turn: number): number {
    const words = key.map((field) => (field === 'turn' ? turn : field === 'state' ? episode.turns[turn]?.state : episode[field]));
    const word = words.join('/');
    const number = this.#numbers.get(word) ?? this.#numbers.size;
    this.#numbers.set(word, number);
    return number;
  }
}

type Grouped = Extract<Baseline, { readonly key: unknown }>;
type Plus = NonNullable<Extract<Baseline, { kind: 'group' }>['plus']>;

/** How often each episode beats the others of its group and seat. */
function wonBy(episodes: readonly EpisodeSample[]): ReadonlyMap<EpisodeSample, number> {
  const groups = Map.groupBy(episodes, ({ prompt, seat }) => `${prompt}/${seat}`);
  return new Map(
    [...groups.values()].flatMap((group) => {
      const rates = winRates(group.map(({ returned }) => returned));
      return group.map((episode, i): [EpisodeSample, number] => [episode, rates[i] as number]);
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
