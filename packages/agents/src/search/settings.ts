/** @file The settings of an agent that looks ahead, read once from its spec. */

import { specShape } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import {
  boolean,
  either,
  list,
  number,
  object,
  one,
  optional,
  readAs,
  type Shape,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';

export const strategyNames = [
  ...(['mcts', 'best-of-n', 'beam', 'exact', 'guided', 'swe-search', 'r-mcts', 'webpilot'] as const),
  ...(['webdreamer', 'best-first', 'prover', 'reasoning'] as const),
] as const;

const structures = ['chain', 'tree', 'graph', 'nested'] as const;

/** The settings of the strategy "guided". */
export interface GuidedSettings {
  /** ucb1, puct with equal priors, or the node with the highest probability under the base. */
  readonly selection: 'ucb1' | 'puct' | 'best-first';
  /** The value of a position from its continuations: the mean or the best of all tries. */
  readonly backup: 'mean' | 'max';
  /** The judge's share of a value; random continuations have the rest. */
  readonly trust: number;
  /** The number of judgments of one position. */
  readonly judgements: number;
  /** Whether the judge scores at once, or after arguing for and against a position. */
  readonly judging: 'score' | 'debate';
  /** Whether proposers of a move see earlier tries and their assessment. */
  readonly hindsight: boolean;
  /** Whether the judge writes a lesson if a move's result was much worse than expected, shown in similar situations. */
  readonly reflections: boolean;
  /** Rounds of the final debate between the best moves. */
  readonly debate: number;
  /** Whether the base first writes sub-tasks, which are then searched one at a time. */
  readonly subtasks: boolean;
  /** Whether the plan of sub-tasks is refined after each of them. */
  readonly refine: boolean;
  /** prover: whether paths to sub-goals are kept and used again. */
  readonly cache: boolean;
  /** webdreamer: whether the results of moves are imagined before they are scored. */
  readonly imagine: boolean;
  /**
   * The structure of thoughts: one line (chain), branches (tree), branches in which equal positions are judged once (graph), or branches
   * that are each the best of a small search (nested).
   */
  readonly structure: (typeof structures)[number];
  /** The value of a try: the judgment of its last position (outcome), or the mean of all its steps (process). */
  readonly supervision: 'outcome' | 'process';
}

/** Known search strategies, as data. Settings of a spec take precedence. */
const existing: Readonly<
  Partial<Record<(typeof strategyNames)[number], Partial<GuidedSettings & Pick<SearchSettings, 'simulations' | 'depth' | 'width'>>>>
> = {
  'swe-search': { simulations: 10, depth: 10, width: 3, trust: 0.7, hindsight: true, debate: 2 },
  'r-mcts': { simulations: 20, depth: 4, width: 5, selection: 'puct', trust: 1, judging: 'debate', reflections: true },
  webpilot: { simulations: 10, depth: 5, width: 3, selection: 'puct', backup: 'max', trust: 1, hindsight: true, subtasks: true },
  webdreamer: { depth: 1, width: 3, judgements: 20 },
  'best-first': { simulations: 60, depth: 20, width: 4, selection: 'best-first', backup: 'max', trust: 1 },
  prover: { simulations: 60, depth: 20, width: 8, selection: 'best-first', backup: 'max', subtasks: true },
  reasoning: { simulations: 12, depth: 8, width: 3, trust: 1, backup: 'max' },
};

/** A simulator with errors: `step` replaces the tried move by another, `value` changes the value of a move. */
export interface DreamSettings {
  /** The file of a learned dream, which is searched instead of the rules. */
  readonly from: string | undefined;
  readonly error: number;
  readonly in: 'step' | 'value';
  /** The possible values of a misjudged move. */
  readonly values: readonly number[];
}

type GivenSettings = Omit<SearchSettings, 'simulations' | 'depth' | 'width' | keyof GuidedSettings> & {
  readonly [K in 'simulations' | 'depth' | 'width']: number | undefined;
} & { readonly [K in keyof GuidedSettings]: GuidedSettings[K] | undefined };

export interface SearchSettings extends GuidedSettings {
  readonly strategy: (typeof strategyNames)[number];
  readonly simulations: number;
  readonly depth: number;
  readonly width: number;
  readonly exploration: number;
  readonly dream: DreamSettings | undefined;
  readonly base: AgentSpec | string | undefined;
  readonly judge: AgentSpec | string | undefined;
  /** Whether reflections from earlier episodes are loaded. */
  readonly lasting: boolean;
}

export const searchShape: Shape<GivenSettings> = object<GivenSettings>({
  strategy: withDefault(
    one(...strategyNames),
    'mcts',
    'how moves are tried; "webdreamer" imagines results and "reasoning" thinks in steps, both without the rules',
  ),
  simulations: optional(whole(1, 1_000_000), 'number of continuations to try per turn; for "beam" and "exact", positions to visit'),
  depth: optional(whole(1, 10_000), 'maximum moves per continuation (default: 60)'),
  width: optional(whole(1, 10_000), 'beam: positions to keep; best-of-n: answers of "base" to compare; guided: moves per position'),
  exploration: withDefault(number(0, 100), Math.SQRT2, 'mcts: the exploration constant'),
  dream: optional(
    object<DreamSettings>({
      from: optional(words, 'a learned environment written by "ludus env dream", to search instead of the rules'),
      error: withDefault(number(0, 1), 0, 'error rate'),
      in: withDefault(one('step', 'value'), 'step', 'whether errors are in the next step or in values'),
      values: withDefault(list(number(), { from: 1, to: 100 }), [-1, 0, 1], 'values that a misjudged move can get'),
    }),
    'the model to search instead of the rules: a learned environment, or a simulator with a set error rate',
  ),
  base: optional(
    either<AgentSpec | string>('the name of an agent, or a spec', words, specShape),
    'best-of-n and guided: the agent whose answers are compared (default: all moves)',
  ),
  judge: optional(
    either<AgentSpec | string>('the name of an agent, or a spec', words, specShape),
    'guided: agent that scores positions from 0 to 10, with a reason (default: random continuations)',
  ),
  selection: optional(one('ucb1', 'puct', 'best-first'), 'guided: how the start of the next continuation is chosen'),
  backup: optional(one('mean', 'max'), 'guided: how the value of a position is computed from later ones'),
  trust: optional(number(0, 1), 'guided: weight of the judge in a value; random continuations have the rest'),
  judgements: optional(whole(1, 100), 'guided: number of judgments per position'),
  judging: optional(one('score', 'debate'), 'guided: whether the judge scores directly, or after arguing for and against'),
  hindsight: optional(boolean, 'guided: whether the base sees what was tried before, with the judge’s comments'),
  reflections: optional(boolean, 'guided: whether the judge writes a lesson when a move did much worse than expected'),
  debate: optional(whole(0, 20), 'guided: rounds of the debate between the best moves at the end'),
  subtasks: optional(boolean, 'guided: whether the base first writes sub-tasks, which are searched one at a time'),
  refine: optional(boolean, 'guided: whether the plan of sub-tasks is refined after each of them (default: true)'),
  cache: optional(boolean, 'prover: whether paths to sub-goals are kept and used again (default: true)'),
  imagine: optional(boolean, 'webdreamer: whether results of moves are imagined before they are scored (default: true)'),
  lasting: withDefault(boolean, false, 'guided: whether lessons of earlier episodes are used'),
  structure: optional(one(...structures), 'guided: a single line, a tree, a graph that merges equal positions, or nested searches'),
  supervision: optional(
    one('outcome', 'process'),
    'guided: whether the value of a continuation is its last position or the mean of its steps',
  ),
});

const settingsOf = object<{ settings: GivenSettings }>({ settings: withDefault(searchShape, {}) });

/** As many as take a fraction of a second in a small game. */
const usual: Readonly<Partial<Record<SearchSettings['strategy'], number>>> = { mcts: 400, 'best-of-n': 400, beam: 4000, exact: 100_000 };

const usualGuided: GuidedSettings & Pick<SearchSettings, 'simulations' | 'depth' | 'width'> = {
  ...{ simulations: 10, depth: 60, width: 16, selection: 'ucb1', backup: 'mean', trust: 0.5, judgements: 1 },
  ...{
    hindsight: false,
    reflections: false,
    debate: 0,
    subtasks: false,
    refine: true,
    cache: true,
    imagine: true,
    judging: 'score',
    structure: 'tree',
    supervision: 'outcome',
  },
};

export function readSearch(spec: AgentSpec): SearchSettings {
  const { settings } = readAs(settingsOf, { settings: spec.settings }, { where: spec.name, called: 'an agent that looks ahead' });
  const statement = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<SearchSettings>;
  const { strategy, dream, base, judge, exploration, lasting } = settings;
  const simulations = usual[strategy] ?? usualGuided.simulations;
  return { dream, base, judge, exploration, lasting, ...usualGuided, simulations, ...existing[strategy], ...statement, strategy };
}
