/**
 * @file Scores episodes in order of cost: rules first, then small models, then judges, and those only for what is still undecided.
 *
 * Episodes are scored a few at a time, results of models are kept under the hash of all they depend on, and a failure in a scorer is a
 * score with a reason.
 */

import type {
  Cost,
  Episode,
  Json,
  Rng,
  Score,
  ScoreInput,
  Scorer,
  ScoreStatus,
  Seat,
  Store,
} from '@ludus-agents/kernel/internal/core/index';
import { BudgetCounter, currentBudget, hash, rng, sentenceOf, withBudget } from '@ludus-agents/kernel/internal/core/index';
import { free, RuleCases, ruleOf, withTrueQuotes } from './scorer.ts';

/** An episode and what its scorers may know besides the log. */
export type Subject = Omit<ScoreInput, 'episodes' | 'rng'> & { readonly episode: Episode };

/** Where results of small models and judges are kept; a rule is quicker than looking it up. */
export interface ScoreCache {
  get(key: string): Promise<readonly Score[] | undefined>;
  set(key: string, scores: readonly Score[]): Promise<void>;
}

export interface ScoreOptions {
  readonly scorers: readonly Scorer[];
  readonly store?: Pick<Store, 'putScores'> | undefined;
  readonly cache?: ScoreCache | undefined;
  /** Episodes at once; only scorers that wait gain from more than one. */
  readonly concurrency?: number | undefined;
  /** Once this is spent, scorers that cost something are no longer called, and their scores have the status "over-budget". */
  readonly budget?: { readonly calls?: number; readonly tokens?: number; readonly money?: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface EpisodeScores {
  readonly episode: string;
  readonly scores: readonly Score[];
}

const order: Readonly<Record<Scorer['tier'], number>> = { rule: 0, small: 1, judge: 2 };

/** Scores subjects as they come, in their order; each result is in the store before it is given out. */
export async function* scoreEpisodes(
  subjects: Iterable<Subject> | AsyncIterable<Subject>,
  options: ScoreOptions,
): AsyncGenerator<EpisodeScores, void, undefined> {
  const { store, concurrency = 4, signal = new AbortController().signal } = options;
  const scorers = [...options.scorers].sort((a, b) => order[a.tier] - order[b.tier]);
  const desk: Desk = { scorers, cache: options.cache, budget: options.budget ?? {}, spent: { calls: 0, tokens: 0, money: 0 } };
  const purse = options.budget === undefined ? undefined : new BudgetCounter(options.budget, { parent: currentBudget() });
  const scoreSubject = async (subject: Subject): Promise<EpisodeScores> => {
    const scoreOnce = () => scoreOne(desk, subject, signal);
    const scores = await (purse === undefined ? scoreOnce() : withBudget(purse, scoreOnce));
    await store?.putScores(subject.episode.id, scores);
    return { episode: subject.episode.id, scores };
  };
  const running: Promise<EpisodeScores>[] = [];
  try {
    for await (const subject of subjects) {
      signal.throwIfAborted();
      running.push(scoreSubject(subject));
      if (running.length >= Math.max(1, concurrency)) yield await (running.shift() as Promise<EpisodeScores>);
    }
    while (running.length > 0) yield await (running.shift() as Promise<EpisodeScores>);
  } finally {
    // A consumer that leaves early leaves nothing unhandled behind.
    await Promise.allSettled(running);
  }
}

interface Desk {
  readonly scorers: readonly Scorer[];
  readonly cache: ScoreCache | undefined;
  readonly budget: NonNullable<ScoreOptions['budget']>;
  readonly spent: { calls: number; tokens: number; money: number };
}

async function scoreOne(desk: Desk, subject: Subject, signal: AbortSignal): Promise<readonly Score[]> {
  const { episode, ...rest } = subject;
  const all: Score[] = [];
  const observation = { ...rest, episodes: [episode] };
  const cases = new RuleCases(observation);
  for (const scorer of desk.scorers) {
    if (scorer.settles === undefined && scoredNow(scorer, cases, all)) continue;
    const input: ScoreInput = { ...observation, rng: diceFor(episode, scorer) };
    for (const scoreInput of inputsFor(scorer, input, all))
      for (const score of await ask(desk, scorer, scoreInput, signal)) all.push(score);
  }
  return all;
}

/** Adds the scores of a rule, and says whether it could: one that fails is asked as any other scorer, and its failure becomes a score. */
function scoredNow(scorer: Scorer, cases: RuleCases, all: Score[]): boolean {
  try {
    const scores = ruleOf(scorer)?.(cases);
    for (const score of scores ?? []) all.push(score);
    return scores !== undefined;
  } catch {
    return false;
  }
}

/** The inputs of a scorer: the subject or, if it settles undecided scores of another scorer, each seat that has one. */
function inputsFor(scorer: Scorer, input: ScoreInput, before: readonly Score[]): readonly ScoreInput[] {
  if (scorer.settles === undefined) return [input];
  const open = before.filter(
    ({ name, status }) => status === 'undecided' && (name === scorer.settles || name.startsWith(`${scorer.settles}/`)),
  );
  const seats = [...new Set(open.map(({ seat }) => seat))];
  return seats.map((seat) => (seat === undefined ? input : { ...input, seat, ...personaFor(input, seat) }));
}

function personaFor({ personas }: ScoreInput, seat: Seat): { readonly persona?: Json } {
  const persona = personas?.[seat];
  return persona === undefined ? {} : { persona };
}

/** Dice that depend on the episode and the scorer alone, so that scores do not depend on the order of work. */
function diceFor({ id }: Episode, { name }: Scorer): Rng {
  return rng(0, 'score', name, id);
}

function ask(desk: Desk, scorer: Scorer, input: ScoreInput, signal: AbortSignal): Promise<readonly Score[]> {
  return scorer.tier === 'rule' ? attempt(scorer, input, signal) : askPaid(desk, scorer, input, signal);
}

/** Asks one that takes time or money, unless its answer is known or nothing is left to spend. */
async function askPaid(desk: Desk, scorer: Scorer, input: ScoreInput, signal: AbortSignal): Promise<readonly Score[]> {
  const cache = scorer.identity === undefined ? undefined : desk.cache;
  const key = cache === undefined ? '' : keyOf(scorer, input);
  const knownScores = await cache?.get(key);
  if (knownScores !== undefined) return knownScores;
  if (overspent(desk)) return [missing(scorer, input, { status: 'over-budget', reason: 'The budget for scoring is spent.' })];
  const scores = await attempt(scorer, input, signal);
  for (const { cost } of scores) pay(desk, cost);
  // A failure is not a result: the next run may have more luck, or more money.
  if (!scores.some(({ status }) => status === 'error' || status === 'judge-failed' || status === 'over-budget'))
    await cache?.set(key, scores);
  return scores;
}

/**
 * An exception becomes a score with its reason. A scorer that fails over all seats is called seat by seat: those it can score keep their
 * score.
 */
async function attempt(scorer: Scorer, input: ScoreInput, signal: AbortSignal): Promise<readonly Score[]> {
  try {
    const scores = await scorer.score(input, signal);
    // Judges check their quotes themselves and ask again.
    return scorer.tier === 'judge' ? scores : scores.map((score) => withTrueQuotes(score, input.episodes));
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const seats = input.seat === undefined && scorer.tier !== 'judge' ? seatsIn(input) : [];
    if (seats.length === 0) return [missing(scorer, input, { status: 'error', reason: sentenceOf(thrown) })];
    const scores: Score[] = [];
    for (const seat of seats) {
      const inputScores = await attempt(scorer, { ...input, seat, ...personaFor(input, seat) }, signal);
      scores.push(...inputScores.filter((score) => score.seat === seat));
    }
    return scores.length > 0 ? scores : [missing(scorer, input, { status: 'error', reason: sentenceOf(thrown) })];
  }
}

function seatsIn({ episodes }: ScoreInput): readonly Seat[] {
  const [first] = episodes[0]?.events ?? [];
  return first?.kind === 'start' ? first.seats : [];
}

function missing({ name }: Scorer, { seat }: ScoreInput, why: { readonly status: ScoreStatus; readonly reason: string }): Score {
  return { name, value: null, ...why, evidence: [], cost: free, ...(seat === undefined ? {} : { seat }) };
}

/** The hash of everything a score depends on, the scorer's own identity included. */
export function keyOf({ name, identity = '' }: Scorer, input: ScoreInput): string {
  const { episodes, seat = null, persona = null, personas = {}, reference = null } = input;
  return hash({
    scorer: [name, identity],
    episodes: episodes.map(({ events }) => events as Json),
    seat,
    persona,
    personas,
    reference,
  });
}

function overspent({ budget, spent }: Desk): boolean {
  return (
    spent.calls >= (budget.calls ?? Number.POSITIVE_INFINITY) ||
    spent.tokens >= (budget.tokens ?? Number.POSITIVE_INFINITY) ||
    spent.money >= (budget.money ?? Number.POSITIVE_INFINITY)
  );
}

function pay({ spent }: Desk, { calls, promptTokens, completionTokens, money }: Cost): void {
  spent.calls += calls;
  spent.tokens += promptTokens + completionTokens;
  spent.money += money ?? 0;
}
