/** @file Logs written by hand, for tests of scorers: who says what to whom, in a line each. */

import {
  type AnyEnvironment,
  type Episode,
  type EpisodeEvent,
  type Json,
  rng,
  type Score,
  type ScoreInput,
  type Scorer,
  type Script,
  type Seat,
  scriptedPolicy,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { ruleScorer, type ScoringRule } from './scorer.ts';

export interface Written {
  readonly environment?: string;
  readonly task?: Json;
  readonly seats: readonly Seat[];
  readonly returns?: Readonly<Record<Seat, number>>;
  readonly reason?: 'over' | 'limit' | 'error' | 'abort';
  readonly events?: readonly EpisodeEvent[];
  readonly id?: string;
}

export function episode({ environment = 'stage@1', task = {}, seats, returns, reason = 'over', events = [], id = 'e1' }: Written): Episode {
  const none = Object.fromEntries(seats.map((seat) => [seat, 0]));
  const cast = Object.fromEntries(seats.map((seat) => [seat, 'someone']));
  const turns = events.filter(({ kind }) => kind === 'turn').length;
  return {
    id,
    events: [
      { kind: 'start', environment, task, seed: 1, seats, cast },
      ...events,
      { kind: 'end', reason, returns: returns ?? none, penalties: none, turns },
    ],
  };
}

export const note = (data: Json, text = 'note'): EpisodeEvent => ({ kind: 'message', to: [], text, data });
export const tell = (to: Seat, text: string, data?: Json): EpisodeEvent => ({
  kind: 'message',
  to: [to],
  text,
  ...(data === undefined ? {} : { data }),
});
export const act = (seat: Seat, text: string, data?: Json): EpisodeEvent => ({
  kind: 'action',
  seat,
  action: data === undefined ? { text } : { text, data },
});

/** A turn in which one seat speaks and others read it. */
export function speak(seat: Seat, text: string, to: readonly Seat[]): readonly EpisodeEvent[] {
  return [{ kind: 'turn', asks: [{ seat }] }, act(seat, text), { kind: 'message', to, from: seat, text }];
}

export const never: AbortSignal = new AbortController().signal;

export function inputOf(episodes: Episode | readonly Episode[], rest: Partial<Omit<ScoreInput, 'episodes'>> = {}): ScoreInput {
  const list: readonly Episode[] = 'id' in episodes ? [episodes] : episodes;
  return { episodes: list, rng: rng(1, 'test'), ...rest };
}

export async function scoresOf(rule: ScoringRule, input: ScoreInput): Promise<readonly Score[]> {
  return ruleScorer(rule).score(input, never);
}

/** The score of one seat, or of the episode. */
export async function scoreOf(rule: ScoringRule, input: ScoreInput): Promise<Score> {
  const scores = await scoresOf(rule, input);
  if (scores.length !== 1) throw new Error(`one score was expected, but ${scores.length} came`);
  return scores[0]!;
}

/** A scorer of any tier whose answer is given. */
export function fixedScorer(name: string, tier: Scorer['tier'], scores: readonly Partial<Score>[], rest: Partial<Scorer> = {}): Scorer {
  const cost = { calls: tier === 'rule' ? 0 : 1, promptTokens: 10, completionTokens: 1, money: 0.01 };
  return {
    name,
    tier,
    ...rest,
    score: async () => scores.map((score) => ({ name, value: 1, status: 'ok', evidence: [], cost, ...score })),
  };
}

// ── played ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const phrases = [
  'I think we should talk about it.',
  'What do you say?',
  'No.',
  'By the tide, mind your boots, love.',
  'confidence: 70',
  '',
];

/** Plays a choice, or says something where there is none; now and then, something that is no move at all. */
function anyone({ ask, rng: dice }: Turn): { text: string } {
  if (dice.int(12) === 0) return { text: 'none of these' };
  return { text: ask.choices === undefined || ask.choices.length === 0 ? dice.pick(phrases) : dice.pick(ask.choices) };
}

/** Logs of an environment under its own scripts where it has them for a seat, and under random play. */
export async function logsOf(environment: AnyEnvironment, task: Json, seeds: readonly number[]): Promise<readonly Episode[]> {
  const seats = environment.seats(environment.task(task));
  const casts: Script[][] = [seats.map(() => anyone), seats.map((seat) => environment.scripts?.[seat] ?? anyone)];
  const logs: Episode[] = [];
  for (const [c, scripts] of casts.entries()) {
    const policies = Object.fromEntries(seats.map((seat, i) => [seat, scriptedPolicy('player', scripts[i]!)]));
    const played = await rollout(environment, policies, { seeds, task, limits: { turns: 60 } });
    for (const [i, events] of played.entries()) logs.push({ id: `${environment.id} ${c} ${seeds[i]}`, events });
  }
  return logs;
}
