/**
 * @file The loop of the arena: play a round, rate, check whether the ranking is decided, and repeat until it is or the budget is spent.
 *
 * What is played next follows only from the seeds and the results so far, and episodes are stored under the hash of their settings. So an
 * arena that was killed repeats its decisions, finds its episodes in the store, and plays only those that are missing.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { noteNames } from '@ludus-agents/agents/internal/workspace/agent-names';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isCurrent, type VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import type { AgentSpec, AnyEnvironment, Cast, EpisodeRecord, Json, Plan, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { loadPlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import { type RunProgress, type RunReport, run as runPlan } from '@ludus-agents/kernel/internal/engine/run';
import { remaining, type Spendable } from './evaluate.ts';
import { openVersions, type PlanVersions } from './plan-versions.ts';
import { type ArenaGame, matchesOf, orderOf, pairsOf, type Ranking, rankingOf, toRatedGame } from './scoring/arena/index.ts';
import { swissRound } from './scoring/ratings/pairing.ts';
import { rankBootstrap } from './scoring/ratings/rank-bootstrap.ts';
import { recordsOf } from './stored-run.ts';

/** The settings of an arena: an environment, agents, and the maximum number of games. */
export interface Arena {
  readonly environment: AnyEnvironment;
  /** The run with the games; one for the environment and the task by default. */
  readonly source?: string | undefined;
  /** The run that keeps the games; one for the environment and the task by default. */
  readonly run?: string | undefined;
  readonly task: Json;
  readonly agents: readonly AgentSpec[];
  /** The total number of episodes. */
  readonly games: number;
  /** Agents of similar rank play each other, instead of all pairs. */
  readonly swiss: boolean;
  readonly store: Store;
  readonly signal: AbortSignal;
  readonly concurrency?: number | undefined;
  readonly budget?: Spendable;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Reuse stored games of agents that cannot be fingerprinted; by default they are played again. */
  readonly reuse?: boolean | undefined;
  /** Called before anything is played with the changes since the arena was last played. */
  readonly onChanges?: ((changes: readonly VersionChange[], run: string) => void) | undefined;
  /** The folder in which custom agents are looked up. */
  readonly cwd?: string;
  /** The origin of the names in the request. */
  readonly trust: Trust;
  /** The runner of a round; this process by default. */
  readonly perform?: typeof runPlan;
}

/** The ranking of an arena, and why it stopped. */
export interface ArenaReport {
  readonly run: string;
  readonly ranking: Ranking | null;
  /** For each agent, how often it ranks first, second, … over resampled seeds; null without a ranking. */
  readonly placeChances: Readonly<Record<string, readonly number[]>> | null;
  /** Games played now, and games found in the store. */
  readonly played: number;
  readonly before: number;
  readonly failed: number;
  /** The reason for the end: the ranking is decided, the episodes or the money are used up, or the user stopped it. */
  readonly stopped: 'separated' | 'budget' | 'money' | 'signal';
  /** Changes since the arena was last played, and the number of games played again for them. */
  readonly changes: readonly VersionChange[];
  /** Stored games between these agents in other versions, which the ranking leaves out. */
  readonly earlier: number;
  /** Agents and environments that cannot be fingerprinted, each with the reason. */
  readonly unpinned: Readonly<Record<string, string>>;
}

/** The games between two checks: pairs, and their seeds, both ways round. */
interface Round {
  readonly pairs: readonly (readonly [string, string])[];
  readonly from: number;
  readonly to: number;
}

/** The progress of a round robin at each check, out of its allowed episodes. */
const lookAt = [0.1, 0.2, 0.4, 0.7, 1] as const;

/** Plays agents against each other, both ways round, until their order is decided or the games are used up. */
export async function runArena(arena: Arena): Promise<ArenaReport> {
  const run = arenaRun(arena);
  const names = arena.agents.map(({ name }) => name);
  const tally = { played: 0, before: 0, failed: 0 };
  let stopped: ArenaReport['stopped'] = 'budget';
  let matches: readonly ArenaGame[] = [];
  const spent = { calls: 0, tokens: 0, money: 0, unpriced: 0 };
  let earlier = 0;
  const rounds = arena.swiss ? swissRounds(arena) : robinRounds(arena);
  const last = rounds.at(-1)?.to ?? 0;
  if (last === 0)
    throw new Fault(
      'input',
      `${arena.games} games are too few for ${names.length} agents to play each other in both orders. Raise --games.`,
    );
  const plan = planOf(arena, run, { pairs: pairsOf(names), from: 0, to: last });
  await arena.store.putRun({ id: run, plan, episodes: arena.games });
  await noteNames(arena.store, run, arena.agents);
  const sheet = await loadPlanTasks(plan, async () => arena.environment);
  const { store, cwd = process.cwd(), trust, reuse } = arena;
  const versions = await openVersions([{ plan, sheet }], { store, run, cwd, trust, reuse });
  if (versions.changes.length > 0) arena.onChanges?.(versions.changes, run);
  // Each check of the order can err, so all checks share one error budget.
  const looks = { looks: rounds.length };
  for (let look = 0; look < rounds.length; look++) {
    const { from, to } = rounds[look];
    if (to <= from) continue;
    const pairs = arena.swiss ? swissRound(names, matches.map(toRatedGame), look) : pairsOf(names);
    const report = await playRound(withBudgetLeft(arena, spent), { run, round: { pairs, from, to }, versions });
    for (const part of ['calls', 'tokens', 'money', 'unpriced'] as const) spent[part] += report.spent[part];
    tally.played += report.played;
    tally.before += report.before;
    tally.failed += report.ends.error;
    const stored = await recordsUpTo(arena.store, { run, seed: to, versions, names });
    matches = matchesOf(stored.records, names);
    earlier = stored.earlier;
    // The stop was not caused by the budget, and would happen again.
    if (report.stopped === 'failures') throw new Fault('model', report.why ?? 'Too many calls in a row have failed.');
    if (report.stopped !== null) stopped = report.stopped === 'signal' ? 'signal' : 'money';
    else if (orderOf(matches, names, looks)?.separation.decided === true) stopped = 'separated';
    else continue;
    break;
  }
  const mixed = tally.played > 0 ? await versions.settle() : [];
  if (mixed.length > 0) arena.onChanges?.(mixed, run);
  const ranking = rankingOf(matches, names, looks);
  const changes = [...versions.changes, ...mixed];
  const { unpinned } = versions;
  const about = { changes, earlier, unpinned: Object.fromEntries(unpinned) };
  return { run, ranking, placeChances: ranking === null ? null : placeChances(matches), ...tally, stopped, ...about };
}

function placeChances(matches: readonly ArenaGame[]): Readonly<Record<string, readonly number[]>> {
  const ranked = rankBootstrap(matches.map(toRatedGame), { seed: 0, draws: 200, ties: 'davidson' });
  return Object.fromEntries(ranked.map(({ name, places }) => [name, places]));
}

/** The arena with its remaining budget. */
function withBudgetLeft(arena: Arena, spent: RunReport['spent']): Arena {
  return arena.budget === undefined ? arena : { ...arena, budget: remaining(arena.budget, spent) };
}

/** One run for an environment and a task: more agents and more episodes add to it. */
export function arenaRun({ run, environment, task, swiss }: Pick<Arena, 'run' | 'environment' | 'task' | 'swiss'>): string {
  return run ?? `arena-${nameOf(environment)}-${hash([environment.id, task, swiss]).slice(0, 8)}`;
}

/** Seeds up to each check of a round robin: every pair plays every seed. */
function robinRounds(arena: Arena): readonly { readonly from: number; readonly to: number }[] {
  const agents = arena.agents.length;
  const seats = arena.environment.seats(arena.task).length;
  const perSeed = seats === 1 ? agents : agents * (agents - 1);
  const seeds = Math.floor(arena.games / perSeed);
  const ends = lookAt.map((share) => Math.ceil(share * seeds));
  return ends.map((to, i) => ({ from: ends[i - 1] ?? 0, to }));
}

/** Enough Swiss rounds to sort the field twice over, each with its own seeds. */
function swissRounds(arena: Arena): readonly { readonly from: number; readonly to: number }[] {
  const agents = arena.agents.length;
  const rounds = Math.max(5, 2 * Math.ceil(Math.log2(agents)));
  const seeds = Math.floor(arena.games / (2 * Math.floor(agents / 2)) / rounds);
  return Array.from({ length: rounds }, (_, i) => ({ from: i * seeds, to: (i + 1) * seeds }));
}

function planOf(arena: Arena, run: string, { pairs, from, to }: Round): Plan {
  return {
    name: run,
    environments: [{ environment: arena.source ?? arena.environment.id, tasks: [arena.task] }],
    seeds: { from, count: to - from },
    casts: pairs.flatMap((pair) => tables(arena, pair)),
  };
}

interface PlayedRound {
  readonly run: string;
  readonly round: Round;
  readonly versions: PlanVersions;
}

function playRound(arena: Arena, { run, round, versions }: PlayedRound): ReturnType<typeof runPlan> {
  return (arena.perform ?? runPlan)(planOf(arena, run, round), {
    store: arena.store,
    versions: versions.of,
    reuse: arena.reuse,
    environment: async () => arena.environment,
    agent: createAgentLoader(createAgentServices(arena.cwd ?? process.cwd(), arena.trust)),
    signal: arena.signal,
    ...(arena.budget === undefined ? {} : { budget: arena.budget }),
    ...(arena.concurrency === undefined ? {} : { concurrency: arena.concurrency }),
    ...(arena.onProgress === undefined ? {} : { onProgress: arena.onProgress }),
  });
}

/** Two agents at a table, both ways round, on alternating seats. Each plays a single-player environment alone. */
function tables({ environment, task, agents }: Arena, pair: readonly [string, string]): readonly Cast[] {
  const seats = environment.seats(task);
  const [first, second] = pair.map((name) => agents.find((agent) => agent.name === name) as AgentSpec) as [AgentSpec, AgentSpec];
  if (seats.length === 1) return [first, second].map((spec) => ({ [seats[0]]: spec }));
  const seatPair = (even: AgentSpec, odd: AgentSpec): Cast => Object.fromEntries(seats.map((seat, i) => [seat, i % 2 === 0 ? even : odd]));
  return [seatPair(first, second), seatPair(second, first)];
}

/** The current episodes below a seed, and the number of older versions: a later check of an earlier round must see the same ones. */
async function recordsUpTo(
  store: Store,
  { run, seed, versions, names }: Pick<PlayedRound, 'run' | 'versions'> & { readonly seed: number; readonly names: readonly string[] },
): Promise<{ readonly records: readonly EpisodeRecord[]; readonly earlier: number }> {
  const records: EpisodeRecord[] = [];
  let earlier = 0;
  for await (const record of recordsOf(store, { run, all: true })) {
    if (isCurrent(record, versions.current)) {
      if (record.seed < seed) records.push(record);
    } else if (Object.values(record.cast).every((name) => names.includes(name))) earlier++;
  }
  return { records, earlier };
}
