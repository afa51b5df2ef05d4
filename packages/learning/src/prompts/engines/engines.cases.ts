/** @file Runs engines over small trial environments, for tests. */

import type { AgentSpec, Json } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { Archive } from '../archive.ts';
import { type Candidate, createFirstCandidate } from '../candidate.ts';
import type { Engine, Happening, Proposer } from '../engine.ts';
import { Evaluator, type EvaluatorParts, OutOfBudget } from '../evaluator.ts';
import { type GateRule, gateRules } from '../gate.ts';

export interface Trialled extends Omit<EvaluatorParts, 'engine' | 'budget'> {
  readonly engine: Engine;
  readonly start: AgentSpec;
  readonly proposer: Proposer;
  readonly calls: number;
  readonly gate?: GateRule;
  readonly settings?: Json;
}

export interface Trialling {
  readonly best: Candidate;
  readonly select: number;
  readonly archive: Archive;
  readonly evaluator: Evaluator;
  readonly happenings: readonly Happening[];
}

/** Runs an engine until its calls are spent. */
export async function trialled({
  engine,
  start,
  proposer,
  calls,
  gate = gateRules.ours,
  settings = {},
  ...parts
}: Trialled): Promise<Trialling> {
  const evaluator = new Evaluator({ ...parts, engine: engine.name, budget: { calls } });
  const archive = new Archive(engine.name);
  const dice = (...path: readonly (string | number)[]) => rng(parts.seed, engine.name, ...path);
  const happenings: Happening[] = [];
  const common = { gate, repeats: 1, dice, locked: parts.locked ?? [], signal: new AbortController().signal };
  try {
    for await (const happening of engine.run(
      { start: createFirstCandidate(start), archive, bench: evaluator, proposer, ...common },
      settings,
    ))
      happenings.push(happening);
  } catch (thrown) {
    if (!(thrown instanceof OutOfBudget)) throw thrown;
  }
  const last = happenings.findLast((happening) => happening.kind === 'best');
  if (last === undefined) throw new Error('The engine gave no answer.');
  return { best: last.candidate, select: last.score, archive, evaluator, happenings };
}
