/**
 * @file The agent that looks ahead: it tries moves on positions from its simulator, and makes the move with the best result.
 *
 * The simulator shows only facts that the seat may know. Tried moves, and a simulator's error rate, are stored in the log.
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
  type Simulator,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import type { RecallEncoder } from '../mind/relevance.ts';
import type { EarlierEpisodes } from '../team/agent.ts';
import { type DreamReport, dreamOf, measureDream, misjudge } from './dream.ts';
import { guidedSearch } from './guided.ts';
import { type ImaginedMove, imaginedSearch } from './imagined.ts';
import { countAct, judgeOf, type Mates, type SearchCounts } from './judge.ts';
import { learnedDream, measureLearned } from './learned-dream.ts';
import { mcts } from './mcts.ts';
import { bestByValue, type TriedMove } from './positions.ts';
import { type ProverMemory, prove, readProver } from './prover.ts';
import { reason } from './reasoning.ts';
import type { MadeMove, ObservedOutcome, Reflection } from './reflections.ts';
import { fittingReflections, readMadeMove, readReflections, situationOf, withReflection } from './reflections.ts';
import type { SearchSettings } from './settings.ts';
import { beam, bestOfMany, exactly, type Worths } from './strategies.ts';
import { nextPlan, planNotes, readPlan, type SubtaskPlan } from './subtasks.ts';

export interface SearchOptions {
  readonly name: string;
  /** The name of the environment, for messages. */
  readonly environment: string;
  readonly settings: SearchSettings;
  readonly base: Agent | undefined;
  /** The base for plans and thoughts in free text; by default the base itself. */
  readonly writer?: Agent | undefined;
  readonly judge?: Agent | undefined;
  /** The learned simulator to search, if any. */
  readonly dreamed?: AnyEnvironment | undefined;
  /** The last mind of this agent and the returns of its episodes, with `lasting`. */
  readonly earlier?: (() => Promise<EarlierEpisodes>) | undefined;
  /** Compares situations by meaning; without it, by words. */
  readonly encoder?: RecallEncoder | undefined;
}

/** The results of a turn's search: for people, and for training on tried moves. */
export type SearchMind = Partial<ProverMemory> & {
  readonly kind: 'search/1';
  readonly strategy: string;
  /** Whether the true state was searched, or states consistent with the seat's knowledge. */
  readonly exact: boolean;
  readonly moves: readonly TriedMove[];
  /** The measured differences between the simulator and the rules, if it is inexact. */
  readonly dream?: DreamReport;
  /** The error of a learned simulator, measured when it was created. */
  readonly sheet?: JsonObject;
  readonly base?: Json;
  /** The move and its expected outcome, if outcomes are compared. */
  readonly made?: MadeMove;
  readonly reflections?: readonly Reflection[];
  /** The encoder that selected the lessons; omitted if they were selected by words. */
  readonly encoder?: string;
  /** The results of moves as imagined by a model, without using the rules. */
  readonly imagined?: readonly ImaginedMove[];
  /** The current plan of sub-tasks. */
  readonly plan?: SubtaskPlan;
  /** The weight of each answer, if reasoning steps were searched. */
  readonly answers?: Readonly<Record<string, number>>;
  /** How often each mechanism acted in this episode so far. */
  readonly acted?: Readonly<Record<string, number>>;
  /** Mechanisms that are enabled but cannot act, because no judge or no base was named. */
  readonly idle?: readonly string[];
};

/** The steps on which a dream is compared in every turn, and the most positions with a stored value. */
const probes = 64;
const mostKnown = 200_000;

/** The strategies in which agents propose and judge. */
function isGuided({ strategy }: Pick<SearchSettings, 'strategy'>): boolean {
  return !['mcts', 'best-of-n', 'beam', 'exact'].includes(strategy);
}

/** The enabled mechanisms that lack the agent they need. */
function idleMechanisms(
  { strategy, trust, judging, hindsight, reflections, debate, subtasks }: SearchSettings,
  { base, judge }: Pick<SearchOptions, 'base' | 'judge'>,
): readonly string[] {
  if (!isGuided({ strategy }) || strategy === 'reasoning' || strategy === 'prover') return [];
  const withoutJudge = [
    ...(trust > 0 ? ['judged values (random continuations instead)'] : []),
    ...(judging === 'debate' ? ['debated values'] : []),
    ...(hindsight ? ['explanations'] : []),
    ...(reflections ? ['reflections'] : []),
    ...(debate > 0 ? ['final debate'] : []),
  ];
  const withoutBase = [...(subtasks ? ['sub-tasks'] : []), 'proposed moves (random instead)'];
  // WebDreamer's base takes the place of its judge.
  const isJudged = judge !== undefined || strategy === 'webdreamer';
  return [...(isJudged ? [] : withoutJudge), ...(base === undefined ? withoutBase : [])];
}

export function searchAgent({ name, environment, settings, base, writer = base, judge, dreamed, earlier, encoder }: SearchOptions): Agent {
  const worths: Worths = new Map();
  const idle = idleMechanisms(settings, { base, judge });
  const idleHere = idle.length === 0 ? {} : { idle };
  const matesOf = (turn: Turn, signal: AbortSignal, simulator?: Simulator): Mates => {
    const acted: SearchCounts = { ...(turn.mind as SearchMind | undefined)?.acted };
    return { turn, notes: [], calls: [], acted, simulator, signal };
  };

  async function act(turn: Turn, signal: AbortSignal, simulator?: Simulator): Promise<Reply> {
    const { choices = [] } = turn.ask;
    if (settings.strategy === 'reasoning') return think(turn, signal);
    if (choices.length === 0)
      throw new Fault('agent', `${name} searches over listed moves, but ${environment} lists none here. Use another agent for this seat.`);
    if (settings.strategy === 'webdreamer') return imagine(turn, signal);
    const learned = dreamed === undefined ? undefined : learnedDream(dreamed, turn);
    if (learned !== undefined) {
      // If the true rules are available, they are used only to measure how much the dream differs from them.
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

  /** Does not use the simulator: the model imagines the results of moves. */
  async function imagine(turn: Turn, signal: AbortSignal): Promise<Reply> {
    const mates = matesOf(turn, signal);
    const { moves, move, calls, imagined } = await imaginedSearch({ name, settings, base, judge, mates });
    const mind: SearchMind = {
      kind: 'search/1',
      strategy: settings.strategy,
      exact: false,
      moves,
      imagined,
      acted: mates.acted,
      ...idleHere,
    };
    return { action: { text: move }, mind: mind, calls };
  }

  /** Searches reasoning steps instead of moves. */
  async function think(turn: Turn, signal: AbortSignal): Promise<Reply> {
    const mates = matesOf(turn, signal);
    const { moves, move, calls, answers } = await reason({ name, settings, base: writer, mover: base, judge, mates });
    const mind: SearchMind = { kind: 'search/1', strategy: settings.strategy, exact: false, moves, answers, acted: mates.acted };
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
    if (settings.strategy === 'prover') return proof(turn, signal, imagined, existing);
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

  /** Follows a found path, or searches for one. */
  async function proof(
    turn: Turn,
    signal: AbortSignal,
    simulator: Simulator,
    existing: Pick<SearchMind, 'dream' | 'sheet'>,
  ): Promise<Reply> {
    const isFirst = turn.mind === undefined;
    const past = isFirst && settings.lasting ? (await earlier?.())?.mind : turn.mind;
    const mates = matesOf(turn, signal, simulator);
    const planner = settings.subtasks ? (judge ?? writer) : undefined;
    const before = readProver(past, isFirst);
    const { move, memory } = await prove({ simulator, settings, base, planner, before, mates });
    const mind: SearchMind = {
      ...{ kind: 'search/1', strategy: settings.strategy, exact: simulator.exact, moves: [], ...existing },
      ...{ acted: mates.acted, ...memory },
    };
    return { action: { text: move }, mind: mind, calls: mates.calls };
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
    const mates = matesOf(turn, signal, simulator);
    const where = situationOf(turn);
    const plan =
      settings.subtasks && writer !== undefined
        ? await nextPlan({ base: writer, judge, before: readPlan(before?.plan as unknown as Json), refine: settings.refine, mates })
        : undefined;
    const reflections = settings.reflections && judge !== undefined ? await reflect(turn, judge, mates) : [];
    const lessons = await fittingReflections(reflections, where, encoder);
    if (lessons.length > 0) countAct(mates.acted, 'recalled', lessons.length);
    const notes = [...(plan === undefined ? [] : planNotes(plan)), ...lessons];
    const { moves, move, calls } = await guidedSearch({ simulator, settings, base, judge, aim: plan?.left[0], mates: { ...mates, notes } });
    const value = moves.find((item) => item.move === move)?.value ?? 0;
    const mind: SearchMind = {
      kind: 'search/1',
      strategy: settings.strategy,
      exact: simulator.exact,
      moves,
      ...existing,
      ...(settings.reflections ? { made: { where, move, value } } : {}),
      ...(reflections.length === 0 ? {} : { reflections, ...(encoder !== undefined && { encoder: encoder.name }) }),
      ...(plan === undefined ? {} : { plan }),
      acted: mates.acted,
      ...idleHere,
    };
    return { action: { text: move }, mind: mind, calls };
  }

  /** The lessons so far, plus one about the last move if its result was worse than expected; at the start those of earlier episodes. */
  async function reflect(turn: Turn, by: Agent, mates: Mates): Promise<readonly Reflection[]> {
    const before = turn.mind as SearchMind | undefined;
    if (before !== undefined) {
      const stored = readReflections(before.reflections as unknown as Json);
      const { value } = await judgeOf(by, [], { times: settings.judgements, by: 'score' }, mates);
      return withReflection(
        stored,
        readMadeMove(before.made as Json | undefined),
        { observed: situationOf(turn), value },
        { judge: by, mates },
      );
    }
    if (!settings.lasting || earlier === undefined) return [];
    const { mind, paths } = await earlier();
    const last = mind as SearchMind | undefined;
    const payment = paths.at(-1)?.paid;
    const outcome: ObservedOutcome | undefined =
      payment === undefined ? undefined : { observed: `The episode ended and paid ${payment}.`, value: payment > 0 ? 1 : 0 };
    const stored = readReflections(last?.reflections as unknown as Json);
    return withReflection(stored, readMadeMove(last?.made as Json | undefined), outcome, { judge: by, mates });
  }

  /** The distinct legal moves in the base agent's answers; null without a base, or if it names no legal move. */
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

/** The most tried move; of equals, the one with the higher value. */
function mostVisited(moves: readonly TriedMove[]): TriedMove {
  return moves.reduce((best, triedMove) =>
    triedMove.visits > best.visits || (triedMove.visits === best.visits && triedMove.value > best.value) ? triedMove : best,
  );
}
