/** @file The settings of an agent that looks ahead, read once from its spec. */

import { specShape } from '../../core/agent-spec.ts';
import type { AgentSpec } from '../../core/index.ts';
import { either, list, number, object, one, optional, or, readAs, type Shape, whole, words } from '../../core/shape.ts';

export const strategyNames = ['mcts', 'best-of-n', 'beam', 'exact'] as const;

/** A simulator that errs: `step` makes another move than was tried, `value` takes a move to be worth something else. */
export interface DreamSettings {
  readonly error: number;
  readonly in: 'step' | 'value';
  /** What a misjudged move may be taken to be worth. */
  readonly values: readonly number[];
}

interface GivenSettings extends Omit<SearchSettings, 'simulations'> {
  readonly simulations: number | undefined;
}

export interface SearchSettings {
  readonly strategy: (typeof strategyNames)[number];
  readonly simulations: number;
  readonly depth: number;
  readonly width: number;
  readonly exploration: number;
  readonly dream: DreamSettings | undefined;
  readonly base: AgentSpec | string | undefined;
}

export const searchShape: Shape<GivenSettings> = object<GivenSettings>({
  strategy: or(one(...strategyNames), 'mcts', 'how moves are tried'),
  simulations: optional(
    whole(1, 1_000_000),
    'continuations of a turn that are tried; positions that are looked at, for "beam" and "exact"',
  ),
  depth: or(whole(1, 10_000), 60, 'moves of a continuation, at most'),
  width: or(whole(1, 10_000), 16, 'beam: positions that are kept; best-of-n: answers of "base" that are weighed'),
  exploration: or(number(0, 100), Math.SQRT2, 'mcts: how much a move that was tried rarely is preferred'),
  dream: optional(
    object<DreamSettings>({
      error: or(number(0, 1), 0, 'how often it errs'),
      in: or(one('step', 'value'), 'step', 'in the move that is made, or in what a move is worth'),
      values: or(list(number(), { from: 1, to: 100 }), [-1, 0, 1], 'what a misjudged move may be taken to be worth'),
    }),
    'a simulator that errs, to measure what looking ahead is worth',
  ),
  base: optional(
    either<AgentSpec | string>('the name of an agent, or a spec', words, specShape),
    'best-of-n: the agent whose answers are weighed; all moves without it',
  ),
});

const settingsOf = object<{ settings: GivenSettings }>({ settings: or(searchShape, {}) });

/** As many as take a fraction of a second in a small game. */
const usual: Readonly<Record<SearchSettings['strategy'], number>> = { mcts: 400, 'best-of-n': 400, beam: 4000, exact: 100_000 };

export function readSearch(spec: AgentSpec): SearchSettings {
  const { settings } = readAs(settingsOf, { settings: spec.settings }, { where: spec.name, called: 'an agent that looks ahead' });
  return { ...settings, simulations: settings.simulations ?? usual[settings.strategy] };
}
