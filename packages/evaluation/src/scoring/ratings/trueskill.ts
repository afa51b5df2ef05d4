/**
 * @file TrueSkill (Herbrich, Minka and Graepel 2006): skills as normal distributions, updated from the order in which any number of teams
 * finished.
 *
 * Skills pass through a chain of differences between neighbours in the order; each difference is truncated by the result, and the messages
 * pass along the chain both ways until nothing changes (expectation propagation).
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalCdf, normalDensity, normalQuantile } from '../statistics/distributions.ts';
import { checkLevel, type Interval } from '../statistics/mean.ts';

export interface TrueSkillRating {
  readonly mean: number;
  readonly deviation: number;
}

export interface TrueSkillOptions {
  /** How much a performance varies around a skill. */
  readonly beta?: number;
  /** How much a skill may drift between games. */
  readonly drift?: number;
  /** How often equals draw; it sets the margin within which a result is a draw. */
  readonly drawChance?: number;
}

export const skillStart: TrueSkillRating = { mean: 25, deviation: 25 / 3 };

export function skillInterval({ mean, deviation }: TrueSkillRating, level = 0.95): Interval {
  const half = normalQuantile(0.5 + checkLevel(level) / 2) * deviation;
  return [mean - half, mean + half];
}

/** The skills after a game. `places[t]` is where team t finished: lower is better, equal is a draw. */
export function trueskill(
  teams: readonly (readonly TrueSkillRating[])[],
  places: readonly number[],
  options: TrueSkillOptions = {},
): TrueSkillRating[][] {
  const { beta = 25 / 6, drift = 25 / 300, drawChance = 0.1 } = options;
  check(teams, places, drawChance);
  const order = teams.map((_, t) => t).sort((s, t) => places[s] - places[t]);
  const drifted = teams.map((team) => team.map((skill) => ({ mean: skill.mean, variance: skill.deviation ** 2 + drift ** 2 })));
  const before = order.map((t): Bell => {
    const team = drifted[t];
    return { mean: sum(team.map((skill) => skill.mean)), variance: sum(team.map((skill) => skill.variance + beta ** 2)) };
  });
  const results = order.slice(1).map((below, k): Result => {
    const above = order[k];
    const size = teams[above].length + teams[below].length;
    const margin = drawChance === 0 ? 0 : normalQuantile((drawChance + 1) / 2) * beta * Math.sqrt(size);
    return { draw: places[above] === places[below], margin };
  });
  const after = propagate(before, results);
  const updated: TrueSkillRating[][] = teams.map(() => []);
  order.forEach((t, k) => {
    const old = before[k];
    const now = after[k];
    updated[t] = drifted[t].map((skill) => {
      // A member takes the part of the team's news that its own doubt had in the team's.
      const part = skill.variance / old.variance;
      return {
        mean: skill.mean + part * (now.mean - old.mean),
        deviation: Math.sqrt(skill.variance - part ** 2 * (old.variance - now.variance)),
      };
    });
  });
  return updated;
}

interface Bell {
  readonly mean: number;
  readonly variance: number;
}

/** A message between neighbours in natural form, where multiplying is adding: 1 / variance, and mean / variance. */
interface Message {
  readonly precision: number;
  readonly shift: number;
}

interface Result {
  readonly draw: boolean;
  readonly margin: number;
}

const silent: Message = { precision: 0, shift: 0 };

/** The belief about each team's performance, given all results along the chain. */
function propagate(before: readonly Bell[], results: readonly Result[]): Bell[] {
  const messages = before.map(({ mean, variance }): Message => ({ precision: 1 / variance, shift: mean / variance }));
  const up: Message[] = results.map(() => silent);
  const down: Message[] = results.map(() => silent);
  const rate = (k: number): number => {
    const above = bell(add(messages[k], k > 0 ? down[k - 1] : silent));
    const below = bell(add(messages[k + 1], up[k + 1] ?? silent));
    const cut = cutMessage({ mean: above.mean - below.mean, variance: above.variance + below.variance }, results[k]);
    const statements = [
      message(below.mean + cut.mean, below.variance + cut.variance),
      message(above.mean - cut.mean, above.variance + cut.variance),
    ] as const;
    const moved = Math.max(change(up[k], statements[0]), change(down[k], statements[1]));
    [up[k], down[k]] = statements;
    return moved;
  };
  for (let round = 0; round < 1000; round++) {
    let moved = 0;
    for (let k = 0; k < results.length; k++) moved = Math.max(moved, rate(k));
    for (let k = results.length - 2; k >= 0; k--) moved = Math.max(moved, rate(k));
    if (moved < 1e-12 || results.length === 1) break;
  }
  return messages.map((message, k) => bell(add(message, add(up[k] ?? silent, k > 0 ? down[k - 1] : silent))));
}

/** The update of the belief about a difference by a result: the truncated normal divided by the normal. */
function cutMessage(believed: Bell, { draw, margin }: Result): Bell {
  const deviation = Math.sqrt(believed.variance);
  const { v, w } = (draw ? drawCut : winCut)(believed.mean / deviation, margin / deviation);
  const cut = { mean: believed.mean + deviation * v, variance: believed.variance * (1 - w) };
  const precision = 1 / cut.variance - 1 / believed.variance;
  return { mean: (cut.mean / cut.variance - believed.mean / believed.variance) / precision, variance: 1 / precision };
}

/** Shift and shrinkage of a standard normal truncated to lie above the margin. */
function winCut(t: number, margin: number): { v: number; w: number } {
  const x = t - margin;
  const inside = normalCdf(x);
  const v = inside > 1e-290 ? normalDensity(x) / inside : -x;
  return { v, w: shrink(v * (v + x)) };
}

/** Shift and shrinkage of a standard normal truncated to lie within the margin on either side. */
function drawCut(t: number, margin: number): { v: number; w: number } {
  const far = Math.abs(t);
  const [high, low] = [margin - far, -margin - far];
  const inside = normalCdf(high) - normalCdf(low);
  if (!(inside > 1e-290)) return { v: Math.sign(t) * high, w: shrink(1) };
  const v = (normalDensity(low) - normalDensity(high)) / inside;
  const w = v * v + (high * normalDensity(high) - low * normalDensity(low)) / inside;
  return { v: t < 0 ? -v : v, w: shrink(w) };
}

/** Rounding must not make a truncation say nothing or everything. */
function shrink(w: number): number {
  return Math.min(1 - 1e-12, Math.max(1e-12, w));
}

function bell({ precision, shift }: Message): Bell {
  return { mean: shift / precision, variance: 1 / precision };
}

function message(mean: number, variance: number): Message {
  return { precision: 1 / variance, shift: mean / variance };
}

function add(a: Message, b: Message): Message {
  return { precision: a.precision + b.precision, shift: a.shift + b.shift };
}

function change(a: Message, b: Message): number {
  return Math.max(Math.abs(a.precision - b.precision), Math.abs(a.shift - b.shift));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function check(teams: readonly (readonly TrueSkillRating[])[], places: readonly number[], drawChance: number): void {
  if (teams.length < 2 || teams.length !== places.length || teams.some((team) => team.length === 0))
    throw new Fault(
      'input',
      `TrueSkill needs at least two non-empty teams and a place for each, but got ${teams.length} teams and ${places.length} places.`,
    );
  if (!(drawChance >= 0 && drawChance < 1))
    throw new Fault('input', `The probability of a draw must be at least 0 and below 1, but got ${drawChance}.`);
  if (drawChance === 0 && new Set(places).size < places.length)
    throw new Fault(
      'input',
      'Two teams share a place, but the probability of a draw is 0. Set drawChance to the share of draws in this game.',
    );
}
