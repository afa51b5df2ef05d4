/** @file Turns logs into training samples: for every episode of a learner's seat, its turns with their tokens and rewards. */

import type { EpisodeEvent, Seat, StartEvent, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import type { ChanceSeeds } from './chance-seeds.ts';
import { failedByOthers } from './failed-games.ts';
import type { GroupField } from './recipe.ts';

/** One turn of a seat that the learner played. Plain data: it can be kept in a checkpoint. */
export type TurnSample = {
  /** What the learner read: rules, other seats, tools. It is never trained. */
  readonly read: readonly number[];
  /** What it wrote. */
  readonly written: readonly number[];
  /** What the sampling policy gave each token that was written. */
  readonly logprobs: readonly number[];
  /** What the environment paid for it, and what it took for a broken rule. */
  readonly reward: number;
  readonly penalty: number;
  /** What judges gave it, by channel. */
  readonly channels?: Readonly<Record<string, number>>;
  /** Its place in the log. */
  readonly at: number;
  /** What chance and all seats have done before it, as a key, where turns are compared by that. */
  readonly position?: string;
  /** Updates that the weights had had when they sampled it, where that differs within a batch. */
  readonly version?: number;
  /** γ of p / (p + γ), where another's answer is learned by that (AMPO). */
  readonly shape?: number;
};

export type EpisodeSample = {
  readonly environment: string;
  readonly seat: Seat;
  /** The group of episodes it was played in. */
  readonly prompt: number;
  /** Its number among the games of an update: seats of one game have the same. */
  readonly game: number;
  /** The number of its task among those that are chosen from, where they are. */
  readonly task?: number;
  /** What its task is known by, where successes are kept by task: its number, what chance did first, or its seed. */
  readonly key?: string;
  readonly turns: readonly TurnSample[];
  /** The whole return, penalties taken off. */
  readonly returned: number;
  /** Whether it broke the rules, by turn that was penalized. */
  readonly invalid: number;
  /** Cut off by a limit, which is not the same as over. */
  readonly truncated: boolean;
  /** Turns of the whole game, where the length of others depends on it. */
  readonly length?: number;
  /** How much a reward of this environment counts next to those of others; 1 unless set. */
  readonly scale?: number;
  /** The share of the others of its group that it beats, where a preference function says so. */
  readonly won?: number;
  /** What chance did first, and who played the other seats, where episodes are compared by that. */
  readonly deal?: number;
  readonly opponents?: string;
};

export interface EpisodeSampleOptions {
  readonly prompt: number;
  readonly game?: number;
  readonly task?: number;
  readonly key?: string;
  /** What the environment is called in comparisons; its id unless set. */
  readonly environment?: string;
  readonly scale?: number;
  /** What turns are compared by, with what it takes to tell deals and the learner apart. */
  readonly compare?: { readonly by: readonly GroupField[]; readonly deals: ChanceSeeds; readonly learner: string };
}

/** The learner's seats of a finished log. `seats` names them; others' words are in no sample, and a game that others ended by failing is none. */
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
  /** Before each event of the log. */
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
      // What is paid before the first turn was not earned by any; it goes to the first.
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

/** What was read before a turn, as a key: the same for the same view. */
export function stateOf({ read }: Pick<TurnSample, 'read'>): string {
  let state = states.get(read);
  if (state === undefined) {
    state = read.join(' ');
    states.set(read, state);
  }
  return state;
}

/** A turn as a row, what was written under the mask. */
export function rowOfTurn({ read, written, logprobs }: TurnSample) {
  return {
    tokens: [...read, ...written],
    mask: [...read.map(() => 0), ...written.map(() => 1)],
    logprobs: [...read.map(() => 0), ...logprobs],
  };
}

/** One for all tokens of a turn, or one for each that was written. */
export type TurnAdvantage = number | ArrayLike<number>;

/** Turns as rows, with their advantages on the tokens that were written. */
export function rowsOf(turns: readonly TurnSample[], advantages: ArrayLike<TurnAdvantage>): readonly TokenRow[] {
  return turns.map((turn, i) => {
    const advantage = advantages[i];
    const row = rowOfTurn(turn);
    let written = 0;
    const along = (bit: number) => (bit === 0 ? 0 : typeof advantage === 'number' ? advantage : advantage[written++]);
    return { ...row, advantages: row.mask.map(along) };
  });
}

/** Advantages of answers of others, by how likely the learner finds each token: the slope of p / (p + γ) in log p, γ·p / (p + γ)². */
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
