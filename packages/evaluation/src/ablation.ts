/**
 * @file Measures the contribution of each part of an agent: the full agent and variants without one part play the same tasks on the same
 * seeds. Every arm is compared with the full agent, pair by pair, with its cost and the tasks it gained and lost.
 */

import type { AgentSpec, Cast, Json, Plan, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { canonical } from '@ludus-agents/kernel/internal/core/index';
import type { RunReport, run as runPlan } from '@ludus-agents/kernel/internal/engine/run';
import { type Arm, ablationArms, withBudget } from './ablation-arms.ts';
import { type Crossover, crossoverOf, errorArms } from './crossover.ts';
import { type Comparison, compare } from './scoring/statistics/compare.ts';
import { signTest } from './scoring/statistics/paired.ts';
import { recordsOf } from './stored-run.ts';

export interface AblationRequest {
  readonly spec: AgentSpec;
  readonly environment: string;
  readonly tasks: readonly Json[];
  readonly seat: Seat;
  /** The agents on the other seats. */
  readonly others: Cast;
  /** Episodes of every arm per task. */
  readonly games: number;
  readonly seed: number;
  /** Restricts the arms to these removed parts. */
  readonly only?: readonly string[] | undefined;
  readonly thinking?: boolean;
  /** An agent that does not look ahead: the arms are then simulator error rates, and the break-even error is computed. */
  readonly reflex?: string | undefined;
  /** Searches only: an arm without a mechanism gets a larger budget, so that it makes about as many calls as the full agent. */
  readonly equalCalls?: boolean | undefined;
}

/** A pair whose result differs. */
export interface Flip {
  readonly task: Json;
  readonly seed: number | string;
  readonly whole: number;
  readonly arm: number;
}

export interface ArmResult {
  readonly arm: string;
  readonly agent: string;
  readonly episodes: number;
  readonly mean: number;
  /** The arm minus the full agent, over the same tasks and seeds; null for the full agent itself. */
  readonly difference: { readonly mean: number; readonly low: number; readonly high: number } | null;
  readonly gained: number;
  readonly lost: number;
  readonly same: number;
  /** The sign test on pairs that differ. */
  readonly p: number;
  /** Means per episode: calls, tokens, and dollars if all prices are known. */
  readonly calls: number;
  readonly tokens: number;
  readonly money: number | null;
  readonly flips: readonly Flip[];
}

/** Every arm, the full agent first. */
export function armsOf({ spec, only, thinking = false, reflex }: AblationRequest): readonly Arm[] {
  if (reflex !== undefined) return [{ name: 'whole', spec }, ...errorArms(spec), { name: reflex, spec: { name: reflex, kind: reflex } }];
  const arms = ablationArms(spec, { thinking });
  const wanted = only === undefined ? arms : arms.filter(({ name }) => only.some((item) => name === item || name === `without ${item}`));
  return [{ name: 'whole', spec }, ...wanted];
}

function ablationPlan(request: AblationRequest, arms: readonly Arm[]): Plan {
  const { environment, tasks, seat, others, games, seed } = request;
  return {
    environments: [{ environment, tasks }],
    seeds: { from: seed, count: games },
    casts: arms.map(({ spec }) => ({ ...others, [seat]: spec })),
  };
}

interface Played {
  readonly task: Json;
  readonly seed: number | string;
  readonly paid: number;
  readonly calls: number;
  readonly tokens: number;
  readonly money: number | null;
  readonly moves: number;
}

interface AblationPlayers {
  readonly store: Store;
  readonly perform: (plan: Plan) => ReturnType<typeof runPlan>;
}

/** Plays missing episodes and compares. */
export async function ablate(
  request: AblationRequest,
  players: AblationPlayers,
): Promise<{ readonly report: RunReport; readonly arms: readonly ArmResult[]; readonly crossover?: Crossover }> {
  const arms = request.equalCalls === true ? await armsAtEqualCalls(request, players) : armsOf(request);
  const { report, played } = await playArms(request, arms, players);
  const whole = played.get(request.spec.name) as Map<string, Played>;
  const results = arms.map((arm) => resultOf(arm, played.get(arm.spec.name) as Map<string, Played>, whole));
  if (request.reflex === undefined) return { report, arms: results };
  const plain = played.get(request.reflex) as Map<string, Played>;
  const points = errorArms(request.spec).flatMap(({ error, spec }) => {
    const { difference } = resultOf({ name: '', spec }, played.get(spec.name) as Map<string, Played>, plain);
    return difference === null ? [] : [{ error, difference: difference.mean, low: difference.low, high: difference.high }];
  });
  return { report, arms: results, crossover: crossoverOf(points) };
}

/** Plays the arms and reads their episodes, by the name of the arm's agent. */
async function playArms(request: AblationRequest, arms: readonly Arm[], { store, perform }: AblationPlayers) {
  const report = await perform(ablationPlan(request, arms));
  const played = new Map<string, Map<string, Played>>(arms.map(({ spec }) => [spec.name, new Map()]));
  for await (const { id, cast, task, seed, returns, status } of recordsOf(store, { run: report.run })) {
    const mine = played.get(cast[request.seat] ?? '');
    if (mine === undefined || returns === null || (status !== 'over' && status !== 'limit')) continue;
    let [calls, tokens, money, moves] = [0, 0, 0 as number | null, 0];
    for (const event of await store.events(id)) {
      if (event.kind !== 'action' || event.seat !== request.seat) continue;
      moves++;
      for (const { usage, cost } of event.calls ?? []) {
        calls++;
        tokens += usage.promptTokens + usage.completionTokens;
        money = money === null || cost === null ? null : money + cost;
      }
    }
    mine.set(JSON.stringify([task, seed]), { task, seed, paid: returns[request.seat] ?? 0, calls, tokens, money, moves });
  }
  return { report, played };
}

/** Episodes for calibrating budgets; their seeds differ from those of the comparison. */
const pilotGames = 5;

/** The arms, with budgets at which a move costs about as many calls as a move of the full agent. */
async function armsAtEqualCalls(request: AblationRequest, players: AblationPlayers): Promise<readonly Arm[]> {
  const arms = armsOf(request);
  const pilot = { ...request, games: pilotGames, seed: request.seed + 1_000_000 };
  const { played } = await playArms(pilot, arms, players);
  const callsOf = ({ spec }: Arm) => {
    const episodes = [...(played.get(spec.name)?.values() ?? [])];
    const sum = (of: (item: Played) => number) => episodes.reduce((total, item) => total + of(item), 0);
    return (
      sum(({ calls }) => calls) /
      Math.max(
        1,
        sum(({ moves }) => moves),
      )
    );
  };
  const [whole, ...others] = arms as [Arm, ...Arm[]];
  const wanted = callsOf(whole);
  return [whole, ...others.map((arm) => (callsOf(arm) === 0 ? arm : { ...arm, spec: withBudget(arm.spec, wanted / callsOf(arm)) }))];
}

/** The arm and the full agent on the same tasks and seeds; repeats of a task are correlated. */
function comparePairs(pairs: readonly { readonly one: Played; readonly other: Played }[]): Comparison {
  const sideOf = (name: string, returnOf: (pair: (typeof pairs)[number]) => number) => ({
    name,
    results: pairs.map((pair) => ({ task: canonical(pair.one.task), seed: Number(pair.one.seed), value: returnOf(pair) })),
  });
  return compare(
    sideOf('arm', ({ one }) => one.paid),
    sideOf('whole', ({ other }) => other.paid),
  );
}

function resultOf({ name, spec }: Arm, played: ReadonlyMap<string, Played>, whole: ReadonlyMap<string, Played>): ArmResult {
  const all = [...played.values()];
  const average = (value: (item: Played) => number) =>
    all.length === 0 ? 0 : all.reduce((sum, item) => sum + value(item), 0) / all.length;
  // Sorted by seed, regardless of which episode finished first.
  const inOrder = [...played].sort(([, a], [, b]) => Number(a.seed) - Number(b.seed));
  const pairs = inOrder.flatMap(([key, item]) => {
    const other = whole.get(key);
    return other === undefined ? [] : [{ one: item, other }];
  });
  const differences = pairs.map(({ one, other }) => one.paid - other.paid);
  const signs = signTest(differences);
  const comparison = played === whole || pairs.length < 2 ? null : comparePairs(pairs);
  return {
    arm: name,
    agent: spec.name,
    episodes: all.length,
    mean: average(({ paid }) => paid),
    difference: comparison === null ? null : { mean: comparison.difference, low: comparison.interval[0], high: comparison.interval[1] },
    gained: signs.plus,
    lost: signs.minus,
    same: pairs.length - signs.plus - signs.minus,
    p: signs.p,
    calls: average(({ calls }) => calls),
    tokens: average(({ tokens }) => tokens),
    money: all.some(({ money }) => money === null) ? null : average(({ money }) => money ?? 0),
    flips: pairs.flatMap(({ one, other }) =>
      one.paid === other.paid ? [] : [{ task: one.task, seed: one.seed, whole: other.paid, arm: one.paid }],
    ),
  };
}
