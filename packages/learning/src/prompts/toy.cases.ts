/**
 * @file Small trial environments for tests: a score computed from a spec and a trial, and the environment of rules in which reflection is
 * measured.
 */

import { type AgentSpec, type Cost, type Lesson, rng, type Score } from '@ludus-agents/kernel/internal/core/index';
import { componentsOf, withComponents } from './components.ts';
import type { Proposer } from './engine.ts';
import type { Trial, TrialEnvironment } from './evaluator.ts';
import type { TrialRecord } from './trial-ledger.ts';

const free: Cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

export interface ToyGround extends TrialEnvironment {
  /** Every play that was really made. */
  readonly made: readonly Trial[];
}

interface ToyCosts {
  /** What every play costs, or a play of each spec. */
  readonly cost?: Cost;
  readonly costOf?: (spec: AgentSpec) => Cost;
  readonly parts?: (task: number) => Readonly<Record<string, number>>;
}

/** A trial environment whose scores are computed; `parts` shows a proposer what went into one. */
export function toyGround(
  score: (spec: AgentSpec, trial: Trial) => number | null,
  { cost = free, costOf = () => cost, parts = () => ({}) }: ToyCosts = {},
): ToyGround {
  const trials: Trial[] = [];
  return {
    identity: 'toy',
    made: trials,
    async play(spec, trial) {
      trials.push(trial);
      const value = score(spec, trial);
      return { score: value, status: value === null ? 'model failed' : 'ok', cost: costOf(spec) };
    },
    async lesson({ key, score: value, task }: TrialRecord): Promise<Lesson> {
      const visibleScore: Score = { name: 'score', value, status: 'ok', parts: parts(task), evidence: [], cost: free };
      return { episode: { id: key, events: [] }, seat: 'toy', scores: [visibleScore] };
    },
  };
}

/** A spec of one text. */
export function toySpec(text: string, more: Readonly<Record<string, string>> = {}): AgentSpec {
  return { name: 'toy', kind: 'toy', texts: { instruction: text, ...more } };
}

const rules = 12;
const clusters = 3;

/**
 * The environment of rules: twelve rules in three clusters, each task needs two of its cluster, and more than three foreign rules cost .06
 * each. With `noise` a score is a coin that falls on 1 that often.
 */
export function ruleEnvironment(seed: number, noise: boolean) {
  const dice = rng(seed, 'rule world');
  const needs = Array.from({ length: 24 }, (_, task) => {
    const cluster = task % clusters;
    const ownItems = Array.from({ length: rules / clusters }, (_, i) => cluster * (rules / clusters) + i);
    return dice.shuffle(ownItems).slice(0, 2);
  });
  const needed = (task: number) => needs[task % needs.length]!;
  const worth = (spec: AgentSpec, task: number) => {
    const has = rulesIn(spec);
    const cluster = Math.floor(needed(task)[0]! / (rules / clusters));
    const foreign = [...has].filter((rule) => Math.floor(rule / (rules / clusters)) !== cluster).length;
    const share = needed(task).filter((rule) => has.has(rule)).length / 2;
    return Math.max(0, share - 0.06 * Math.max(0, foreign - 3));
  };
  // Propose tasks are the even ones and select tasks the odd ones, so that what is learned has to carry over; report tasks are all of them.
  const taskOf = ({ split, task }: Pick<Trial, 'split' | 'task'>) => (split === 'report' ? task : 2 * task + (split === 'select' ? 1 : 0));
  const ground = toyGround(
    (spec, trial) => {
      const value = worth(spec, taskOf(trial));
      return noise ? (rng(trial.seed, 'coin').next() < value ? 1 : 0) : value;
    },
    { parts: (task) => Object.fromEntries(needed(2 * task).map((rule) => [`rule ${rule}`, 1])) },
  );
  const truth = (spec: AgentSpec) => needs.reduce((sum, _, task) => sum + worth(spec, task), 0) / needs.length;
  return { ground, truth, tasks: { propose: 12, select: 12, report: 24 } };
}

function rulesIn(spec: AgentSpec): ReadonlySet<number> {
  return new Set((spec.texts?.['instruction'] ?? '').split('\n').flatMap((line) => (line === '' ? [] : [Number(line.slice(5))])));
}

function withRules(spec: AgentSpec, has: ReadonlySet<number>): AgentSpec {
  const lines = [...has].sort((a, b) => a - b).map((rule) => `rule ${rule}`);
  return withComponents(spec, { ...componentsOf(spec), instruction: lines.join('\n') });
}

/** Looks at the worst example: adds a rule that it needed with probability `quality`, else toggles any; now and then drops one. */
export function ruleProposer(quality: number): Proposer {
  return {
    name: `rules ${quality}`,
    improver: ({ rng: dice, many }) => ({
      name: 'rules',
      async improve(spec, lessons) {
        return Array.from({ length: many }, () => {
          const has = new Set(rulesIn(spec));
          const worst = [...lessons].sort((a, b) => (a.scores[0]?.value ?? 0) - (b.scores[0]?.value ?? 0))[0];
          const wanted = Object.keys(worst?.scores[0]?.parts ?? {}).map((name) => Number(name.slice(5)));
          const missing = wanted.filter((rule) => !has.has(rule));
          const foreign = [...has].filter((rule) => !wanted.includes(rule));
          if (dice.next() < quality && missing.length > 0) has.add(dice.pick(missing));
          else {
            const any = dice.int(rules);
            if (!has.delete(any)) has.add(any);
          }
          if (quality > 0 && dice.next() < 0.3 && foreign.length > 3) has.delete(dice.pick(foreign));
          return withRules(spec, has);
        });
      },
    }),
  };
}

/** Proposes nothing new. */
export const idleProposer: Proposer = { name: 'idle', improver: () => ({ name: 'idle', improve: async (spec) => [spec] }) };
