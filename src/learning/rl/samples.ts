/** @file Turns logs into training samples: for every episode of a learner's seat, its turns with their tokens and rewards. */

import type { EpisodeEvent, Seat, TokenRow } from '../../core/index.ts';

/** One turn of a seat that the learner played. Plain data: it can be kept in a checkpoint. */
export type TurnSample = {
  readonly tokens: readonly number[];
  /** 1 on what the learner wrote. What it read — rules, other seats, tools — is 0 and never trained. */
  readonly mask: readonly number[];
  /** What the sampling policy gave each token. */
  readonly logprobs: readonly number[];
  readonly reward: number;
  /** What was read before the turn, as a key: the same for the same view. */
  readonly state: string;
};

export type EpisodeSample = {
  readonly environment: string;
  readonly seat: Seat;
  /** The group of episodes it was played in. */
  readonly prompt: number;
  /** The number of its task among those that are chosen from, where they are. */
  readonly task?: number;
  readonly turns: readonly TurnSample[];
  /** The whole return, penalties taken off. */
  readonly returned: number;
  /** Whether it broke the rules, by turn that was penalised. */
  readonly invalid: number;
  /** Cut off by a limit, which is not the same as over. */
  readonly truncated: boolean;
};

/** The learner's seats of a finished log. `seats` names them; others' words are in no sample. */
export function samplesOf(
  log: readonly EpisodeEvent[],
  seats: readonly Seat[],
  { prompt, task }: { readonly prompt: number; readonly task?: number },
): readonly EpisodeSample[] {
  const [start] = log;
  const end = log.at(-1);
  if (start?.kind !== 'start' || end?.kind !== 'end') return [];
  return seats.map((seat) => {
    const { turns, invalid } = turnsOf(log, seat);
    const returned = (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0);
    return {
      environment: start.environment,
      seat,
      prompt,
      ...(task !== undefined && { task }),
      turns,
      returned,
      invalid,
      truncated: end.reason === 'limit',
    };
  });
}

function turnsOf(log: readonly EpisodeEvent[], seat: Seat): { readonly turns: readonly TurnSample[]; readonly invalid: number } {
  const turns: TurnSample[] = [];
  let [before, invalid] = [0, 0];
  for (const event of log) {
    if (event.kind === 'action' && event.seat === seat) {
      for (const call of event.calls ?? []) {
        const [read, written] = [call.promptTokenIds ?? [], call.tokenIds ?? []];
        turns.push({
          tokens: [...read, ...written],
          mask: [...read.map(() => 0), ...written.map(() => 1)],
          logprobs: [...read.map(() => 0), ...(call.logprobs ?? [])],
          reward: 0,
          state: read.join(' '),
        });
      }
    } else if (event.kind === 'reward') {
      const penalty = event.penalties?.[seat] ?? 0;
      const paid = (event.rewards[seat] ?? 0) - penalty;
      if (penalty > 0) invalid++;
      const last = turns.pop();
      // What is paid before the first turn was not earned by any; it goes to the first.
      if (last === undefined) before += paid;
      else turns.push({ ...last, reward: last.reward + paid });
    }
  }
  const [first, ...rest] = turns;
  return { turns: first === undefined ? [] : [{ ...first, reward: first.reward + before }, ...rest], invalid };
}

/** One for all tokens of a turn, or one for each that was written. */
export type TurnAdvantage = number | ArrayLike<number>;

/** Turns as rows, with their advantages on the tokens that were written. */
export function rowsOf(turns: readonly TurnSample[], advantages: ArrayLike<TurnAdvantage>): readonly TokenRow[] {
  return turns.map(({ tokens, mask, logprobs }, i) => {
    const advantage = advantages[i] as TurnAdvantage;
    let written = 0;
    const along = (bit: number) => (bit === 0 ? 0 : typeof advantage === 'number' ? advantage : (advantage[written++] as number));
    return { tokens, mask, logprobs, advantages: mask.map(along) };
  });
}
