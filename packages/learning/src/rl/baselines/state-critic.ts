/**
 * @file ArCHer's critics (2402.19446) on the hidden states of the policy network: Q of an observation with an utterance and V of an
 * observation are linear in the network's states of the text, and fitted again at every sweep, since the network changes. Two of each with
 * slow targets, from a replay of past utterances. Similar texts get similar values even if unseen, which a table of texts cannot do.
 */

import { Fault, type JsonObject, type Learner } from '@ludus-agents/kernel/internal/core/index';
import { stateOf, type TurnSample } from '../samples.ts';
import { archerAdvantage, archerTarget, softUpdate } from './critic.ts';
import { ridge } from './ridge.ts';
import { type CriticSettings, likelihoodWeights, type Transition, type UtteranceJudge } from './utterance-critic.ts';

/** A learner that returns its hidden states of a text as numbers. */
interface StateLearner extends Learner {
  states(texts: readonly ArrayLike<number>[]): Promise<readonly ArrayLike<number>[]>;
}

/** The ridge penalty: enough to suppress noise in a replay of a thousand. */
const price = 0.01;

type Weights = readonly number[];
/** `slow`: the target network's value, which follows `value` step by step. */
type Critic = { readonly worth: Weights; readonly value: Weights; readonly slow: Weights };

export class StateCritic implements UtteranceJudge {
  readonly #settings: CriticSettings;
  #pair: readonly [Critic, Critic] | null = null;
  #replay: readonly Transition[] = [];
  /** The hidden states of this update's texts, by their tokens. */
  #features: ReadonlyMap<string, Weights> = new Map();

  constructor(settings: CriticSettings) {
    this.#settings = settings;
  }

  async learn(news: readonly Transition[], learner: Learner): Promise<void> {
    const { discount, room, sweeps, follow = 0.2 } = this.#settings;
    this.#replay = [...this.#replay, ...news].slice(-room);
    if (this.#replay.length === 0) return;
    this.#features = await this.#read(learner);
    const weights = await likelihoodWeights(this.#replay, learner);
    const { turn } = this.#replay[0];
    const zeros = (features: Weights) => features.map(() => 0);
    const [none, nothing] = [zeros(this.#of(textOf(turn))), zeros(this.#of(stateOf(turn)))];
    const blank: Critic = { worth: none, value: nothing, slow: nothing };
    const [critic, other] = this.#pair ?? [blank, blank];
    const study = (before: Critic, which: number): Critic => {
      let { worth, value, slow } = before;
      for (let sweep = 0; sweep < sweeps; sweep++) {
        // Each critic of the pair weights some transitions more than the other, so that their errors differ.
        const points = this.#replay.map(({ turn, reward, next }, i) => {
          const beyond = next === null ? 0 : dot(slow, this.#of(next));
          return {
            features: this.#of(textOf(turn)),
            target: archerTarget({ reward, next: beyond, over: next === null, discount }),
            weight: i % 2 === which ? 1 : 0.5,
          };
        });
        worth = ridge(points, none.length, price);
        // Uses this sweep's fit: a lagging value would rate every utterance as worse, or better, than its observation.
        const values = this.#replay.map(({ turn }, i) => ({
          features: this.#of(stateOf(turn)),
          target: dot(worth, this.#of(textOf(turn))),
          weight: weights[i] * points[i].weight,
        }));
        value = ridge(values, nothing.length, price);
        slow = slow.map((parameter, k) => softUpdate(parameter, value[k], follow));
      }
      return { worth, value, slow };
    };
    this.#pair = [study(critic, 0), study(other, 1)];
  }

  advantage(turn: TurnSample): number {
    if (this.#pair === null) return 0;
    const [state, answer] = [this.#of(stateOf(turn)), this.#of(textOf(turn))];
    const [critic, other] = this.#pair;
    return archerAdvantage([dot(critic.worth, answer), dot(other.worth, answer)], [dot(critic.value, state), dot(other.value, state)]);
  }

  /** The value of an utterance by the first critic of the pair, also for an unseen one. */
  async worth({ read, written }: Pick<TurnSample, 'read' | 'written'>, learner: Learner): Promise<number> {
    const [state, answer] = await statesOf(learner, [read, [...read, ...written]]);
    return this.#pair === null ? 0 : dot(this.#pair[0].worth, answerFeatures(state, answer));
  }

  write(): JsonObject {
    return { pair: this.#pair, replay: this.#replay };
  }

  read(from: JsonObject): void {
    this.#pair = from['pair'] as readonly [Critic, Critic] | null;
    this.#replay = from['replay'] as readonly Transition[];
  }

  /** The states of every text of the replay, once, under the current network. */
  async #read(learner: Learner): Promise<ReadonlyMap<string, Weights>> {
    const texts = new Map<string, readonly number[]>();
    for (const { turn, next } of this.#replay) {
      texts.set(stateOf(turn), turn.read);
      texts.set(textOf(turn), [...turn.read, ...turn.written]);
      if (next !== null) texts.set(next, next.split(' ').map(Number));
    }
    const states = await statesOf(learner, [...texts.values()]);
    const matches = new Map([...texts.keys()].map((text, i) => [text, states[i]]));
    const features = new Map([...matches].map(([text, state]) => [text, unit(state)]));
    for (const { turn } of this.#replay) {
      const key = textOf(turn);
      features.set(key, answerFeatures(matches.get(stateOf(turn))!, matches.get(key)!));
    }
    return features;
  }

  #of(text: string): Weights {
    return this.#features.get(text) ?? [];
  }
}

/** The tokens of input and output as a key. */
function textOf(turn: TurnSample): string {
  return `${stateOf(turn)} ${turn.written.join(' ')}`;
}

function statesOf(learner: Learner, texts: readonly (readonly number[])[]): Promise<readonly ArrayLike<number>[]> {
  if (typeof (learner as Partial<StateLearner>).states !== 'function')
    throw new Fault('input', `${learner.id} has no states for a critic. Set training.learner to transformer, or remove baseline.by.`);
  return (learner as StateLearner).states(texts);
}

/** The numbers plus a constant, scaled to length 1. */
function unit(state: ArrayLike<number>): Weights {
  const numbers = Array.from(state);
  const length = Math.sqrt(2 * numbers.reduce((sum, value) => sum + value * value, 0)) || 1;
  return [...numbers.map((value) => value / length), Math.SQRT1_2];
}

/** The features of an utterance: the state before it, the state after it, and their interaction. */
function answerFeatures(state: ArrayLike<number>, answer: ArrayLike<number>): Weights {
  const [before, after] = [Array.from(unit(state)), Array.from(unit(answer))];
  return unit([...before, ...after, ...before.map((value, i) => value * after[i] * before.length)]);
}

function dot(weights: Weights, features: Weights): number {
  let sum = 0;
  for (let k = 0; k < features.length; k++) sum += weights[k] * features[k];
  return sum;
}
