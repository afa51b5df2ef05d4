/** @file Turns logs into training samples: for every episode of a learner's seat, its turns with their tokens and rewards. */

import type { EpisodeEvent, Seat, StartEvent, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import type { ChanceSeeds } from './chance-seeds.ts';
import { failedByOthers } from './failed-games.ts';
import type { GroupField } from './recipe.ts';

/** One turn of a seat that the learner played. Plain data, so it can be stored in a checkpoint. */
export type TurnSample = {
  /** The learner's input: rules, other seats, tools. It is never trained on. */
  readonly read: readonly number[];
  /** The learner's output. */
  readonly written: readonly number[];
  /** The log-probability of each written token under the sampling policy. */
  readonly logprobs: readonly number[];
  /** The environment's reward, and its penalty for a broken rule. */
  readonly reward: number;
  readonly penalty: number;
  /** The judges' rewards, by channel. */
  readonly channels?: Readonly<Record<string, number>>;
  /** Its position in the log. */
  readonly at: number;
  /** A key of all chance outcomes and actions before it, if turns are compared by position. */
  readonly position?: string;
  /** The number of updates behind the weights that sampled it, if it differs within a batch. */
  readonly version?: number;
  /** γ of p / (p + γ), if another player's answer is trained on with that weight (AMPO). */
  readonly shape?: number;
};

export type EpisodeSample = {
  readonly environment: string;
  readonly seat: Seat;
  /** The number of its group of episodes. */
  readonly prompt: number;
  /** Its number among the games of an update; all seats of one game share it. */
  readonly game: number;
  /** The number of its task, if tasks are chosen from a pool. */
  readonly task?: number;
  /** The key of its task, if successes are stored by task: its number, first chance outcome, or seed. */
  readonly key?: string;
  readonly turns: readonly TurnSample[];
  /** The whole return minus penalties. */
  readonly returned: number;
  /** The number of penalized turns. */
  readonly invalid: number;
  /** Whether a limit cut it off before its end. */
  readonly truncated: boolean;
  /** Turns of the whole game, if episode lengths depend on it. */
  readonly length?: number;
  /** The weight of this environment's rewards relative to others; 1 if unset. */
  readonly scale?: number;
  /** The share of the others of its group that it beats, according to a preference function. */
  readonly won?: number;
  /** The first chance outcome, and the agents on the other seats, if episodes are compared by them. */
  readonly deal?: number;
  readonly opponents?: string;
};

export interface EpisodeSampleOptions {
  readonly prompt: number;
  readonly game?: number;
  readonly task?: number;
  readonly key?: string;
  /** The environment's name in comparisons; its id if unset. */
  readonly environment?: string;
  readonly scale?: number;
  /** The fields by which turns are compared, and the data to identify deals and the learner. */
  readonly compare?: { readonly by: readonly GroupField[]; readonly deals: ChanceSeeds; readonly learner: string };
}

/**
 * The learner's seats of a finished log. `seats` names them; text of other seats is not in the output of any sample, and a game that
 * another seat ended by failing yields none.
 */
export function samplesOf(log: readonly EpisodeEvent[], seats: readonly Seat[], options: EpisodeSampleOptions): readonly EpisodeSample[] {
  const [start] = log;
  const end = log.at(-1);
  if (start?.kind !== 'start' || end?.kind !== 'end' || failedByOthers(log, seats)) return [];
  const { prompt, game = prompt, task, key, scale, environment = start.environment } = options;
  const existing = comparisonKey(log, start, options);
  return seats.map((seat) => {
    const { turns, invalid } = turnsOf(log, seat, existing.positions);
    return {
      ...{ environment, seat, prompt, game },
      ...(task !== undefined && { task }),
      ...(key !== undefined && { key }),
      turns,
      returned: (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0),
      invalid,
      truncated: end.reason === 'limit',
      ...(scale !== undefined && { scale }),
      ...existing.fields,
    };
  });
}

interface Known {
  readonly fields: Pick<EpisodeSample, 'deal' | 'opponents'>;
  /** The position key before each event of the log. */
  readonly positions: readonly string[] | null;
}

function comparisonKey(log: readonly EpisodeEvent[], { seed, cast }: StartEvent, { compare }: EpisodeSampleOptions): Known {
  if (compare === undefined) return { fields: {}, positions: null };
  const { by, deals, learner } = compare;
  const deal = by.includes('deal') || by.includes('position') ? deals.of(seed) : 0;
  const fields = {
    ...(by.includes('deal') && { deal }),
    ...(by.includes('opponents') && {
      opponents: Object.values(cast)
        .filter((name) => name !== learner)
        .join(' '),
    }),
  };
  if (!by.includes('position')) return { fields, positions: null };
  let position = `${deal}`;
  const positions = log.map((event) => {
    const here = position;
    if (event.kind === 'action') position += `/${event.action.text}`;
    return here;
  });
  return { fields, positions };
}

function turnsOf(
  log: readonly EpisodeEvent[],
  seat: Seat,
  positions: readonly string[] | null,
): { readonly turns: readonly TurnSample[]; readonly invalid: number } {
  const turns: { -readonly [K in keyof TurnSample]: TurnSample[K] }[] = [];
  let [before, fined, invalid] = [0, 0, 0];
  log.forEach((event, at) => {
    if (event.kind === 'action' && event.seat === seat) {
      for (const { promptTokenIds: read = [], tokenIds: written = [], logprobs = [], version } of event.calls ?? [])
        turns.push({
          read,
          written,
          logprobs,
          reward: 0,
          penalty: 0,
          at,
          ...(positions !== null && { position: positions[at] }),
          ...(version !== undefined && { version }),
        });
    } else if (event.kind === 'reward') {
      const penalty = event.penalties?.[seat] ?? 0;
      const reward = event.rewards[seat] ?? 0;
      if (penalty > 0) invalid++;
      const last = turns.at(-1);
      // Rewards before the first turn are added to the first turn.
      if (last === undefined) {
        before += reward;
        fined += penalty;
      } else {
        last.reward += reward;
        last.penalty += penalty;
      }
    }
  });
  const [first, ...rest] = turns;
  if (first === undefined || (before === 0 && fined === 0)) return { turns, invalid };
  return { turns: [{ ...first, reward: first.reward + before, penalty: first.penalty + fined }, ...rest], invalid };
}

const states = new WeakMap<readonly number[], string>();

/** The input before a turn as a key, equal for equal views. */
export function stateOf({ read }: Pick<TurnSample, 'read'>): string {
  let state = states.get(read);
  if (state === undefined) {
    state = read.join(' ');
    states.set(read, state);
  }
  return state;
}

/** A turn as a row with the written tokens under the mask. */
export function rowOfTurn({ read, written, logprobs }: TurnSample) {
  return {
    tokens: [...read, ...written],
    mask: [...read.map(() => 0), ...written.map(() => 1)],
    logprobs: [...read.map(() => 0), ...logprobs],
  };
}

/** One for all tokens of a turn, or one for each written token. */
export type TurnAdvantage = number | ArrayLike<number>;

/** Turns as rows, with their advantages on the written tokens. */
export function rowsOf(turns: readonly TurnSample[], advantages: ArrayLike<TurnAdvantage>): readonly TokenRow[] {
  return turns.map((turn, i) => {
    const advantage = advantages[i];
    const row = rowOfTurn(turn);
    let written = 0;
    const along = (bit: number) => (bit === 0 ? 0 : typeof advantage === 'number' ? advantage : advantage[written++]);
    return { ...row, advantages: row.mask.map(along) };
  });
}

/**
 * Weights the advantages of other players' answers by the learner's probability of each token: the derivative of p / (p + γ) with respect
 * to log p, γ·p / (p + γ)².
 */
export function shapeSample(
  episodes: readonly EpisodeSample[],
  advantages: readonly ArrayLike<TurnAdvantage>[],
): readonly ArrayLike<TurnAdvantage>[] {
  if (episodes.every(({ turns }) => turns.every(({ shape }) => shape === undefined))) return advantages;
  return advantages.map((list, i) =>
    Array.from(list, (turnAdvantage, t) => {
      const { shape, logprobs } = episodes[i].turns[t];
      if (shape === undefined) return turnAdvantage;
      return logprobs.map(
        (logprob, at) => (typeof turnAdvantage === 'number' ? turnAdvantage : turnAdvantage[at]) * slopeOf(Math.exp(logprob), shape),
      );
    }),
  );
}

function slopeOf(chance: number, shape: number): number {
  return (shape * chance) / (chance + shape) ** 2;
}
