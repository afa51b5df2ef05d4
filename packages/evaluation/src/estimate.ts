/**
 * @file Estimates the cost of a plan: episodes, model calls, tokens, and money, each with a range and the source of the figures.
 *
 * The figures come from stored episodes of the same environment and cast, if any. Otherwise a few episodes are played
 * offline with the fake model in place of the real one: prompts are then the real ones, and only the length of answers is assumed. Casts that
 * differ only in names of models are played once for all of them; in a large plan, those that differ more are played fewer times each.
 */

import { isBot } from '@ludus-agents/agents/internal/bot/settings';
import { callsInTurn, modelsOfSpec, nestedSpecs, usesTools, withNested } from '@ludus-agents/agents/internal/kind-rules';
import { type AgentServices, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { modelsWith } from '@ludus-agents/agents/internal/models/index';
import { parseModelName } from '@ludus-agents/agents/internal/models/kinds';
import { costOf, kindPrice, type Price, priceOf, readPrices } from '@ludus-agents/agents/internal/models/priced';
import { prices } from '@ludus-agents/agents/internal/models/prices';
import { isFileModel } from '@ludus-agents/agents/internal/workspace/models';
import { requirePrice } from '@ludus-agents/kernel/internal/core/budget-fault';
import type { AgentSpec, AnyEnvironment, Cast, EpisodeEvent, Json, Plan, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { BudgetCounter, canonical, equal, withBudget } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { PlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { addSpans, roundSpan, type Span, scaleSpan, times, toSpan } from './span.ts';

export interface CostEstimate {
  readonly episodes: number;
  readonly calls: Span;
  readonly promptTokens: Span;
  readonly completionTokens: Span;
  /** US dollars for the models with a known price; null if there are none. */
  readonly money: Span | null;
  /** Models with an unknown price: their cost is additional. */
  readonly unpriced: readonly string[];
  /** Distinct earlier episodes behind the figures: several parts may use the same ones. */
  readonly seen: number;
  readonly parts: readonly Part[];
}

/** One environment with one cast. */
export interface Part {
  readonly environment: string;
  readonly cast: Readonly<Record<Seat, string>>;
  readonly models: readonly string[];
  readonly episodes: number;
  readonly basis: 'store' | 'pilot' | 'none';
  /** Episodes behind the figures. */
  readonly seen: number;
  readonly calls: Span;
  readonly promptTokens: Span;
  readonly completionTokens: Span;
  readonly money: Span | null;
  readonly unpriced: readonly string[];
}

export interface EstimateOptions {
  /** The loaders for the plan's agents in a pilot; models are replaced by fake ones. */
  readonly agents: AgentServices;
  readonly store: Store | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Episodes that are already stored. */
  readonly ended?: number;
  readonly signal?: AbortSignal;
}

/** Assumed answer lengths without data: short words, a line, a speech. */
export const answerTokens: Span = { low: 30, likely: 80, high: 250 };
const pilots = 3;
/** Casts and tasks that are played as often; others are played once, up to so many; those after them are taken to be like the ones before. */
const wellPiloted = 6;
const mostPiloted = 60;
const looked = 40;
const longest = 400;

/** The model usage of one episode, by seat. */
export type Taken = Readonly<Record<string, { readonly calls: number; readonly prompt: number; readonly completion: number }>>;

export async function estimatePlan(plan: Plan, sheet: PlanTasks, options: EstimateOptions): Promise<CostEstimate> {
  const toPlay = Math.min(Math.max(0, sheet.planned - (options.ended ?? 0)), plan.budget?.episodes ?? Number.POSITIVE_INFINITY);
  const left = sheet.planned === 0 ? 0 : toPlay / sheet.planned;
  const seeds = 'from' in plan.seeds ? plan.seeds.count : plan.seeds.length;
  const parts: Part[] = [];
  const visited = new Set<string>();
  const pilot = new Pilots(options);
  for (const { environment, task, casts } of sheet.scenes)
    for (const cast of casts) {
      const models = modelsIn(cast);
      const episodes = seeds * left;
      const whole = { plan, environment, task, cast, models };
      const common = { environment: environment.id, cast: namesIn(cast), models: [...new Set(Object.values(models))], episodes };
      if (common.models.length === 0) {
        parts.push({
          ...common,
          basis: 'none',
          seen: 0,
          calls: zero,
          promptTokens: zero,
          completionTokens: zero,
          money: zero,
          unpriced: [],
        });
        continue;
      }
      const before = options.store === null ? [] : await history(options.store, whole);
      for (const { id } of before) visited.add(id);
      const usedUse = before.length > 0 ? before.map(({ use }) => use) : await pilot.measureUse(whole);
      const price = await pricesOf(common.models, options.env);
      parts.push({
        ...common,
        ...sumUse(usedUse, { episodes, price, piloted: before.length === 0, most: mostCalls(whole), widest: widestIn(whole) }),
      });
    }
  const spans = (pick: (part: Part) => Span) => parts.map(pick).reduce(addSpans, zero);
  const priced = parts.filter(({ money }) => money !== null);
  return {
    episodes: toPlay,
    calls: roundSpan(spans(({ calls }) => calls)),
    promptTokens: roundSpan(spans(({ promptTokens }) => promptTokens)),
    completionTokens: roundSpan(spans(({ completionTokens }) => completionTokens)),
    money: priced.length === 0 ? null : priced.map(({ money }) => money as Span).reduce(addSpans, zero),
    unpriced: [...new Set(parts.flatMap(({ unpriced }) => unpriced))],
    seen: visited.size,
    parts,
  };
}

/** Whether any seat of a plan is played by a model. */
export function callsModels({ scenes }: PlanTasks): boolean {
  return scenes.some(({ casts }) => casts.some((cast) => Object.keys(modelsIn(cast)).length > 0));
}

interface Whole {
  readonly plan: Plan;
  readonly environment: AnyEnvironment;
  readonly task: Json;
  readonly cast: Cast;
  readonly models: Readonly<Record<Seat, string>>;
}

/** The model behind each seat that has one. */
function modelsIn(cast: Cast): Record<Seat, string> {
  return Object.fromEntries(
    Object.entries(cast).flatMap(([seat, spec]) => (modelFor(spec) === undefined ? [] : [[seat, modelFor(spec) as string]])),
  );
}

/** The model of a seat; for a team with several the first, whose price applies to all its calls. */
function modelFor(spec: AgentSpec | string): string | undefined {
  return modelsOfSpec(spec)[0];
}

function namesIn(cast: Cast): Record<Seat, string> {
  return Object.fromEntries(Object.entries(cast).map(([seat, spec]) => [seat, typeof spec === 'string' ? spec : spec.name]));
}

/** Episodes of the same environment with the same cast that were played to an end. */
async function history(
  store: Store,
  { environment, cast, models }: Whole,
): Promise<readonly { readonly id: string; readonly use: Taken }[]> {
  const names = namesIn(cast);
  const rows = await store.episodes({ environment: environment.id, limit: 400 });
  const alike = rows.filter(({ cast: seated, status }) => (status === 'over' || status === 'limit') && equal(seated, names));
  const logs = await Promise.all(alike.slice(0, looked).map(async ({ id }) => ({ id, use: useIn(await store.events(id), models) })));
  return logs.filter(({ use }) => Object.keys(use).length > 0);
}

/** The model usage of offline episodes, by seat. */
class Pilots {
  readonly #options: EstimateOptions;
  readonly #tried = new Map<string, readonly Taken[]>();
  /** The first of each environment, used for later ones if there are too many. */
  readonly #first = new Map<string, readonly Taken[]>();

  constructor(options: EstimateOptions) {
    this.#options = options;
  }

  async measureUse(whole: Whole): Promise<readonly Taken[]> {
    const { environment, task, cast, models } = whole;
    const faked = withoutModels(cast);
    const key = canonical([environment.id, task, faked]);
    let observations = this.#tried.get(key);
    if (observations === undefined && this.#tried.size >= mostPiloted) observations = this.#first.get(environment.id);
    if (observations === undefined) {
      observations = await playPilot({ ...whole, cast: faked }, this.#tried.size < wellPiloted ? pilots : 1, this.#options);
      this.#tried.set(key, observations);
      if (!this.#first.has(environment.id)) this.#first.set(environment.id, observations);
    }
    return observations.map((item) => byModel(item, models));
  }
}

/** A cast with the fake model behind every model seat. */
function withoutModels(cast: Cast): Cast {
  const toFake = (spec: AgentSpec | string): AgentSpec | string => {
    // An estimate makes no calls: random lines replace a bot.
    if (isBot(spec)) return 'random';
    if (modelFor(spec) === undefined) return spec;
    // Members keep their names, which link them.
    if (typeof spec !== 'string' && nestedSpecs(spec).length > 0)
      return withNested(spec, (item) => (typeof item === 'string' ? toFake(item) : { ...(toFake(item) as AgentSpec), name: item.name }));
    return typeof spec === 'string' ? 'llm:fake' : { ...spec, kind: 'llm', model: 'fake', name: 'agent' };
  };
  return Object.fromEntries(Object.entries(cast).map(([seat, spec]) => [seat, toFake(spec)]));
}

function byModel(usage: Taken, models: Readonly<Record<Seat, string>>): Taken {
  const out: Record<string, { calls: number; prompt: number; completion: number }> = {};
  for (const [seat, model] of Object.entries(models)) {
    const { calls, prompt, completion } = usage[seat] ?? { calls: 0, prompt: 0, completion: 0 };
    const sum = out[model] ?? { calls: 0, prompt: 0, completion: 0 };
    out[model] = { calls: sum.calls + calls, prompt: sum.prompt + prompt, completion: sum.completion + completion };
  }
  return out;
}

/** A few episodes with the fake model on every model seat, and the agents of the cast on the others. */
async function playPilot(
  { plan, environment, task, cast }: Whole,
  times: number,
  { agents, signal }: EstimateOptions,
): Promise<readonly Taken[]> {
  // A fake model counts its calls: a new one gives the same estimate for the same plan in a process that keeps running.
  const models = modelsWith();
  const calledIn = createAgentLoader({ ...agents, model: () => models('fake') });
  const seats = await Promise.all(
    Object.entries(cast).map(async ([seat, spec]) => [seat, await calledIn(spec, seat, environment)] as const),
  );
  const seated = Object.fromEntries(Object.keys(cast).map((seat) => [seat, seat]));
  const limits = { ...plan.limits, turns: Math.min(plan.limits?.turns ?? longest, longest) };
  const out: Taken[] = [];
  // A pilot does not count as spending.
  const apart = new BudgetCounter({ failures: Number.POSITIVE_INFINITY });
  for (let seed = 0; seed < times; seed++) {
    const log = await withBudget(apart, () =>
      Array.fromAsync(play(environment, Object.fromEntries(seats), { task, seed, limits, ...(signal === undefined ? {} : { signal }) })),
    );
    out.push(useIn(log, seated));
  }
  return out;
}

/** The usage of each model in a log. A seat's calls count for the model that is cast on it now. */
function useIn(log: readonly EpisodeEvent[], models: Readonly<Record<Seat, string>>): Taken {
  const out: Record<string, { calls: number; prompt: number; completion: number }> = {};
  for (const event of log) {
    if (event.kind !== 'action' || event.calls === undefined) continue;
    const model = models[event.seat];
    if (model === undefined) continue;
    out[model] ??= { calls: 0, prompt: 0, completion: 0 };
    for (const { usage } of event.calls) {
      out[model].calls++;
      out[model].prompt += usage.promptTokens;
      out[model].completion += usage.completionTokens;
    }
  }
  return out;
}

/** The maximum number of calls in an episode: every model seat at every turn, or its limits. */
function mostCalls({ plan, environment, cast, models }: Whole): number {
  const turns = Math.min(environment.about.turns, plan.limits?.turns ?? Number.POSITIVE_INFINITY);
  const each = Object.keys(models).reduce((sum, seat) => sum + callsInTurn(cast[seat]), 0);
  return Math.min(turns * each, plan.limits?.calls ?? Number.POSITIVE_INFINITY);
}

interface Summing {
  readonly episodes: number;
  readonly price: ReadonlyMap<string, Price | null>;
  readonly piloted: boolean;
  readonly most: number;
  /** The maximum ratio of calls to the pilot's. */
  readonly widest: number;
}

/** A pilot uses no tools, but an agent with tools may use them in every turn. */
function widestIn({ cast, models }: Whole): number {
  return Math.max(3, ...Object.keys(models).map((seat) => (usesTools(cast[seat]) ? 2 * callsInTurn(cast[seat] as AgentSpec) : 0)));
}

export function sumUse(
  used: readonly Taken[],
  { episodes, price, piloted: pilot, most, widest }: Summing,
): Omit<Part, 'environment' | 'cast' | 'models' | 'episodes'> {
  let calls = zero;
  let promptTokens = zero;
  let completionTokens = zero;
  let money = zero;
  const unpriced: string[] = [];
  for (const [model, cost] of price) {
    const of = (pick: (item: Taken[string]) => number) => used.map((item) => (item[model] === undefined ? 0 : pick(item[model])));
    const span = pilot
      ? guessSpan(
          of((item) => item.calls),
          { episodes, most, widest },
        )
      : measureSpan(
          of((item) => item.calls),
          episodes,
        );
    const each = meanOrZero(of((item) => item.prompt)) / Math.max(1e-9, meanOrZero(of((item) => item.calls)));
    const read = pilot
      ? scaleSpan(span, each)
      : measureSpan(
          of((item) => item.prompt),
          episodes,
        );
    const written = pilot
      ? times(span, answerTokens)
      : measureSpan(
          of((item) => item.completion),
          episodes,
        );
    const rewardSpan = toSpan((end) => costOf({ promptTokens: Math.min(read[end], 1e15), completionTokens: written[end] }, flat(cost)));
    [calls, promptTokens, completionTokens] = [addSpans(calls, span), addSpans(promptTokens, read), addSpans(completionTokens, written)];
    if (rewardSpan === null) unpriced.push(model);
    else money = addSpans(money, rewardSpan);
  }
  const hasPrices = unpriced.length < price.size;
  return {
    basis: pilot ? 'pilot' : 'store',
    seen: used.length,
    calls,
    promptTokens,
    completionTokens,
    money: hasPrices ? money : null,
    unpriced,
  };
}

/** Total tokens are priced here, so a price's limit for a single prompt does not apply. */
function flat(price: Price | null): Price | null {
  if (price === null) return null;
  const { upTo: _, ...rest } = price;
  return rest;
}

/** The sum over n episodes like those that were seen: two standard errors to each side, both of the mean and of what is to come. */
export function measureSpan(observations: readonly number[], n: number): Span {
  const average = meanOrZero(observations);
  const squares = observations.reduce((sum, value) => sum + (value - average) ** 2, 0);
  const deviation = observations.length > 1 ? Math.sqrt(squares / (observations.length - 1)) : average / 4;
  const error = 2 * deviation * Math.sqrt(n + n ** 2 / Math.max(1, observations.length));
  return { low: Math.max(0, n * average - error), likely: n * average, high: n * average + error };
}

/**
 * A pilot plays otherwise than a model will: half to three times as many calls or more, and never more than the environment and its limits
 * allow.
 */
function guessSpan(observations: readonly number[], { episodes, most, widest }: Pick<Summing, 'episodes' | 'most' | 'widest'>): Span {
  const likely = observations.length === 0 ? most / 2 : Math.min(most, meanOrZero(observations));
  return scaleSpan({ low: likely / 2, likely, high: Math.min(most, Math.max(widest * likely, ...observations)) }, episodes);
}

export async function pricesOf(models: readonly string[], env: EstimateOptions['env']): Promise<ReadonlyMap<string, Price | null>> {
  const ownPrices = env['LUDUS_PRICES'] ? await readPrices(env['LUDUS_PRICES']) : {};
  return new Map(
    models.map((model) => [
      model,
      priceOf(model, ownPrices) ?? priceOf(model, prices) ?? (isFileModel(model) ? null : kindPrice(parseModelName(model).kind)),
    ]),
  );
}

/** Rejects a budget in money if the price of a model is unknown, before anything is called. */
export async function requirePrices(models: readonly string[], money: number | undefined, env: EstimateOptions['env']): Promise<void> {
  if (money === undefined) return;
  for (const [id, price] of await pricesOf([...new Set(models)], env)) requirePrice({ id, price }, money);
}

/** The models that a plan names. */
export function modelsInPlan({ casts }: Pick<Plan, 'casts'>): readonly string[] {
  const specs = casts.flatMap((cast) => Object.values(cast));
  return specs.flatMap((spec) => modelsOfSpec(typeof spec === 'string' ? { name: spec, kind: spec } : spec));
}

const zero: Span = { low: 0, likely: 0, high: 0 };
