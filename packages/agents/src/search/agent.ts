/**
 * @file The agent that looks ahead: it tries moves on positions that its simulator gives it, and makes the one that came out best.
 *
 * The simulator shows nothing that the seat may not know. What was tried, and how far a dream was from the rules, is kept in the log.
 */

import {
  type Agent,
  type AnyEnvironment,
  Fault,
  type Json,
  type JsonObject,
  type ModelCall,
  type Reply,
  type Rng,
  type Seen,
  type Simulator,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type DreamReport, dreamOf, measureDream, misjudge } from './dream.ts';
import { guidedSearch } from './guided.ts';
import { type ImaginedMove, imaginedSearch } from './imagined.ts';
import { fittingReflections, type Reflection, readReflections, situationOf, withReflection } from './judge.ts';
import { learnedDream, measureLearned } from './learned-dream.ts';
import { mcts } from './mcts.ts';
import { bestByValue, type TriedMove } from './positions.ts';
import type { SearchSettings } from './settings.ts';
import { beam, bestOfMany, exactly, type Worths } from './strategies.ts';

export interface SearchOptions {
  readonly name: string;
  /** What is played, for sentences. */
  readonly environment: string;
  readonly settings: SearchSettings;
  readonly base: Agent | undefined;
  readonly judge?: Agent | undefined;
  /** The learned dream that is searched, where there is one. */
  readonly dreamed?: AnyEnvironment | undefined;
}

/** What was found in a turn: for people, and for training on what was tried. */
export type SearchMind = {
  readonly kind: 'search/1';
  readonly strategy: string;
  /** Whether the state itself was searched, or states that may be it. */
  readonly exact: boolean;
  readonly moves: readonly TriedMove[];
  /** How the dream differed from the rules, where there was one. */
  readonly dream?: DreamReport;
  /** The error of a learned dream, as it was measured when it was made. */
  readonly sheet?: JsonObject;
  readonly base?: Json;
  /** The move that was made and what was expected of it, where that is held against what comes. */
  readonly made?: { readonly where: string; readonly move: string; readonly value: number };
  readonly reflections?: readonly Reflection[];
  /** What a model imagined to come of moves, where no rules were looked at. */
  readonly imagined?: readonly ImaginedMove[];
  /** The sub-tasks that the base wrote at the beginning. */
  readonly subtasks?: readonly string[];
};

/** Steps that a dream is compared on in every turn, and positions whose worth is remembered. */
const probes = 64;
const mostKnown = 200_000;

/** The strategies in which agents propose and judge. */
function isGuided({ strategy }: SearchSettings): boolean {
  return !['mcts', 'best-of-n', 'beam', 'exact'].includes(strategy);
}

/** The sub-tasks that the base writes at its first turn, and that are kept from then on. */
async function subtasksOf(turn: Turn, base: Agent, before: SearchMind | undefined, signal: AbortSignal) {
  if (before?.subtasks !== undefined) return { subtasks: before.subtasks, calls: [] };
  const { seat, seen } = turn.view;
  const ask: Seen = {
    kind: 'message',
    to: [seat],
    text: 'Before you begin: which sub-tasks lead to the goal? Up to five lines "Sub-task: …".',
  };
  const { choices: _, ...open } = turn.ask;
  const reply = await base.act({ ...turn, view: { seat, seen: [...seen, ask] }, ask: open }, signal);
  const lines = [...reply.action.text.matchAll(linear(/^[\s*_#>-]*sub-?task:\**\s*(.+)$/gim))].map((match) =>
    match[1]!.trim().slice(0, 200).toWellFormed(),
  );
  return { subtasks: lines.slice(0, 5), calls: reply.calls ?? [] };
}

export function searchAgent({ name, environment, settings, base, judge, dreamed }: SearchOptions): Agent {
  const worths: Worths = new Map();

  async function act(turn: Turn, signal: AbortSignal, simulator?: Simulator): Promise<Reply> {
    const { choices = [] } = turn.ask;
    if (choices.length === 0)
      throw new Fault('agent', `${name} searches over listed moves, but ${environment} lists none here. Use another agent for this seat.`);
    if (settings.strategy === 'webdreamer') return imagine(turn, signal);
    const learned = dreamed === undefined ? undefined : learnedDream(dreamed, turn);
    if (learned !== undefined) {
      // Where the rules can be looked at they are, to say how far the dream is from them; nothing else is done with them.
      const report = simulator === undefined ? undefined : measureLearned(simulator, learned.simulator, probes, turn.rng);
      return search(turn, signal, learned.simulator, { ...(report === undefined ? {} : { dream: report }), sheet: learned.error });
    }
    if (simulator === undefined)
      throw new Fault(
        'agent',
        `${name} searches ahead, but ${environment} hides information from its seat and cannot sample it. The task {"simulator": true} lets the agent search the true state.`,
      );
    const { dream } = settings;
    const imagined = dream?.in === 'step' ? dreamOf(simulator, dream.error) : simulator;
    const report = dream?.in === 'step' ? measureDream(simulator, imagined, probes, turn.rng) : undefined;
    return search(turn, signal, imagined, report === undefined ? {} : { dream: report });
  }

  /** Without the simulator, even where there is one: the model imagines what comes. */
  async function imagine(turn: Turn, signal: AbortSignal): Promise<Reply> {
    const { moves, move, calls, imagined } = await imaginedSearch({ name, turn, settings, base, judge, signal });
    const mind: SearchMind = { kind: 'search/1', strategy: settings.strategy, exact: false, moves, imagined };
    return { action: { text: move }, mind: mind, calls };
  }

  async function search(
    turn: Turn,
    signal: AbortSignal,
    imagined: Simulator,
    existing: Pick<SearchMind, 'dream' | 'sheet'>,
  ): Promise<Reply> {
    const { choices = [] } = turn.ask;
    const { dream } = settings;
    if (isGuided(settings)) return guided(turn, signal, imagined, existing);
    const proposed = await proposals(turn, signal, imagined);
    if (worths.size > mostKnown) worths.clear();
    const tried = triedMoves(imagined, proposed?.moves ?? choices, turn.rng);
    const felt = dream?.in === 'value' ? misjudge(tried, dream, turn.rng) : tried;
    const { move } = settings.strategy === 'mcts' ? mostVisited(felt) : bestByValue(felt, turn.rng);
    const mind: SearchMind = {
      kind: 'search/1',
      strategy: settings.strategy,
      exact: imagined.exact,
      moves: felt,
      ...existing,
      ...(proposed?.mind === undefined ? {} : { base: proposed.mind }),
    };
    return { action: { text: move }, mind: mind, ...(proposed === null ? {} : { calls: proposed.calls }) };
  }

  function triedMoves(source: Simulator, moves: readonly string[], rng: Rng): readonly TriedMove[] {
    const { strategy, simulations } = settings;
    if (strategy === 'mcts') return mcts(source, settings, rng);
    if (strategy === 'beam') return beam(source, settings, rng);
    if (strategy === 'exact') return exactly(source, simulations, worths, rng);
    return bestOfMany(source, moves, settings, rng);
  }

  async function guided(
    turn: Turn,
    signal: AbortSignal,
    simulator: Simulator,
    existing: Pick<SearchMind, 'dream' | 'sheet'>,
  ): Promise<Reply> {
    const before = turn.mind as SearchMind | undefined;
    const planned = settings.subtasks && base !== undefined ? await subtasksOf(turn, base, before, signal) : { subtasks: [], calls: [] };
    const where = situationOf(turn);
    const retainedReflections = readReflections(before?.reflections as unknown as Json);
    const open = planned.subtasks[0] === undefined ? [] : [`Sub-tasks: ${planned.subtasks.join('; ')}. Work on the first that is open.`];
    const notes = [...open, ...fittingReflections(retainedReflections, where)];
    const matchingGuidedSearch = await guidedSearch({ simulator, turn, settings, base, judge, notes, signal });
    const value = matchingGuidedSearch.moves.find(({ move }) => move === matchingGuidedSearch.move)?.value ?? 0;
    const reflections = settings.reflections ? withReflection(retainedReflections, before?.made, matchingGuidedSearch.now) : [];
    const mind: SearchMind = {
      kind: 'search/1',
      strategy: settings.strategy,
      exact: simulator.exact,
      moves: matchingGuidedSearch.moves,
      ...existing,
      ...(settings.reflections ? { made: { where, move: matchingGuidedSearch.move, value } } : {}),
      ...(reflections.length === 0 ? {} : { reflections }),
      ...(planned.subtasks.length === 0 ? {} : { subtasks: planned.subtasks }),
    };
    return { action: { text: matchingGuidedSearch.move }, mind: mind, calls: [...planned.calls, ...matchingGuidedSearch.calls] };
  }

  /** The different legal moves that the base agent answers; null where there is none, or it names no legal one. */
  async function proposals(turn: Turn, signal: AbortSignal, simulator: Simulator) {
    if (base === undefined || settings.strategy !== 'best-of-n') return null;
    const moves = new Set<string>();
    const calls: ModelCall[] = [];
    const before = (turn.mind as { readonly base?: Json } | undefined)?.base;
    let mind: Json | undefined;
    for (let i = 0; i < settings.width; i++) {
      const reply = await base.act({ ...turn, ...(before === undefined ? {} : { mind: before }) }, signal, simulator);
      calls.push(...(reply.calls ?? []));
      mind = reply.mind;
      const move = (turn.ask.choices ?? []).find((choice) => choice.toLowerCase() === reply.action.text.trim().toLowerCase());
      if (move !== undefined) moves.add(move);
    }
    return { moves: moves.size === 0 ? undefined : [...moves], calls, mind };
  }

  return { name, looksAhead: true, act };
}

/** The move that was tried most; of those the one that is worth more. */
function mostVisited(moves: readonly TriedMove[]): TriedMove {
  return moves.reduce((best, triedMove) =>
    triedMove.visits > best.visits || (triedMove.visits === best.visits && triedMove.value > best.value) ? triedMove : best,
  );
}
