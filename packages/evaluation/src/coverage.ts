/**
 * @file Measures the coverage of an environment: visited states, edges (a state, a seat and its move) and moves, their growth with
 * episodes, and moves that were listed but never played.
 *
 * Coverage is a count over a set of episodes, not a mean of them: its spread is estimated by repeating the episodes with other seeds
 * and players without memory.
 */

import { keyOf, learnStyle, likenessOf, type Style } from '@ludus-agents/agents/internal/explorer';
import type { Action, Agent, AnyEnvironment, Ask, EpisodeEvent, Json, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { canonical, choose } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { type Reachable, reachableFrom } from './reachable.ts';
import type { Estimate, Interval } from './scoring/statistics/mean.ts';
import { pairedDifference } from './scoring/statistics/paired.ts';
import { summaryOfRepeats } from './scoring/statistics/summary.ts';

/** Episodes that demonstrate a style. */
export interface Demonstration {
  readonly name: string;
  readonly logs: readonly (readonly EpisodeEvent[])[];
}

export interface CoverageRequest {
  readonly environment: AnyEnvironment;
  readonly task?: Json;
  /** Players by name; one is made for each seat and each repetition. The others are compared with the first. */
  readonly players: Readonly<Record<string, (seat: Seat) => Promise<Agent>>>;
  readonly demonstrations?: readonly Demonstration[];
  readonly episodes: number;
  readonly repeats: number;
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

export interface CoverageCounts {
  readonly states: number;
  readonly edges: number;
  readonly moves: number;
}

export interface CoverageRow extends CoverageCounts {
  readonly name: string;
  /** 95% intervals of the counts over repetitions; null for a single repetition, and for demonstrations. */
  readonly intervals: Readonly<Record<keyof CoverageCounts, Interval | null>>;
  /** Counts of each repetition; for demonstrations, of all. The counts are means over repetitions. */
  readonly episodes: number;
  /** Counts after the given numbers of episodes. */
  readonly growth: readonly (CoverageCounts & { readonly episodes: number })[];
  /** Actions that the rules listed and no agent played, over all repetitions. */
  readonly untried: { readonly edges: number; readonly moves: readonly string[] };
  /** Answers outside the listed moves, and episodes that failed or that the rules do not reproduce. */
  readonly illegal: number;
  readonly failed: number;
  /** The likelihood of the moves under each demonstrated style, from 0 to 1. */
  readonly likeness: Readonly<Record<string, number>>;
  /** Additional states over the first player, over repetitions; absent for the first, for demonstrations, and for a single repetition. */
  readonly gain?: Estimate;
}

export interface Coverage {
  readonly environment: string;
  readonly task: Json;
  readonly episodes: number;
  readonly repeats: number;
  /** The totals, if they can be counted. */
  readonly reachable: Reachable | null;
  readonly rows: readonly CoverageRow[];
}

/** The number of reported points of the growth curve. */
const mostPoints = 10;

export async function coverageOf(request: CoverageRequest): Promise<Coverage> {
  const { environment, demonstrations = [], episodes, repeats } = request;
  const task = environment.task(request.task ?? {});
  const styles = demonstrations.map(({ name, logs }) => ({ name, style: learnStyle(logs) }));
  const rows: CoverageRow[] = [];
  let first: readonly number[] | undefined;
  for (const [name, player] of Object.entries(request.players)) {
    const { row, states } = await playAll(request, styles, name, player);
    rows.push(first === undefined || repeats < 2 ? row : { ...row, gain: gainOver(states, first) });
    first ??= states;
  }
  for (const { name, logs } of demonstrations) {
    const seenPlaces = new SeenPlaces(environment);
    const growth = logs.map((log) => seenPlaces.add(log));
    const all = growth.at(-1) ?? { states: 0, edges: 0, moves: 0 };
    rows.push({
      name,
      ...all,
      episodes: logs.length,
      growth: points([growth]),
      ...seenPlaces.rest(),
      likeness: {},
      intervals: intervalsOf([]),
    });
  }
  return { environment: environment.id, task, episodes, repeats, reachable: reachableFrom(environment, task), rows };
}

interface NamedStyle {
  readonly name: string;
  readonly style: Style;
}

async function playAll(
  { environment, task = {}, episodes, repeats, seed = 0, signal }: CoverageRequest,
  styles: readonly NamedStyle[],
  name: string,
  player: (seat: Seat) => Promise<Agent>,
): Promise<{ readonly row: CoverageRow; readonly states: readonly number[] }> {
  const all = new SeenPlaces(environment);
  const growths: CoverageCounts[][] = [];
  const shares = styles.map((): number[] => []);
  const seats = environment.seats(environment.task(task));
  for (let repeat = 0; repeat < repeats; repeat++) {
    const agents: Record<Seat, Agent> = {};
    for (const seat of seats) agents[seat] = judgeStyles(await player(seat), styles, shares);
    const seenPlaces = new SeenPlaces(environment);
    const growth: CoverageCounts[] = [];
    for (let i = 0; i < episodes; i++) {
      signal?.throwIfAborted();
      const options = { task, seed: seed + repeat * episodes + i, ...(signal === undefined ? {} : { signal }) };
      const log = await Array.fromAsync(play(environment, agents, options));
      growth.push(seenPlaces.add(log));
    }
    all.merge(seenPlaces);
    growths.push(growth);
  }
  const states = growths.map((growth) => growth[growth.length - 1].states);
  const likeness = Object.fromEntries(styles.map((style, i) => [style.name, meanOrZero(shares[i])]));
  const growth = points(growths);
  const { episodes: _, ...counts } = growth[growth.length - 1];
  return {
    row: {
      name,
      ...counts,
      episodes,
      growth,
      ...all.rest(),
      likeness,
      intervals: intervalsOf(growths.map((growth) => growth[growth.length - 1])),
    },
    states,
  };
}

/** An agent whose listed moves are compared with styles. */
function judgeStyles(agent: Agent, styles: readonly NamedStyle[], shares: readonly number[][]): Agent {
  return {
    ...agent,
    async act(turn, signal, simulator) {
      const reply = await agent.act(turn, signal, simulator);
      const { choices = [] } = turn.ask;
      const read = choose(reply.action, choices);
      if (read.ok) for (const [i, { style }] of styles.entries()) shares[i].push(likenessOf(style, turn)[choices.indexOf(read.move)]);
      return reply;
    },
  };
}

function intervalsOf(counts: readonly CoverageCounts[]): CoverageRow['intervals'] {
  const interval = (name: keyof CoverageCounts) =>
    counts.length < 2 ? null : (summaryOfRepeats(counts.map((count) => count[name]))?.interval ?? null);
  return { states: interval('states'), edges: interval('edges'), moves: interval('moves') };
}

function gainOver(states: readonly number[], first: readonly number[]): Estimate {
  const { value, error, interval, n } = pairedDifference(states.map((a, i) => ({ a, b: first[i] })));
  return { value, error, interval, n };
}

/** The mean of growth curves of the same length, at a few points. */
function points(growths: readonly (readonly CoverageCounts[])[]): CoverageRow['growth'] {
  const length = growths[0]?.length ?? 0;
  const places = new Set(Array.from({ length: mostPoints }, (_, i) => Math.ceil(((i + 1) * length) / mostPoints)));
  const at = (place: number, name: keyof CoverageCounts) => meanOrZero(growths.map((growth) => growth[place - 1][name]));
  return [...places]
    .filter((place) => place > 0)
    .map((place) => ({ episodes: place, states: at(place, 'states'), edges: at(place, 'edges'), moves: at(place, 'moves') }));
}

/** The states in a set of logs. Logs are replayed by their rules, so actions that an agent only tried while looking ahead are not included. */
class SeenPlaces {
  readonly #watched: AnyEnvironment;
  readonly #states = new Set<string>();
  readonly #edges = new Set<string>();
  readonly #moves = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #listedMoves = new Set<string>();
  #illegal = 0;
  #failed = 0;
  #key = '';
  #asks: readonly Ask[] = [];

  constructor(environment: AnyEnvironment) {
    this.#watched = Object.create(environment, {
      start: { value: (...inputs: Parameters<AnyEnvironment['start']>) => this.#enter(environment.start(...inputs)) },
      step: {
        value: (...inputs: Parameters<AnyEnvironment['step']>) => {
          this.#act(inputs[1]);
          return this.#enter(environment.step(...inputs));
        },
      },
    }) as AnyEnvironment;
  }

  add(log: readonly EpisodeEvent[]): CoverageCounts {
    const end = log.at(-1);
    const isSame = replay(this.#watched, log) === null;
    if (!isSame || (end?.kind === 'end' && end.reason === 'error')) this.#failed++;
    return { states: this.#states.size, edges: this.#edges.size, moves: this.#moves.size };
  }

  /** Adds the states of another set of logs. */
  merge(other: SeenPlaces): void {
    for (const edge of other.#edges) this.#edges.add(edge);
    for (const edge of other.#listed) this.#listed.add(edge);
    for (const move of other.#moves) this.#moves.add(move);
    for (const move of other.#listedMoves) this.#listedMoves.add(move);
    this.#illegal += other.#illegal;
    this.#failed += other.#failed;
  }

  rest(): Pick<CoverageRow, 'untried' | 'illegal' | 'failed'> {
    const edges = [...this.#listed].filter((edge) => !this.#edges.has(edge)).length;
    const moves = [...this.#listedMoves].filter((move) => !this.#moves.has(move)).sort();
    return { untried: { edges, moves }, illegal: this.#illegal, failed: this.#failed };
  }

  #enter(step: Step): Step {
    this.#key = keyOf(canonical(step.state));
    this.#asks = step.asks;
    this.#states.add(this.#key);
    for (const { seat, choices = [] } of step.asks)
      for (const move of choices) {
        this.#listed.add(`${this.#key} ${seat} ${move}`);
        this.#listedMoves.add(move);
      }
    return step;
  }

  #act(actions: Readonly<Record<Seat, Action>>): void {
    for (const { seat, choices = [] } of this.#asks) {
      const action = actions[seat];
      const read = choices.length === 0 ? { ok: true as const, move: action.text } : choose(action, choices);
      if (!read.ok) {
        this.#illegal++;
        continue;
      }
      this.#moves.add(read.move);
      this.#edges.add(`${this.#key} ${seat} ${read.move}`);
    }
  }
}
