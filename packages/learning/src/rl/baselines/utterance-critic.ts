/**
 * @file ArCHer's critics of whole utterances (2402.19446), learned off policy: two tables of Q and V with slow targets, and a replay of
 * transitions. The value of an old observation under the current policy is the mean over its utterances, each weighted by how much likelier
 * it is now than when it was sampled. It works for any learner that returns log-probabilities.
 */

import type { JsonObject, Learner } from '@ludus-agents/kernel/internal/core/index';
import { rowOfTurn, stateOf, type TurnSample } from '../samples.ts';
import { archerAdvantage, archerTarget, softUpdate } from './critic.ts';

/** One utterance with its reward and the next observation; null at the end of the episode. */
export type Transition = { readonly turn: TurnSample; readonly reward: number; readonly next: string | null };

export interface CriticSettings {
  readonly discount: number;
  /** The size of the replay, and the number of passes over it per update. */
  readonly room: number;
  readonly sweeps: number;
  /** The share of the distance that targets move to the critics in a sweep, and critics to their targets. */
  readonly follow?: number;
  readonly rate?: number;
}

type Table = Record<string, number>;
type Critic = { readonly worth: Table; readonly value: Table; readonly target: { readonly worth: Table; readonly value: Table } };

const blank = (): Critic => ({ worth: {}, value: {}, target: { worth: {}, value: {} } });
/** The maximum weight of an old utterance. */
const mostWeight = 10;

/** Critics of utterances, however they store their estimates. */
export interface UtteranceJudge {
  learn(news: readonly Transition[], learner: Learner): Promise<void>;
  /** The value of an utterance minus that of its observation, by the lower estimate of the pair. */
  advantage(turn: TurnSample): number;
  write(): JsonObject;
  read(from: JsonObject): void;
}

export class UtteranceCritic implements UtteranceJudge {
  readonly #settings: CriticSettings;
  #pair: readonly [Critic, Critic] = [blank(), blank()];
  #replay: readonly Transition[] = [];

  constructor(settings: CriticSettings) {
    this.#settings = settings;
  }

  /** Adds new transitions and sweeps over the replay, under the current policy. */
  async learn(news: readonly Transition[], learner: Learner): Promise<void> {
    const { discount, room, sweeps, follow = 0.2, rate = 0.5 } = this.#settings;
    this.#replay = [...this.#replay, ...news].slice(-room);
    const weights = await likelihoodWeights(this.#replay, learner);
    for (let sweep = 0; sweep < sweeps; sweep++)
      for (const [which, critic] of this.#pair.entries()) {
        const sums = new Map<string, { of: number; weight: number }>();
        this.#replay.forEach(({ turn, reward, next }, i) => {
          const [state, key] = [stateOf(turn), keyOf(turn)];
          const target = archerTarget({ reward, next: critic.target.value[next ?? ''] ?? 0, over: next === null, discount });
          // Each critic of the pair learns some transitions faster than the other, so that their errors differ.
          const pace = i % 2 === which ? rate : rate / 2;
          critic.worth[key] = (critic.worth[key] ?? 0) + pace * (target - (critic.worth[key] ?? 0));
          const sum = sums.get(state) ?? { of: 0, weight: 0 };
          sums.set(state, { of: sum.of + weights[i] * (critic.target.worth[key] ?? 0), weight: sum.weight + weights[i] });
        });
        for (const [state, { of, weight }] of sums) if (weight > 0) critic.value[state] = of / weight;
        for (const kind of ['worth', 'value'] as const)
          for (const [key, now] of Object.entries(critic[kind]))
            critic.target[kind][key] = softUpdate(critic.target[kind][key] ?? 0, now, follow);
      }
  }

  advantage(turn: TurnSample): number {
    const [critic, other] = this.#pair;
    const [state, key] = [stateOf(turn), keyOf(turn)];
    return archerAdvantage([critic.worth[key] ?? 0, other.worth[key] ?? 0], [critic.value[state] ?? 0, other.value[state] ?? 0]);
  }

  /** The value of an utterance, by the first critic of the pair. */
  worth(turn: TurnSample): number {
    return this.#pair[0].worth[keyOf(turn)] ?? 0;
  }

  write(): JsonObject {
    return { pair: this.#pair, replay: this.#replay };
  }

  read(from: JsonObject): void {
    this.#pair = from['pair'] as readonly [Critic, Critic];
    this.#replay = from['replay'] as readonly Transition[];
  }
}

/** How much likelier each utterance is now than when it was sampled. */
export async function likelihoodWeights(replay: readonly Transition[], learner: Learner): Promise<readonly number[]> {
  const rows = replay.map(({ turn }) => rowOfTurn(turn));
  const now = rows.length === 0 ? [] : await learner.logprobs(rows);
  return rows.map(({ mask, logprobs }, i) => {
    let sum = 0;
    for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) sum += now[i][t] - logprobs[t];
    return Math.min(mostWeight, Math.exp(sum));
  });
}

function keyOf(turn: TurnSample): string {
  return `${stateOf(turn)}|${turn.written.join(' ')}`;
}
