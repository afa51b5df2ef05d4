/** @file Inference and decisions from findings: exact posteriors, exact optimal play for small tables, and greedy play for large ones. */

import { type ClinicTable, digestOf } from './table.ts';

/** Each finding is present, absent, or unknown. */
export type ClinicEvidence = readonly (boolean | null)[];

/** An expert's basis for decisions. `covered` has a bit for each finding that was asked for, ordered, or examined. */
export interface ClinicKnowledge {
  readonly evidence: ClinicEvidence;
  readonly covered: number;
  readonly referred: boolean;
}

export type ClinicMove =
  | { readonly kind: 'diagnose'; readonly conditions: readonly number[] }
  | { readonly kind: 'refer' }
  | { readonly kind: 'look'; readonly finding: number };

export interface Advice {
  readonly move: ClinicMove;
  /** The expected reward from here on. */
  readonly value: number;
}

/** Rewards for a single correct diagnosis, for a correct one among several, and for covering all must-ask items. */
export const pays = { right: 1, listed: 0.5, careful: 0.1 } as const;

export function nothingKnown(table: ClinicTable): ClinicKnowledge {
  return { evidence: table.findings.map(() => null), covered: 0, referred: false };
}

/** Returns the probability of each condition given the evidence, by Bayes' rule. */
export function posterior(table: ClinicTable, evidence: ClinicEvidence): number[] {
  const weights = table.conditions.map(({ prior }) => prior);
  for (let f = 0; f < evidence.length; f++) {
    const present = evidence[f];
    if (present === null || present === undefined) continue;
    const { chances } = table.findings[f];
    for (let c = 0; c < weights.length; c++) weights[c] = weights[c] * likelihood(chances[c], present);
  }
  let sum = 0;
  for (const weight of weights) sum += weight;
  return weights.map((weight) => weight / sum);
}

/** Returns the probability that at least one red flag is present. */
export function redFlagChance(table: ClinicTable, chances: readonly number[], evidence: ClinicEvidence): number {
  const { flags } = digestOf(table);
  let clear = 0;
  for (let c = 0; c < chances.length; c++) {
    let none = chances[c];
    for (const f of flags) {
      const present = evidence[f];
      if (present === true) return 1;
      if (present === null) none *= 1 - table.findings[f].chances[c];
    }
    clear += none;
  }
  return 1 - clear;
}

/** Returns the share of must-ask items that were covered, or 0 if there are none. */
export function care(table: ClinicTable, covered: number): number {
  if (table.must.length === 0) return 0;
  let count = 0;
  for (let left = covered & digestOf(table).must; left !== 0; left &= left - 1) count++;
  return count / table.must.length;
}

/** Returns the value of the best way to end: with one condition or three, with or without a referral first. */
function endWorth(table: ClinicTable, { evidence, covered, referred }: ClinicKnowledge, chances: readonly number[]): number {
  let first = 0;
  let second = 0;
  let third = 0;
  for (let c = 0; c < chances.length; c++) {
    const chance = chances[c];
    if (chance <= third) continue;
    if (chance <= second) third = chance;
    else {
      third = second;
      if (chance <= first) second = chance;
      else {
        second = first;
        first = chance;
      }
    }
  }
  const { turn, refer, missed } = table.charges;
  const payment = Math.max(pays.right * first, pays.listed * (first + second + third)) + pays.careful * care(table, covered) - turn;
  return payment - (referred ? 0 : Math.min(refer + turn, missed * redFlagChance(table, chances, evidence)));
}

/** Returns the best way to end. */
export function stopping(
  table: ClinicTable,
  knowledge: ClinicKnowledge,
  chances: readonly number[] = posterior(table, knowledge.evidence),
): Advice {
  const value = endWorth(table, knowledge, chances);
  const { turn, refer, missed } = table.charges;
  if (!knowledge.referred && missed * redFlagChance(table, chances, knowledge.evidence) > refer + turn)
    return { move: { kind: 'refer' }, value };
  const best = chances
    .map((_, c) => c)
    .sort((a, b) => chances[b] - chances[a])
    .slice(0, 3);
  const [alone, among] = [pays.right * chances[best[0]], pays.listed * best.reduce((sum, c) => sum + chances[c], 0)];
  return { move: { kind: 'diagnose', conditions: alone >= among ? best.slice(0, 1) : best }, value };
}

/** Looks one finding ahead, and stops when no finding is worth its cost. */
export function greedy(table: ClinicTable, knowledge: ClinicKnowledge): Advice {
  const chances = posterior(table, knowledge.evidence);
  let best = stopping(table, knowledge, chances);
  for (let finding = 0; finding < table.findings.length; finding++) {
    if ((knowledge.covered & (1 << finding)) !== 0) continue;
    const value = looking(table, { knowledge, chances, finding }, (after, posteriors) => endWorth(table, after, posteriors));
    if (value > best.value + 1e-12) best = { move: { kind: 'look', finding }, value };
  }
  return best;
}

/** Computes exact optimal play over every order of looking and every outcome. Feasible for about six findings; delays must be 0. */
export function optimal(table: ClinicTable): (knowledge: ClinicKnowledge) => Advice {
  const memo = new Map<string, Advice>();
  const solve = (knowledge: ClinicKnowledge): Advice => {
    const { evidence, covered, referred } = knowledge;
    const key = `${evidence.map((present) => (present === null ? '?' : present ? '+' : '-')).join('')}${covered}${referred}`;
    const advice = memo.get(key);
    if (advice !== undefined) return advice;
    const chances = posterior(table, evidence);
    let best = stopping(table, knowledge, chances);
    for (let finding = 0; finding < table.findings.length; finding++) {
      if ((covered & (1 << finding)) !== 0) continue;
      const value = looking(table, { knowledge, chances, finding }, (after) => solve(after).value);
      if (value > best.value + 1e-12) best = { move: { kind: 'look', finding }, value };
    }
    memo.set(key, best);
    return best;
  };
  return solve;
}

interface Look {
  readonly knowledge: ClinicKnowledge;
  readonly chances: readonly number[];
  readonly finding: number;
}

/** Returns the value of looking: the expected value after both outcomes, minus its cost and the cost of waiting for the result. */
function looking(table: ClinicTable, look: Look, then: (after: ClinicKnowledge, chances: readonly number[]) => number): number {
  const { knowledge, chances, finding } = look;
  const { chances: inputs, cost = 0, delay = 0 } = table.findings[finding];
  const covered = knowledge.covered | (1 << finding);
  let value = -cost - (1 + delay) * table.charges.turn;
  if (knowledge.evidence[finding] !== null) return value + then({ ...knowledge, covered }, chances);
  const evidence = knowledge.evidence.slice();
  for (let outcome = 0; outcome < 2; outcome++) {
    const present = outcome === 0;
    const weights = chances.slice();
    let likely = 0;
    for (let c = 0; c < weights.length; c++) likely += weights[c] = weights[c] * likelihood(inputs[c], present);
    if (likely === 0) continue;
    for (let c = 0; c < weights.length; c++) weights[c] = weights[c] / likely;
    evidence[finding] = present;
    value += likely * then({ evidence, covered, referred: knowledge.referred }, weights);
  }
  return value;
}

function likelihood(chance: number, present: boolean): number {
  return present ? chance : 1 - chance;
}
