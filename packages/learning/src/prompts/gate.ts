/**
 * @file The gate: a child is accepted if it beats its parent on tasks that its proposer did not see, by more than luck explains.
 *
 * By default, the paired mean minus 1.15 standard errors must be above zero, and no protected task may get worse. Of edits without effect,
 * a strict comparison on three examples accepts a third and this one less than 15% on any number of tasks; wrong acceptances show on the
 * fresh tasks of the report.
 */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/rng';
import { type CostName, costNames, meanCost, type PlayCost } from './objectives.ts';
import { countTasks } from './trial-scores.ts';

/** One distinct task on both sides: means over the same repeats on the same seeds. */
export interface TaskPair {
  /** Its first place among the select tasks, used to protect it. */
  readonly task: number;
  /** All its places. */
  readonly places?: readonly number[];
  readonly scene?: string;
  readonly name?: string;
  /** The number of episodes of each side. */
  readonly plays?: number;
  readonly before: number;
  readonly after: number;
  /** The cost of a play on either side, if known. */
  readonly costs?: { readonly before: PlayCost; readonly after: PlayCost };
}

/** The conditions for accepting a candidate. */
export type GateRule = {
  /** The number of standard errors subtracted from the mean, which must remain above zero; 0 compares means alone. */
  readonly errors: number;
  /** Whether an equally good child is accepted; only without subtracted errors. */
  readonly ties?: boolean;
  /** Tasks that may not get worse by more than `drop`; "all" for every one. */
  readonly protect?: readonly number[] | 'all';
  readonly drop?: number;
  /** The maximum number of characters in all texts of a child. */
  readonly size?: number;
  /** The score equivalent of one token, dollar or second of a play; the gate compares net scores. */
  readonly prices?: Partial<PlayCost>;
  /** The maximum mean cost of a play of a child. */
  readonly most?: Partial<PlayCost>;
  /** Also accepts a significantly cheaper child that is worse by no more than the margin. */
  readonly frugal?: { readonly of: CostName; readonly margin: number };
};

/** Whether a candidate was accepted, and why. */
export type GateVerdict = {
  readonly accept: boolean;
  /** An explanation for people and for the next proposal. */
  readonly words: string;
  /** The number of distinct tasks compared; or of episodes, if each seed draws a new task. */
  readonly tasks: number;
  /** The number of episodes of each side, if tasks may be repeated. */
  readonly episodes?: number;
  readonly mean: number;
  readonly error: number;
};

/**
 * With this number of standard errors, at most 14.6% of edits without effect pass on 2 to 100 tasks with coin-flip scores; with 1, up to
 * 15.8%.
 */
const usual = 1.15;

/** The rules that accept or reject a candidate, by name. `ours` is the default; `strict` is common elsewhere. */
export const gateRules = {
  ours: { errors: usual },
  strict: { errors: 0 },
  ties: { errors: 0, ties: true },
  cautious: { errors: 1.645 },
  'no-drop': { errors: usual, protect: 'all', drop: 0.4 },
  frugal: { errors: 1.645, frugal: { of: 'tokens', margin: 0.05 } },
} as const satisfies Readonly<Record<string, GateRule>>;

export type GateName = keyof typeof gateRules;

/** Accepts or rejects a candidate by paired scores. */
export function judgePairs(pairs: readonly TaskPair[], rule: GateRule = gateRules.ours, size = 0): GateVerdict {
  const differences = pairs.map((pair) => netOf(pair, 'after', rule) - netOf(pair, 'before', rule));
  const weights = weightsOf(pairs);
  const { mean, error } = weightedMean(differences, weights);
  const episodes = pairs.reduce((sum, { plays = 1 }) => sum + plays, 0);
  const verdict = (accept: boolean, reason: string): GateVerdict => ({ accept, words: reason, tasks: pairs.length, episodes, mean, error });
  if (pairs.length === 0) return verdict(false, 'rejected: no task could be compared');
  if (rule.size !== undefined && size > rule.size) return verdict(false, `rejected: ${size} characters are more than ${rule.size}`);
  const fallen = pairs.find((pair) => isProtected(pair, rule) && pair.before - pair.after > (rule.drop ?? 0) + 1e-12);
  if (fallen !== undefined)
    return verdict(false, `rejected: protected task ${fallen.task} fell from ${short(fallen.before)} to ${short(fallen.after)}`);
  const dear = excess(pairs, rule);
  if (dear !== null) return verdict(false, `rejected: ${dear}`);
  const tasks = countTasks(
    pairs.map(({ scene = '', name, task }) => ({ scene, task: name ?? String(task) })),
    episodes,
  );
  // Equal differences have zero spread, which must not be presented as certainty.
  const text = error === 0 ? `${formatSigned(mean)} on all of ${tasks}` : `${formatSigned(mean)} ± ${short(error)} over ${tasks}`;
  const lead = mean - rule.errors * error;
  if (lead > 1e-12) return verdict(true, `accepted: ${text}`);
  if (rule.ties === true && mean > -1e-12) return verdict(true, `accepted: just as good, ${text}`);
  const saved = saving(pairs, rule);
  if (saved !== null && mean - rule.errors * error > -(rule.frugal?.margin ?? 0)) return verdict(true, `accepted: ${saved}, and ${text}`);
  return verdict(false, mean > 1e-12 ? `rejected: ${text}, which may be luck` : `rejected: ${text}, no gain`);
}

/** A score minus the cost of its play. An unknown price counts as infinite. */
function netOf(pair: TaskPair, side: 'before' | 'after', { prices }: GateRule): number {
  if (prices === undefined || pair.costs === undefined) return pair[side];
  const cost = pair.costs[side];
  return costNames.reduce((net, name) => {
    const price = prices[name] ?? 0;
    return price === 0 ? net : net - price * (cost[name] ?? Number.POSITIVE_INFINITY);
  }, pair[side]);
}

/** A description of the cost limit that a play exceeds; null if none. */
function excess(pairs: readonly TaskPair[], { most = {} }: GateRule): string | null {
  const after = meanCost(pairs.flatMap(({ costs }) => (costs === undefined ? [] : [costs.after])));
  for (const name of costNames) {
    const limit = most[name] ?? null;
    const usage = after[name];
    if (limit === null || (usage !== null && usage <= limit)) continue;
    return usage === null ? `its cost in ${name} is unknown` : `it takes ${short(usage)} ${name} per play, more than ${limit}`;
  }
  return null;
}

/** A description of the child's significant savings; null if there are none. */
function saving(pairs: readonly TaskPair[], { frugal, errors }: GateRule): string | null {
  if (frugal === undefined) return null;
  const { of } = frugal;
  const less = pairs.flatMap(({ costs }) => {
    const [before, after] = [costs?.before[of] ?? null, costs?.after[of] ?? null];
    return before === null || after === null ? [] : [before - after];
  });
  if (less.length < pairs.length || meanOrZero(less) - errors * errorOf(less) <= 1e-12) return null;
  return `saves ${short(meanOrZero(less))} ${of} per play`;
}

function isProtected({ task, places = [task] }: TaskPair, { protect = [] }: GateRule): boolean {
  return protect === 'all' || places.some((place) => protect.includes(place));
}

/** The weight of each pair in the mean: all scenes have equal weight, and so do the tasks of a scene. */
function weightsOf(pairs: readonly TaskPair[]): readonly number[] {
  const sizes = new Map<string, number>();
  for (const { scene = '' } of pairs) sizes.set(scene, (sizes.get(scene) ?? 0) + 1);
  return pairs.map(({ scene = '' }) => 1 / (sizes.size * (sizes.get(scene) as number)));
}

/**
 * The mean with its standard error over distinct tasks; for a single value the error equals the value, because nothing is known about its
 * spread.
 */
function weightedMean(values: readonly number[], weights: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((sum, value, i) => sum + value * weights[i], 0);
  const n = values.length;
  if (n < 2) return { mean, error: Math.abs(mean) };
  const squares = values.reduce((sum, value, i) => sum + (weights[i] * (value - mean)) ** 2, 0);
  return { mean, error: Math.sqrt((squares * n) / (n - 1)) };
}

/** The standard error of a mean; for a single value it equals the value, because nothing is known about its spread. */
export function errorOf(values: readonly number[]): number {
  const n = values.length;
  if (n < 2) return Math.abs(values[0] ?? 0);
  const mean = meanOrZero(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1) / n);
}

function short(value: number): string {
  return value.toFixed(3);
}

/** With its sign, and a proper minus sign. */
export function formatSigned(value: number): string {
  return `${value < 0 ? '−' : '+'}${short(Math.abs(value))}`;
}

export const editKinds = ['harm', 'null', 'shortcut', 'help'] as const;
export type EditKind = (typeof editKinds)[number];

export interface GateTrial {
  readonly tasks: number;
  readonly repeats: number;
  readonly rule: GateRule;
  readonly edit: EditKind;
}

/** The share of edits of a kind that a gate accepts. */
export function acceptance(trial: GateTrial, draws: number, seed: Seed): number {
  let accepted = 0;
  const dice = rng(seed, 'gate', trial.tasks, trial.repeats, trial.edit);
  for (let i = 0; i < draws; i++) if (accepts(trial, dice)) accepted++;
  return accepted / draws;
}

function accepts({ tasks, repeats, rule, edit }: GateTrial, dice: Rng): boolean {
  const pairs = Array.from({ length: tasks }, (_, task) => {
    const before = beta22(dice);
    const after = Math.min(1, Math.max(0, before + effect(edit, dice)));
    return { task, before: share(before, repeats, dice), after: share(after, repeats, dice) };
  });
  return judgePairs(pairs, rule).accept;
}

function effect(edit: EditKind, dice: Rng): number {
  if (edit === 'shortcut') return dice.int(6) === 0 ? 0.6 : -0.08;
  return edit === 'harm' ? -0.1 : edit === 'help' ? 0.1 : 0;
}

/** The median of three uniform draws is Beta(2, 2). */
function beta22(dice: Rng): number {
  const [a, b, c] = [dice.next(), dice.next(), dice.next()];
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function share(chance: number, repeats: number, dice: Rng): number {
  let successes = 0;
  for (let i = 0; i < repeats; i++) if (dice.next() < chance) successes++;
  return successes / repeats;
}

/**
 * The share of edits that a strict comparison on a few examples accepts, with the parent's success rate at one half and the child's higher
 * by `gain`.
 */
export function minibatchAcceptance(examples: number, gain: number, { ties = false, draws = 20_000, seed = 1 } = {}): number {
  const dice = rng(seed, 'minibatch', examples, gain);
  let accepted = 0;
  for (let i = 0; i < draws; i++) {
    const difference = share(0.5 + gain, examples, dice) - share(0.5, examples, dice);
    if (difference > 0 || (ties && difference === 0)) accepted++;
  }
  return accepted / draws;
}

/** How far the best of equal candidates scores above its true value: on the tasks used to choose it, and on as many fresh tasks. */
export function inflation(
  candidates: number,
  tasks: number,
  { draws = 4000, seed = 1 } = {},
): { readonly select: number; readonly fresh: number } {
  const dice = rng(seed, 'inflation', candidates, tasks);
  let [select, fresh] = [0, 0];
  for (let i = 0; i < draws; i++) {
    let most = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < candidates; k++) most = Math.max(most, share(0.5, tasks, dice));
    select += most - 0.5;
    fresh += share(0.5, tasks, dice) - 0.5;
  }
  return { select: select / draws, fresh: fresh / draws };
}
