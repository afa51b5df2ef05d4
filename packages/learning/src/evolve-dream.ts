/**
 * @file A dream and an agent that improve in turn (WebEvolver): the agent plays the real environment, looking ahead in the dream; its
 * episodes are the data of the next dream; and so on. Each round reports the dream's error and the agent's real return.
 */

import type { DreamDocument } from '@ludus-agents/environments/internal/dream/dream';
import type { DreamError } from '@ludus-agents/environments/internal/dream/error';
import { makeDream } from '@ludus-agents/evaluation/internal/dreams';
import { summaryOfRepeats } from '@ludus-agents/evaluation/internal/scoring/statistics/summary';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import type { AgentSpec, AnyEnvironment, Cast, EpisodeEvent, Json, Plan, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { RunReport } from '@ludus-agents/kernel/internal/engine/run';

export interface EvolveRequest {
  /** Its name in plans. */
  readonly name: string;
  readonly environment: AnyEnvironment;
  readonly task: Json;
  readonly seat: Seat;
  /** The agent that looks ahead in the dream; reloaded for every round. */
  readonly agent: AgentSpec | string;
  readonly others: Cast;
  readonly hold: number;
  readonly rounds: number;
  /** Episodes of each round. */
  readonly games: number;
  readonly seed: number;
}

export interface EvolveRound {
  readonly round: number;
  /** The data of the dream, and its errors. */
  readonly episodes: number;
  readonly steps: number;
  readonly error: DreamError;
  /** The agent's return in the real environment with this dream. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface EvolveTools {
  readonly store: Store;
  perform(plan: Plan): Promise<RunReport>;
  /** Writes the dream to where the agent loads it. */
  write(dream: DreamDocument): void;
  /** Whether the dream is rebuilt after the first round. Without it, only the agent plays on: the control. */
  readonly isRemade?: boolean;
  readonly onRound?: (round: EvolveRound) => void;
}

export async function evolveDream(request: EvolveRequest, tools: EvolveTools): Promise<readonly EvolveRound[]> {
  const { environment, seat, hold, rounds, games } = request;
  const logs: (readonly EpisodeEvent[])[] = [];
  const rows: EvolveRound[] = [];
  // The buffer starts with random play: a dream of a single agent's play would know nothing else.
  await playRound(request, tools, { from: request.seed, agent: 'random', logs });
  let dream: DreamDocument | undefined;
  for (let round = 1; round <= rounds; round++) {
    if (dream === undefined || tools.isRemade !== false) dream = await makeDream(logs, { of: environment.id, seat, hold });
    tools.write(dream);
    const episodes = logs.length;
    const rewardRound = await playRound(request, tools, { from: request.seed + round * games, agent: request.agent, logs });
    const summary = summaryOfRepeats(rewardRound);
    if (summary === null) throw new Fault('agent', `No game of round ${round} was finished, so there is nothing to compare.`);
    const { value, interval } = summary;
    const row = {
      round,
      episodes,
      steps: dream.steps.length,
      error: dream.error,
      mean: value,
      low: interval?.[0] ?? value,
      high: interval?.[1] ?? value,
    };
    rows.push(row);
    tools.onRound?.(row);
  }
  return rows;
}

/** Plays one run of the real environment and adds its logs to the buffer. */
async function playRound(
  { name, environment, task, seat, others, games }: EvolveRequest,
  { store, perform }: EvolveTools,
  { from, agent, logs }: { readonly from: number; readonly agent: AgentSpec | string; readonly logs: (readonly EpisodeEvent[])[] },
): Promise<readonly number[]> {
  const { run } = await perform({
    environments: [{ environment: name, tasks: [environment.task(task) as Json] }],
    seeds: { from, count: games },
    casts: [{ ...others, [seat]: agent }],
  });
  const played = [];
  for await (const { id, seed, returns, status } of recordsOf(store, { run }))
    if (status === 'over' || status === 'limit') played.push({ id, seed: Number(seed), paid: returns?.[seat] ?? 0 });
  played.sort((a, b) => a.seed - b.seed);
  for (const { id } of played) logs.push(await store.events(id));
  return played.map(({ paid }) => paid);
}
