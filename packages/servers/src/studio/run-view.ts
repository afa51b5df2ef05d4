/** @file A run as its page shows it, derived from counts of its episodes: a list row, results, and the distribution of returns. */

import { changedSinceText } from '@ludus-agents/evaluation/internal/changed-since';
import { type JournalStore, readChangeTexts } from '@ludus-agents/evaluation/internal/current-versions';
import { playersIn } from '@ludus-agents/evaluation/internal/results';
import { rateInterval } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import type { EpisodeRecord, EpisodeTally, RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import type { KeptAttack } from '@ludus-agents/learning/internal/improving/kept-attack';
import type { AttackShown, RunDetail, RunLine, SpreadShown, ThroughShown } from './api.ts';

export function lineOf({ id, plan, episodes, work }: RunRecord, tallies: readonly EpisodeTally[]): RunLine {
  // A run stores its first plan, but may have been played with more seeds since. 0 is unknown.
  const stored = tallies.reduce((sum, { count }) => sum + count, 0);
  const planned = episodes === 0 ? 0 : Math.max(episodes, stored);
  return {
    ...{ id, planned, kind: work?.kind ?? null, ends: endsIn(tallies) },
    environments: plan.environments.map(({ environment }) => environment),
    agents: namesIn(tallies).agents,
  };
}

function endsIn(tallies: readonly EpisodeTally[]): RunLine['ends'] {
  const ends: Partial<Record<EpisodeRecord['status'], number>> = {};
  for (const { status, count } of tallies) ends[status] = (ends[status] ?? 0) + count;
  return ends;
}

export function namesIn(tallies: readonly EpisodeTally[]): { agents: readonly string[]; environments: readonly string[] } {
  const agents = new Set(tallies.flatMap(({ environment, cast }) => playersIn({ environment, cast }).map((seat) => cast[seat]!)));
  return {
    agents: [...agents].sort((a, b) => byOpponent(a, b) || (a < b ? -1 : 1)),
    environments: [...new Set(tallies.map(({ environment }) => environment))].sort(),
  };
}

/** A run with its current episodes; all figures are about the same ones. */
export async function readDetail(
  run: RunRecord,
  tallies: readonly EpisodeTally[],
  { store, cwd }: { readonly store: JournalStore & Pick<Store, 'journals'>; readonly cwd: string },
): Promise<RunDetail> {
  const saved = await changedSinceText(store, run, cwd);
  return {
    ...lineOf(run, tallies),
    plan: run.plan,
    work: run.work ?? null,
    spreads: spreadsIn(tallies),
    journals: await store.journals(run.id),
    changes: [...(await readChangeTexts(store, run.id)), ...(saved === null ? [] : [saved])],
  };
}

/** An attack as its page shows it: the most successful methods first. */
export function attackView({ attacks, harm, ways, notes = [], ...report }: KeptAttack): AttackShown {
  const { with: kind, target, overRefusal, plain, examples, untested, rounds } = report;
  const visible = ways.map((wayReport) => ({ way: wayReport.way, ...throughOf(wayReport.attacks, wayReport.harm) }));
  return {
    ...{ with: kind, target, overRefusal, plain, examples, untested, rounds, notes },
    ...throughOf(attacks, harm),
    ways: visible.sort((a, b) => b.through / b.of - a.through / a.of || b.of - a.of),
  };
}

function throughOf(of: number, harm: number): ThroughShown {
  const through = Math.round(of * harm);
  return { through, of, interval: rateInterval(through, of) };
}

/** Agents under test before the suite's own opponents. */
function byOpponent(a: string, b: string): number {
  return Number(a.startsWith('house:')) - Number(b.startsWith('house:'));
}

const bins = 24;

/** The distribution of each agent's returns: the values if there are few, otherwise equal-width bins. */
function spreadsIn(tallies: readonly EpisodeTally[]): readonly SpreadShown[] {
  const values = new Map<string, Map<number, number>>();
  for (const { status, environment, cast, returns, count } of tallies) {
    if (status !== 'over' && status !== 'limit') continue;
    for (const seat of playersIn({ environment, cast })) {
      const agent = cast[seat]!;
      const ownEntry = values.get(agent) ?? new Map<number, number>();
      const value = returns?.[seat] ?? 0;
      values.set(agent, ownEntry.set(value, (ownEntry.get(value) ?? 0) + count));
    }
  }
  return [...values]
    .sort(([a], [b]) => byOpponent(a, b) || (a < b ? -1 : 1))
    .map(([agent, ownEntry]) => ({ agent, bars: barsOf([...ownEntry]) }));
}

export function barsOf(counted: readonly (readonly [number, number])[]): SpreadShown['bars'] {
  const sorted = [...counted].sort(([a], [b]) => a - b);
  const [low, high] = [sorted[0]?.[0] ?? 0, sorted.at(-1)?.[0] ?? 0];
  if (sorted.length <= bins) return sorted.map(([value, count]) => ({ from: value, to: value, count }));
  const width = (high - low) / bins;
  const counts = new Array<number>(bins).fill(0);
  for (const [value, count] of sorted) {
    const bin = Math.min(bins - 1, Math.floor((value - low) / width));
    counts[bin] = counts[bin]! + count;
  }
  return counts.map((count, i) => ({ from: low + i * width, to: low + (i + 1) * width, count }));
}
