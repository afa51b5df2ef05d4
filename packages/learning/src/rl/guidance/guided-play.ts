/**
 * @file Play under guidance, and training on it. The learner is shown a hint that no other seat sees; the log only has its moves, and rows
 * are built from the log without the hint, so that the answer is trained without the help.
 */

import type { Agent, AnyEnvironment, EpisodeEvent, Learner, Policy, Rng, Seat, Turn } from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { turnsInLog } from '../log-turns.ts';
import { withSalt } from '../rollouts.ts';
import type { EpisodeSample } from '../samples.ts';
import { toDemonstrationRow } from '../warm-up.ts';

/** Where guided episodes are played. */
export interface GuidedPlace {
  readonly environment: AnyEnvironment;
  readonly learner: Learner;
  /** How the learner plays. */
  readonly policy: Policy;
  /** The policies on the other seats. */
  readonly others: Readonly<Record<Seat, Policy>>;
}

/** The teacher's advice for the seat at a turn; null if it has none. */
type Advice = (turn: Turn) => string | null | Promise<string | null>;

export interface Heeding {
  readonly advice: Advice;
  /** The probability that a learner that chooses among listed moves takes a suggested one; a learner that reads text decides itself. */
  readonly heed: number;
}

/** The learner with a hint in its view. A table cannot read the hint: it takes the suggested move with the probability `heed`. */
function guidedPolicy({ learner, policy }: Pick<GuidedPlace, 'learner' | 'policy'>, { advice, heed }: Heeding): Policy {
  const reads = learner.rowFor !== undefined;
  return {
    name: policy.name,
    act: (turns) =>
      Promise.all(
        turns.map(async (turn) => {
          const observation = await advice(turn);
          const plain = async () => (await policy.act([turn]))[0];
          if (observation === null) return plain();
          if (reads) return (await policy.act([withHint(turn, observation)]))[0];
          return (turn.ask.choices ?? []).includes(observation) && turn.rng.next() < heed ? { action: { text: observation } } : plain();
        }),
      ),
  };
}

/** A turn with a hint as its last message. */
export function withHint(turn: Turn, observation: string): Turn {
  const { seat, seen } = turn.view;
  return { ...turn, view: { seat, seen: [...seen, { kind: 'message', to: [seat], from: 'teacher', text: `Hint: ${observation}` }] } };
}

/** Replays the failed episode from one of its turns on, or from its start, with guidance for one seat. */
export async function playGuided(
  place: GuidedPlace,
  log: readonly EpisodeEvent[],
  { seat, at, salt, ...heeding }: Heeding & { readonly seat: Seat; readonly at: number | null; readonly salt: number },
): Promise<readonly EpisodeEvent[]> {
  const { environment, policy, others } = place;
  const [start] = log;
  if (start?.kind !== 'start') return log;
  const mine = withSalt(guidedPolicy(place, heeding), salt);
  const cast = Object.fromEntries(start.seats.map((otherSeat) => [otherSeat, otherSeat === seat ? mine : (others[otherSeat] ?? policy)]));
  if (at === null) return (await rollout(environment, cast, { seeds: [start.seed], task: start.task }))[0];
  const agents = Object.fromEntries(Object.entries(cast).map(([item, policy]) => [item, agentOf(policy)]));
  return Array.fromAsync(fork(environment, log, at, agents));
}

/** A policy as an agent of one episode. */
export function agentOf(policy: Policy): Agent {
  return { name: policy.name, act: async (turn) => (await policy.act([turn]))[0] };
}

/** A seat's episode as if the learner had played it without help: its answers at the states it saw, with its current log-probabilities. */
export async function sampleWithoutHelp(
  learner: Learner,
  log: readonly EpisodeEvent[],
  like: EpisodeSample,
): Promise<EpisodeSample | null> {
  const end = log.at(-1);
  const turns = turnsInLog(log, [like.seat]);
  if (end?.kind !== 'end' || turns.length === 0) return null;
  if (learner.rowFor === undefined && turns.some(({ turn, action }) => !(turn.ask.choices ?? []).includes(action.text))) return null;
  const rows = turns.map(({ turn, action }) => toDemonstrationRow(learner, turn, action.text));
  const logprobs = await learner.logprobs(rows);
  const part = (list: ArrayLike<number>, mask: ArrayLike<number>, bit: number) => Array.from(list).filter((_, i) => mask[i] === bit);
  const { environment, seat, prompt, game, task, key, scale } = like;
  return {
    ...{ environment, seat, prompt, game },
    ...(task !== undefined && { task }),
    ...(key !== undefined && { key }),
    ...(scale !== undefined && { scale }),
    turns: turns.map(({ reward, penalty, at }, i) => {
      const { tokens, mask } = rows[i];
      return { read: part(tokens, mask, 0), written: part(tokens, mask, 1), logprobs: part(logprobs[i], mask, 1), reward, penalty, at };
    }),
    returned: (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0),
    invalid: turns.filter(({ penalty }) => penalty > 0).length,
    truncated: end.reason === 'limit',
  };
}

/** Groups of a batch by prompt and seat, as indices in the list of episodes. */
export function groupsOf(episodes: readonly EpisodeSample[]): readonly (readonly number[])[] {
  return [...Map.groupBy(episodes.keys(), (i) => `${episodes[i]?.prompt}/${episodes[i]?.seat}`).values()];
}

/** Replaces some episodes, drawn at random, by others. */
export function replaceTurns(
  episodes: readonly EpisodeSample[],
  members: readonly number[],
  { by, dice }: { readonly by: readonly EpisodeSample[]; readonly dice: Rng },
): readonly EpisodeSample[] {
  const out = [...episodes];
  const places = dice.shuffle(members).slice(0, by.length);
  places.forEach((place, i) => {
    const { prompt, game } = episodes[place];
    out[place] = { ...by[i], prompt, game };
  });
  return out;
}
