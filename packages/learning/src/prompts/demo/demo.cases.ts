/** @file The demonstration without a terminal, for tests and benchmarks. */

import { codebreaker } from '@ludus-agents/environments/internal/codebreaker';
import type { Agent, AgentSpec, EpisodeEvent, Json, Score } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { Proposer } from '../engine.ts';
import { builtInEngine } from '../engines/index.ts';
import { createEpisodeTrials, type EpisodeGround } from '../episode-trials.ts';
import { defaults, improve } from '../improve.ts';
import type { Journals } from '../journal.ts';
import type { ImproveReport } from '../report.ts';
import { instructionDemo as demo, lawfulPlayer } from './index.ts';

export interface DemoRun {
  readonly engine: string;
  readonly seed: number;
  readonly calls?: number;
  readonly proposer?: Proposer;
  /** Fresh tasks of the report. */
  readonly fresh?: number;
}

export async function demoReport({
  engine,
  seed,
  calls = 500,
  fresh = 200,
  proposer = demo.proposers['reflect']!,
}: DemoRun): Promise<ImproveReport> {
  const store = lightStore();
  const agents = async (spec: AgentSpec): Promise<Record<string, Agent>> => ({ [demo.seat]: lawfulPlayer(spec) });
  const ground = createEpisodeTrials({ store, run: 'run', environment: codebreaker, tasks: demo.tasks, seat: demo.seat, agents });
  const services = { store, run: 'run', engine: builtInEngine(engine), ground, proposer, blind: demo.proposers['blind']! };
  const what = {
    engine,
    settings: {},
    proposer: 'reflect',
    seed,
    budget: { calls },
    tasks: { ...demo.counts, report: fresh },
    start: demo.start,
  };
  const course = improve({ ...defaults, ...what }, services);
  let next = await course.next();
  while (next.done !== true) next = await course.next();
  return next.value;
}

/** Lists and nothing else: what a real store does for durability is measured elsewhere. */
export function lightStore(): EpisodeGround['store'] & Journals {
  const logs = new Map<string, EpisodeEvent[]>();
  const scores = new Map<string, readonly Score[]>();
  const journals = new Map<string, Json[]>();
  const listed = <T>(lists: Map<string, T[]>, name: string, more: readonly T[]) => lists.set(name, [...(lists.get(name) ?? []), ...more]);
  return {
    append: async (id, _, events) => void listed(logs, id, events),
    events: async (id) => logs.get(id) ?? [],
    putScores: async (id, partialScores) => void scores.set(id, partialScores),
    scores: async (id) => scores.get(id) ?? [],
    note: async (_, name, __, entries) => void listed(journals, name, entries),
    notes: async (_, name) => journals.get(name) ?? [],
  };
}

/** What texts are worth, over many seeds of every task. */
export async function worthOf(texts: Readonly<Record<string, string>>, seeds: number): Promise<number> {
  const player = lawfulPlayer({ ...demo.start, texts });
  let sum = 0;
  for (const task of demo.tasks)
    for (let seed = 0; seed < seeds; seed++)
      for await (const event of play(codebreaker, { [demo.seat]: player }, { seed, task }))
        if (event.kind === 'end') sum += event.returns[demo.seat] ?? 0;
  return sum / seeds / demo.tasks.length;
}
