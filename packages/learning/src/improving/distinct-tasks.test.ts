/**
 * @file What an improvement claims, over hundreds of seeds: edits that do nothing are called a gain no more often than a 95% interval allows,
 * though tasks are repeated and the gate has chosen by some of them; a real gain is found; and repeats are never counted as tasks.
 */

import { suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { type AgentSpec, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { componentsOf, withComponents } from '../prompts/components.ts';
import type { Proposer } from '../prompts/engine.ts';
import { random } from '../prompts/engines/random.ts';
import type { TrialEnvironment } from '../prompts/evaluator.ts';
import { defaults, improve } from '../prompts/improve.ts';
import type { ImproveReport } from '../prompts/report.ts';
import { fewestTasks } from '../prompts/task-statistics.ts';
import { toySpec } from '../prompts/toy.cases.ts';
import { reportEpisodes, splitSuite } from './suite-trials.ts';

const suiteOf = (tasks: number) =>
  suite({
    name: 's',
    about: '',
    nulls: ['random'],
    scenes: [{ name: 's', environment: 'e', seats: ['a'], tasks: Array.from({ length: tasks }, (_, i): Json => ({ i })) }],
  });

/** Writes a line that was never there before. */
const scribbler: Proposer = {
  name: 'scribbler',
  improver: ({ rng: dice, many }) => ({
    name: 'scribbler',
    improve: async (spec) =>
      Array.from({ length: many }, () => withComponents(spec, { ...componentsOf(spec), instruction: `line ${dice.int(1e9)}` })),
  }),
};

/** A suite of distinct tasks as trials: `chance` is how likely a spec is to succeed at a task, and every episode is a coin. */
function trialsOf(tasks: number, seed: number, chance: (text: string, task: string) => number) {
  const counts = { propose: 12, select: 12, report: reportEpisodes(suiteOf(tasks), 48) };
  const division = splitSuite(suiteOf(tasks), seed, counts);
  const itemAt = (split: 'propose' | 'select' | 'report', number: number) => {
    const items = division[split][0]!;
    return items[number % items.length]!;
  };
  const ground: TrialEnvironment = {
    identity: 'coins',
    taskAt: ({ split, task }) => {
      const item = itemAt(split, task);
      const name = JSON.stringify(item.task);
      return { scene: 's', task: name, unit: name, use: item.use };
    },
    async play(spec, trial) {
      const text = spec.texts?.['instruction'] ?? '';
      const name = JSON.stringify(itemAt(trial.split, trial.task).task);
      const hit = rng(trial.seed, text).next() < chance(text, name);
      return { score: hit ? 1 : 0, status: 'ok', cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 } };
    },
    lesson: async () => ({ episode: { id: 'e', events: [] }, seat: 'a', scores: [] }),
  };
  return { ground, counts };
}

interface Course {
  readonly tasks: number;
  readonly seed: number;
  readonly start?: AgentSpec;
  readonly proposer?: Proposer;
  readonly chance: (text: string, task: string) => number;
}

async function runOnce({ tasks, seed, start = toySpec('start'), proposer = scribbler, chance }: Course): Promise<ImproveReport> {
  const { ground, counts } = trialsOf(tasks, seed, chance);
  const store = memoryStore();
  await store.putRun({ id: 'run', plan: { name: 'run', environments: [], seeds: [1], casts: [] }, episodes: 0 });
  const services = { store, run: 'run', engine: random, ground, proposer, blind: proposer };
  const work = { ...defaults, engine: 'random', settings: {}, proposer: proposer.name, seed, budget: { calls: 80 }, tasks: counts, start };
  const course = improve(work, services);
  for (let next = await course.next(); ; next = await course.next()) if (next.done === true) return next.value;
}

describe('improvement report', () => {
  const runs = amount(80, 600);
  /** The largest share that a true rate of 2.5% shows in so many runs, with a margin of three standard errors. */
  const nominal = 0.025 + 3 * Math.sqrt((0.025 * 0.975) / runs);

  it('claims a gain for useless edits no more often than its 95% interval allows', async () => {
    let gains = 0;
    for (let seed = 0; seed < runs; seed++) {
      const report = await runOnce({ tasks: 36, seed, chance: (_, task) => rng(seed, 'hard', task).next() });
      if (report.verdict === 'gain') gains++;
      expect(report.heldOut.tasks).toBeGreaterThanOrEqual(fewestTasks);
    }
    expect(gains / runs).toBeLessThanOrEqual(nominal);
  });

  it('rarely claims a gain if each edit helps some tasks and hurts as many', async () => {
    let [gains, biased] = [0, 0];
    for (let seed = 0; seed < runs; seed++) {
      const chance = (text: string, task: string) => (rng(seed, 'deterministic', text, task).next() < 0.5 ? 1 : 0);
      const report = await runOnce({ tasks: 36, seed, chance });
      if (report.verdict === 'gain') gains++;
      // The tasks of the gate are among those that the proposer did not see, and show what was chosen by them.
      biased += (report.gain.mean - report.heldOut.mean) / runs;
    }
    expect(gains / runs).toBeLessThanOrEqual(nominal);
    expect(biased).toBeGreaterThan(0.05);
  });

  it('detects a real gain', async () => {
    let gains = 0;
    const few = Math.ceil(runs / 10);
    for (let seed = 0; seed < few; seed++) {
      const report = await runOnce({ tasks: 48, seed, chance: (text) => (text === 'start' ? 0.1 : 0.8) });
      if (report.verdict === 'gain') gains++;
    }
    expect(gains / few).toBeGreaterThan(0.9);
  });

  it('reports too few tasks instead of a verdict on twelve tasks', async () => {
    // Two tasks that nothing solves are always failed, whoever saw them.
    const report = await runOnce({ tasks: 12, seed: 1, chance: (text, task) => (text === 'start' || /"i":1[01]/.test(task) ? 0 : 1) });
    expect(report).toMatchObject({
      verdict: 'too few',
      tasks: 8,
      episodes: 48,
      heldOut: { tasks: 4, episodes: 16 },
      gain: { tasks: 8, episodes: 32 },
    });
    expect(report.best.seen).toMatchObject({ tasks: 4, episodes: 16 });
    expect(report.failed.map(({ task }) => task).sort()).toEqual(['{"i":10}', '{"i":11}']);
    for (const { low, high } of [report.best, report.start, report.gain, report.heldOut, report.overRandom])
      if (low !== null) expect(high! - low).toBeGreaterThan(0.1);
    const words = report.words.join(' ');
    expect(words).toContain('On the 8 tasks that the proposer did not see (32 episodes)');
    expect(words).toContain('4 held-out tasks cannot support a claim, which needs at least 10');
    expect(words).toContain('On the 4 tasks that the proposer saw');
    expect(words).not.toMatch(/48 tasks|1\.000 \(1\.000 to 1\.000\)/);
  });
});
