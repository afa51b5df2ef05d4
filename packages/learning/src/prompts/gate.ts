/**
 * @file The gate: a child is accepted if it beats its parent on tasks that its proposer did not see, by more than luck explains.
 *
 * The default is the paired mean less 1.15 standard errors above zero, and no protected task below where it was. Of edits that change
 * nothing, a strict comparison on three examples accepts a third and this one less than 15% on any number of tasks; what is accepted
 * wrongly shows on the fresh tasks of the report.
 */

import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/rng';
import { type CostName, costNames, meanCost, type PlayCost } from './objectives.ts';
import { countTasks } from './trial-scores.ts';

/** One distinct task, both ways: means over the same repeats on the same seeds. */
export interface TaskPair {
  /** Its first place among the select tasks, by which it can be protected. */
  readonly task: number;
  /** All places where it is played. */
  readonly places?: readonly number[];
  readonly scene?: string;
  readonly name?: string;
  /** Episodes of each side. */
  readonly plays?: number;
  readonly before: number;
  readonly after: number;
  /** What a play took on either side, where it is known. */
  readonly costs?: { readonly before: PlayCost; readonly after: PlayCost };
}

/** When a candidate is accepted. */
export type GateRule = {
  /** Standard errors that are taken off the mean before it must be above zero; 0 compares means alone. */
  readonly errors: number;
  /** Whether a child that is just as good is accepted. Only where no errors are subtracted. */
  readonly ties?: boolean;
  /** Tasks that may not get worse than `drop`; "all" for every one. */
  readonly protect?: readonly number[] | 'all';
  readonly drop?: number;
  /** Most characters that all texts of a child may have. */
  readonly size?: number;
  /** What one token, dollar or second of a play costs in score: the net score is compared. */
  readonly prices?: Partial<PlayCost>;
  /** The most that a play of a child may take on average. */
  readonly most?: Partial<PlayCost>;
  /** A child that is surely cheaper is accepted too, if it is worse by no more than the margin. */
  readonly frugal?: { readonly of: CostName; readonly margin: number };
};

/** Whether a candidate was accepted, and why. */
export type GateVerdict = {
  readonly accept: boolean;
  /** Why, in words for a person and for the next proposal. */
  readonly words: string;
  /** Distinct tasks that were compared; or episodes, where a task is drawn again from every seed. */
  readonly tasks: number;
  /** Episodes of each side, where tasks may be repeated. */
  readonly episodes?: number;
  readonly mean: number;
  readonly error: number;
};

/** With so many standard errors, of edits that change nothing at most 14.6% pass on 2 to 100 tasks whose scores are coins; with 1, up to 15.8%. */
const usual = 1.15;

/** The rules that accept or reject a candidate, by name. `ours` is the default; `strict` is what others use. */
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
  // Equal differences have no spread to show, which is not to read as certainty.
  const text = error === 0 ? `${formatSigned(mean)} on all of ${tasks}` : `${formatSigned(mean)} ± ${short(error)} over ${tasks}`;
  const lead = mean - rule.errors * error;
  if (lead > 1e-12) return verdict(true, `accepted: ${text}`);
  if (rule.ties === true && mean > -1e-12) return verdict(true, `accepted: just as good, ${text}`);
  const saved = saving(pairs, rule);
  if (saved !== null && mean - rule.errors * error > -(rule.frugal?.margin ?? 0)) return verdict(true, `accepted: ${saved}, and ${text}`);
  return verdict(false, mean > 1e-12 ? `rejected: ${text} may be luck` : `rejected: ${text} is not a gain`);
}

/** A score less what its play cost. A price that is not known is no gain: it counts as all that can be lost. */
function netOf(pair: TaskPair, side: 'before' | 'after', { prices }: GateRule): number {
  if (prices === undefined || pair.costs === undefined) return pair[side];
  const cost = pair.costs[side];
  return costNames.reduce((net, name) => {
    const price = prices[name] ?? 0;
    return price === 0 ? net : net - price * (cost[name] ?? Number.POSITIVE_INFINITY);
  }, pair[side]);
}

/** Where a play takes more than it may, in words. */
function excess(pairs: readonly TaskPair[], { most = {} }: GateRule): string | null {
  const after = meanCost(pairs.flatMap(({ costs }) => (costs === undefined ? [] : [costs.after])));
  for (const name of costNames) {
    const limit = most[name] ?? null;
    const usage = after[name];
    if (limit === null || (usage !== null && usage <= limit)) continue;
    return usage === null ? `what it costs in ${name} is not known` : `it takes ${short(usage)} ${name} a play, more than ${limit}`;
  }
  return null;
}

/** That a child surely takes less, in words; null where it does not. */
function saving(pairs: readonly TaskPair[], { frugal, errors }: GateRule): string | null {
  if (frugal === undefined) return null;
  const { of } = frugal;
  const less = pairs.flatMap(({ costs }) => {
    const [before, after] = [costs?.before[of] ?? null, costs?.after[of] ?? null];
    return before === null || after === null ? [] : [before - after];
  });
  if (less.length < pairs.length || meanOrZero(less) - errors * errorOf(less) <= 1e-12) return null;
  return `${short(meanOrZero(less))} ${of} a play less`;
}

function isProtected({ task, places = [task] }: TaskPair, { protect = [] }: GateRule): boolean {
  return protect === 'all' || places.some((place) => protect.includes(place));
}

/** What each pair adds to the mean: scenes weigh the same, and so do the tasks of a scene. */
function weightsOf(pairs: readonly TaskPair[]): readonly number[] {
  const sizes = new Map<string, number>();
  for (const { scene = '' } of pairs) sizes.set(scene, (sizes.get(scene) ?? 0) + 1);
  return pairs.map(({ scene = '' }) => 1 / (sizes.size * (sizes.get(scene) as number)));
}

/** The mean with its standard error over distinct tasks; of a single value nothing is known, so the error is as large as the value. */
function weightedMean(values: readonly number[], weights: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((sum, value, i) => sum + value * weights[i], 0);
  const n = values.length;
  if (n < 2) return { mean, error: Math.abs(mean) };
  const squares = values.reduce((sum, value, i) => sum + (weights[i] * (value - mean)) ** 2, 0);
  return { mean, error: Math.sqrt((squares * n) / (n - 1)) };
}

/** Standard error of a mean; of a single value nothing is known, so it is as large as the value. */
export function errorOf(values: readonly number[]): number {
  const n = values.length;
  if (n < 2) return Math.abs(values[0] ?? 0);
  const mean = meanOrZero(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1) / n);
}

function short(value: number): string {
  return value.toFixed(3);
}

/** With its sign, and a real minus. */
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

/** The middle of three uniform draws is Beta(2, 2). */
function beta22(dice: Rng): number {
  const [a, b, c] = [dice.next(), dice.next(), dice.next()];
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

function share(chance: number, repeats: number, dice: Rng): number {
  let successes = 0;
  for (let i = 0; i < repeats; i++) if (dice.next() < chance) successes++;
  return successes / repeats;
}

/** The share of edits that a strict comparison on a few examples accepts, parent at one half and child that much better. */
export function minibatchAcceptance(examples: number, gain: number, { ties = false, draws = 20_000, seed = 1 } = {}): number {
  const dice = rng(seed, 'minibatch', examples, gain);
  let accepted = 0;
  for (let i = 0; i < draws; i++) {
    const difference = share(0.5 + gain, examples, dice) - share(0.5, examples, dice);
    if (difference > 0 || (ties && difference === 0)) accepted++;
  }
  return accepted / draws;
}

/** How far the best of equal candidates is above its true value, where it was chosen and on as many fresh tasks. */
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
