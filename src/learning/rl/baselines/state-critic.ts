/**
 * @file ArCHer's critics (2402.19446) on the states of the network that plays: Q of an observation with an utterance and V of an observation are
 * linear in what the network makes of the text. Two of each with slow targets, learned from a replay of old policies' utterances. What reads
 * alike is judged alike, also where it was never met, which a table of texts cannot do.
 */

import { Fault, type Json, type JsonObject, type Learner } from '../../../core/index.ts';
import { stateOf, type TurnSample } from '../samples.ts';
import { archerAdvantage, archerTarget, softUpdate } from './critic.ts';
import { type CriticSettings, likelihoodWeights, type Transition, type UtteranceJudge } from './utterance-critic.ts';

/** A learner that tells what it makes of a text, as numbers. */
interface StateLearner extends Learner {
  states(texts: readonly ArrayLike<number>[]): Promise<readonly ArrayLike<number>[]>;
}

type Weights = readonly number[];
type Critic = { readonly worth: Weights; readonly value: Weights; readonly target: { readonly worth: Weights; readonly value: Weights } };

export class StateCritic implements UtteranceJudge {
  readonly #settings: CriticSettings;
  #pair: readonly [Critic, Critic] | null = null;
  #replay: readonly Transition[] = [];
  /** What the network makes of the texts of this update, by their tokens. */
  #features: ReadonlyMap<string, Weights> = new Map();

  constructor(settings: CriticSettings) {
    this.#settings = settings;
  }

  async learn(news: readonly Transition[], learner: Learner): Promise<void> {
    const { discount, room, sweeps, follow = 0.2, rate = 0.5 } = this.#settings;
    this.#replay = [...this.#replay, ...news].slice(-room);
    if (this.#replay.length === 0) return;
    this.#features = await this.#read(learner);
    const weights = await likelihoodWeights(this.#replay, learner);
    const [first] = this.#features.values();
    const zero = first!.map(() => 0);
    const blank: Critic = { worth: zero, value: zero, target: { worth: zero, value: zero } };
    const [one, other] = this.#pair ?? [blank, blank];
    const study = (before: Critic, which: number): Critic => {
      let { worth, value, target } = before;
      for (let sweep = 0; sweep < sweeps; sweep++) {
        this.#replay.forEach(({ turn, reward, next }, i) => {
          const [state, answer] = [this.#of(stateOf(turn)), this.#of(textOf(turn))];
          const beyond = next === null ? 0 : dot(target.value, this.#of(next));
          const right = archerTarget({ reward, next: beyond, over: next === null, discount });
          // Each of the pair learns some transitions faster than the other, so that they doubt different things.
          const pace = i % 2 === which ? rate : rate / 2;
          worth = moveBy(worth, answer, pace * (right - dot(worth, answer)));
          const share = Math.min(1, pace * weights[i]!);
          value = moveBy(value, state, share * (dot(target.worth, answer) - dot(value, state)));
        });
        const soft = (slow: Weights, now: Weights) => slow.map((one, k) => softUpdate(one, now[k]!, follow));
        target = { worth: soft(target.worth, worth), value: soft(target.value, value) };
      }
      return { worth, value, target };
    };
    this.#pair = [study(one, 0), study(other, 1)];
  }

  advantage(turn: TurnSample): number {
    if (this.#pair === null) return 0;
    const [state, answer] = [this.#of(stateOf(turn)), this.#of(textOf(turn))];
    const [one, other] = this.#pair;
    return archerAdvantage([dot(one.worth, answer), dot(other.worth, answer)], [dot(one.value, state), dot(other.value, state)]);
  }

  /** What an utterance is worth by the first of the pair, also one that was never met. */
  async worth({ read, written }: Pick<TurnSample, 'read' | 'written'>, learner: Learner): Promise<number> {
    const [state] = await statesOf(learner, [[...read, ...written]]);
    return this.#pair === null ? 0 : dot(this.#pair[0].worth, featuresOf(state!));
  }

  write(): JsonObject {
    return { pair: this.#pair as unknown as Json, replay: this.#replay as unknown as Json };
  }

  read(from: JsonObject): void {
    this.#pair = from['pair'] as unknown as readonly [Critic, Critic] | null;
    this.#replay = from['replay'] as unknown as readonly Transition[];
  }

  /** Every text of the replay once, under the network as it is. */
  async #read(learner: Learner): Promise<ReadonlyMap<string, Weights>> {
    const texts = new Map<string, readonly number[]>();
    for (const { turn, next } of this.#replay) {
      texts.set(stateOf(turn), turn.read);
      texts.set(textOf(turn), [...turn.read, ...turn.written]);
      if (next !== null) texts.set(next, next.split(' ').map(Number));
    }
    const states = await statesOf(learner, [...texts.values()]);
    return new Map([...texts.keys()].map((text, i) => [text, featuresOf(states[i]!)]));
  }

  #of(text: string): Weights {
    return this.#features.get(text) ?? [];
  }
}

/** Tokens of what was read and what was written, as a key. */
function textOf(turn: TurnSample): string {
  return `${stateOf(turn)} ${turn.written.join(' ')}`;
}

function statesOf(learner: Learner, texts: readonly (readonly number[])[]): Promise<readonly ArrayLike<number>[]> {
  if (typeof (learner as Partial<StateLearner>).states !== 'function')
    throw new Fault(
      'input',
      `${learner.id} has no states that a critic could judge by; set training.learner to transformer, or leave baseline.by out.`,
    );
  return (learner as StateLearner).states(texts);
}

/** A state and a constant, of length 1 together, so that a step of a share goes that share of the way. */
function featuresOf(state: ArrayLike<number>): Weights {
  const numbers = Array.from(state);
  const length = Math.sqrt(2 * numbers.reduce((sum, one) => sum + one * one, 0)) || 1;
  return [...numbers.map((one) => one / length), Math.SQRT1_2];
}

function dot(weights: Weights, features: Weights): number {
  let sum = 0;
  for (let k = 0; k < features.length; k++) sum += weights[k]! * features[k]!;
  return sum;
}

function moveBy(weights: Weights, features: Weights, by: number): Weights {
  return weights.map((one, k) => one + by * features[k]!);
}
