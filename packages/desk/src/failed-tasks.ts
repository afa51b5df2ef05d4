/** @file Builds a suite from the tasks of a run, or from its failed tasks. */

import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import { resultName, type ScoreRow, testedSeats } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { wilson } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import { isBuiltInAgent, type SceneInput, type Suite, type SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { canonical, type EpisodeRecord, type Json, type Score, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { faultScorers } from './faults/index.ts';

export interface FailedTasksOptions {
  readonly run: string;
  readonly failed: boolean;
  readonly agent?: string | undefined;
  /** Only tasks whose pass rate lies between these. */
  readonly rate?: readonly [number, number] | undefined;
  /** The suite of the run, if known: its scenes define scales and scorers. */
  readonly known: Suite | null;
}

export interface FailedTasks {
  /** Null if no task remains. */
  readonly suite: SuiteInput | null;
  readonly tasks: number;
  /** The pass rate of each task: its measured difficulty. */
  readonly rates: readonly TaskRate[];
}

export interface TaskRate {
  readonly scene: string;
  readonly task: Json;
  readonly passed: number;
  readonly tries: number;
  /** Of 95%. */
  readonly interval: Interval;
}

export async function suiteFromRun(store: Store, { run, failed, agent, rate, known }: FailedTasksOptions): Promise<FailedTasks> {
  const { rows, records, scores } = await readScoredRows(store, { run });
  const nulls = known?.nulls ?? ['random', 'scripted:do-nothing', 'scripted:always-refuse'];
  const meant = rows.filter((row) => (agent === undefined ? !nulls.includes(row.agent) : row.agent === agent));
  const tries = Map.groupBy(
    meant.filter(({ passed, episode }) => passed !== null && records.has(episode)),
    ({ scene, episode }) => `${scene} ${canonical(records.get(episode)!.task)}`,
  );
  const rates = new Map([...tries].map(([key, scoreRows]) => [key, rateOf(scoreRows, records)]));
  const selectedScoreRows = meant.filter(({ passed, value, scene, episode }) => {
    if (failed && !(passed === false || (passed === null && value === null))) return false;
    if (rate === undefined) return true;
    const measured = rates.get(`${scene} ${canonical(records.get(episode)?.task ?? null)}`);
    return measured !== undefined && isWithin(measured.passed / measured.tries, rate);
  });
  const scenes = new Map<string, { input: SceneInput; tasks: Map<string, Json> }>();
  for (const row of selectedScoreRows) {
    const record = records.get(row.episode);
    if (record === undefined) continue;
    const suiteScene = known?.scenes.find(({ name }) => name === row.scene);
    const input = suiteScene ?? sceneOf(record, row.scene, scores.get(row.episode) ?? []);
    const key = `${row.scene} ${input.seats.join()} ${canonical((input.others ?? {}) as Json)}`;
    const scene = scenes.get(key) ?? { input, tasks: new Map<string, Json>() };
    scene.tasks.set(canonical(record.task), record.task);
    scenes.set(key, scene);
  }
  const tasks = [...scenes.values()].reduce((sum, item) => sum + item.tasks.size, 0);
  if (tasks === 0) return { suite: null, tasks, rates: [...rates.values()] };
  const names = new Set<string>();
  const freeName = (name: string): string => {
    let free = name;
    for (let i = 2; names.has(free); i++) free = `${name} ${i}`;
    names.add(free);
    return free;
  };
  const written = [...scenes.values()].map(
    ({ input, tasks: ownEntry }): SceneInput => ({
      ...input,
      name: freeName(input.name ?? input.environment),
      tasks: [...ownEntry.values()],
    }),
  );
  const desks = written.every(({ environment }) => environment === 'desk');
  return {
    suite: {
      name: `${run.replace(/[^\w.-]/g, '-').slice(0, 50)}-${failed ? 'failed' : 'tasks'}`,
      about: `${failed ? 'What failed in' : 'The tasks of'} ${run}.`,
      nulls: known?.nulls ?? (desks ? ['scripted:do-nothing', 'scripted:always-refuse'] : ['random']),
      seeds: known?.seeds ?? 3,
      scenes: written,
    },
    tasks,
    rates: [...rates.values()],
  };
}

const isWithin = (share: number, [low, high]: readonly [number, number]) => share >= low && share <= high;

function rateOf(rows: readonly ScoreRow[], records: ReadonlyMap<string, EpisodeRecord>): TaskRate {
  const passed = rows.filter((row) => row.passed === true).length;
  const [{ scene, episode }] = rows as readonly [ScoreRow, ...ScoreRow[]];
  return { scene, task: records.get(episode)!.task, passed, tries: rows.length, interval: wilson(passed, rows.length) };
}

/** The scene as the log shows it: the cast, and the deciding scorer. */
function sceneOf(record: EpisodeRecord, name: string, scores: readonly Score[]): SceneInput {
  const environment = record.environment.split('@', 1)[0];
  const result = scores.findLast((score) => score.name === resultName);
  const scorer = result?.provenance?.['scorer'];
  const score = typeof scorer === 'string' ? scorer.split('@', 1)[0] : 'return';
  const others = Object.entries(record.cast).filter(([, agent]) => isBuiltInAgent(agent));
  return {
    ...{ name, environment, seats: testedSeats(record), score },
    others: Object.fromEntries(others.map(([seat, agent]) => [seat, agent.slice('house:'.length)])),
    ...(environment === 'desk' ? { also: [...faultScorers, 'audits'] } : {}),
    ...(isObject(record.task) ? {} : { tasks: [record.task] }),
  };
}
