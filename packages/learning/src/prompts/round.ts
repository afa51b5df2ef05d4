/**
 * @file A light round of text improvement with the current weights: an engine on a small budget, and its front of texts.
 *
 * The fast channel of fast–slow training. Scores of one round are never used in another, because the weights have changed.
 */

import type { AgentSpec, Json } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { Archive } from './archive.ts';
import { type Candidate, createFirstCandidate } from './candidate.ts';
import type { Engine, Proposer } from './engine.ts';
import { Evaluator, type EvaluatorParts, OutOfBudget, type TrialRunner } from './evaluator.ts';
import { type GateRule, gateRules } from './gate.ts';
import { frontWeights, meanScore, type Scores } from './pareto.ts';
import { byTask } from './trial-scores.ts';

export interface RoundParts extends Omit<EvaluatorParts, 'engine' | 'budget'> {
  readonly engine: Engine;
  readonly settings?: Json;
  readonly proposer: Proposer;
  readonly start: AgentSpec;
  readonly calls: number;
  readonly gate?: GateRule;
  /** The maximum number of texts in the front. */
  readonly most?: number;
}

/** The specs of one round of text improvement: the engine's answer first, then all others that are best at some select task. */
export async function lightRound({
  engine,
  settings = {},
  proposer,
  start,
  calls,
  most = 4,
  ...parts
}: RoundParts): Promise<readonly AgentSpec[]> {
  const { gate = gateRules.ours, ...evaluating } = parts;
  const bench = new Evaluator({ ...evaluating, engine: engine.name, budget: { calls } });
  const archive = new Archive(engine.name);
  const dice = (...path: readonly (string | number)[]) => rng(parts.seed, 'round', engine.name, ...path);
  const common = { gate, repeats: 1, dice, locked: parts.locked ?? [], signal: parts.signal ?? new AbortController().signal };
  let best: Candidate = createFirstCandidate(start);
  try {
    for await (const happening of engine.run({ start: best, archive, bench, proposer, ...common }, settings))
      if (happening.kind === 'best') best = happening.candidate;
  } catch (thrown) {
    if (!(thrown instanceof OutOfBudget)) throw thrown;
  }
  return frontOf(best, { candidates: archive.candidates, bench, most }).map(({ spec }) => spec);
}

export interface FrontParts {
  /** The possible members; all with the same weights. */
  readonly candidates: readonly Candidate[];
  readonly bench: TrialRunner;
  readonly most: number;
}

/** The answer first, then all others that are best at something, in order of their means. */
export function frontOf(best: Candidate, { candidates, bench, most }: FrontParts): readonly Candidate[] {
  const scores = scoresIn(candidates, bench);
  const knownEntries = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const others = [...frontWeights(scores).keys()]
    .filter((id) => id !== best.id)
    .sort((a, b) => meanScore(scores, b) - meanScore(scores, a));
  return [best, ...others.map((id) => knownEntries.get(id) as Candidate)].slice(0, most);
}

/** Select scores by task of every candidate that has one for each. */
function scoresIn(candidates: readonly Candidate[], bench: TrialRunner): Scores {
  const tasks = Array.from({ length: bench.tasks.select }, (_, task) => task);
  const rows = candidates.map(({ id }) => {
    const means = byTask(bench.seen(id, 'select'));
    return [id, tasks.map((task) => means.get(task) ?? null)] as const;
  });
  return new Map(rows.filter(([, row]) => row.every((score) => score !== null)));
}
