/** @file The standings of an evaluation: for every agent and scene a mean with its interval, the floor, pass^k, and what is missing. */

import type { Score, ScoreStatus } from '@ludus-agents/kernel/internal/core/index';
import { failuresIn, type ScoreFailure } from '../failures.ts';
import { chooseOver, type Over } from '../statistics/estimator.ts';
import { type Interval, mean } from '../statistics/mean.ts';
import { passHat, type Tries } from '../statistics/pass.ts';
import { type Summary, summaryOf, valuesOf } from '../statistics/summary.ts';
import { contest } from './contest.ts';
import { arePoints, type ScoreRow } from './row.ts';

export interface SceneStanding {
  readonly scene: string;
  /** Null if no episode has a value. */
  readonly value: number | null;
  readonly interval: Interval | null;
  /** Distinct tasks that have a value. */
  readonly tasks: number;
  /** Distinct episodes that have a value; repeats of a task count here. */
  readonly episodes: number;
  readonly missing: number;
  /** The suite's floor: the score of its null agent here. */
  readonly floor: number | null;
  /** How much more than the floor, over paired episodes. */
  readonly lift: Lift | null;
}

export interface Lift {
  readonly value: number;
  readonly interval: Interval | null;
}

export interface Standing {
  readonly agent: string;
  /** It is a null agent, which others must beat. */
  readonly isNull: boolean;
  /** The mean over scenes, each counted the same; null where a scene has no value at all. */
  readonly value: number | null;
  readonly interval: Interval | null;
  /** Distinct tasks that have a value. */
  readonly tasks: number;
  /** Distinct episodes that have a value; repeats of a task count here. */
  readonly episodes: number;
  /** Values; more than episodes where an agent had several seats. */
  readonly values: number;
  /** Seats of episodes without a value. */
  readonly missing: number;
  /** The reasons for missing values, with counts. */
  readonly reasons: Readonly<Partial<Record<ScoreStatus, number>>>;
  /** The error messages, with counts. */
  readonly failures: readonly ScoreFailure[];
  readonly floor: number | null;
  readonly lift: Lift | null;
  /** pass^k for each k that every task has enough tries for. */
  readonly pass: Readonly<Record<string, number>>;
  readonly scenes: readonly SceneStanding[];
}

/** Agents from best to worst, with intervals, floors and lifts. */
export interface Standings {
  /** The null agent with the highest mean, which is the floor. */
  readonly floorAgent: string | null;
  /** Best first; null agents among the others. */
  readonly agents: readonly Standing[];
  /** The population that intervals cover: new seeds of these tasks, or new tasks. */
  readonly over: Over;
  /** How many tasks were played. */
  readonly tasks: number;
}

export interface StandingsOptions {
  readonly nulls?: readonly string[];
  readonly k?: readonly number[];
  readonly level?: number;
  /** The population that intervals cover: new tasks if there are ten or more, otherwise new seeds. */
  readonly over?: Over | undefined;
  /** In display order. */
  readonly scenes?: readonly string[];
}

/** The played scenes, in the requested order or else in order of appearance. */
export function playedScenes(rows: readonly Pick<ScoreRow, 'scene'>[], wanted?: readonly string[]): readonly string[] {
  const played = new Set(rows.map(({ scene }) => scene));
  return wanted === undefined ? [...played] : wanted.filter((scene) => played.has(scene));
}

/** Computes means, intervals and lifts over the floor from rows. */
export function standingsOf(rows: readonly ScoreRow[], options: StandingsOptions = {}): Standings {
  const { nulls = [], k = [], level = 0.95, scenes = playedScenes(rows) } = options;
  const over = chooseOver(rows, options.over);
  const byAgent = Map.groupBy(rows, (row) => row.agent);
  const tables = new Map(
    [...byAgent].map(([agent, scoreRows]) => [agent, tableOf(scoreRows, scenes, { level, over, unit: arePoints(rows) })]),
  );
  const floorAgent = best(tables, nulls);
  const floor = floorAgent === null ? null : (tables.get(floorAgent) as Table);
  const agents = [...tables].map(([agent, table]): Standing => {
    const scoreRows = byAgent.get(agent) as readonly ScoreRow[];
    const other = floorAgent === null || agent === floorAgent ? null : (byAgent.get(floorAgent) as readonly ScoreRow[]);
    return {
      agent,
      isNull: nulls.includes(agent),
      ...table.overall,
      ...missingIn(scoreRows),
      floor: floor?.overall.value ?? null,
      lift: other === null || table.overall.value === null ? null : liftOf(scoreRows, other, { level, over }),
      pass: passOf(scoreRows, k),
      scenes: scenes.map((scene) =>
        sceneStanding({ scene, table, floor, lift: sceneLift(table, other === null ? null : floor, scene, level) }),
      ),
    };
  });
  const ranked = agents.sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
  return { floorAgent, agents: ranked, over, tasks: new Set(rows.map(({ task }) => task)).size };
}

interface Table {
  readonly rows: ReadonlyMap<string, readonly ScoreRow[]>;
  readonly summaries: ReadonlyMap<string, Summary | null>;
  readonly overall: Pick<Standing, 'value' | 'interval' | 'tasks' | 'episodes' | 'values'>;
  readonly over: Over;
}

interface Kind {
  readonly level: number;
  readonly over: Over;
  /** Do all values of all agents lie from 0 to 1? */
  readonly unit: boolean;
}

function tableOf(rows: readonly ScoreRow[], scenes: readonly string[], kind: Kind): Table {
  const byScene = Map.groupBy(rows, (row) => row.scene);
  const summaries = new Map(scenes.map((scene) => [scene, summaryOf(byScene.get(scene) ?? [], kind)]));
  // A mean over fewer scenes would not be comparable with those of others.
  const whole = scenes.every((scene) => (summaries.get(scene) ?? null) !== null);
  // If everything was played in one scene, the mean over scenes is the mean of that scene.
  const single = scenes.length === 1 && byScene.size === 1 ? summaries.get(scenes[0]) : undefined;
  const summary = single ?? summaryOf(rows, kind);
  const { value, interval } = (whole ? summary : null) ?? { value: null, interval: null };
  const { tasks, episodes, values } = summary ?? { tasks: 0, episodes: 0, values: 0 };
  return { rows: byScene, summaries, overall: { value, interval, tasks, episodes, values }, over: kind.over };
}

function best(tables: ReadonlyMap<string, Table>, nulls: readonly string[]): string | null {
  let match: string | null = null;
  for (const name of nulls) {
    const value = tables.get(name)?.overall.value ?? null;
    if (value !== null && (match === null || value > (tables.get(match)?.overall.value ?? -Infinity))) match = name;
  }
  return match;
}

function sceneLift(mine: Table, floor: Table | null, scene: string, level: number): Lift | null {
  return floor === null ? null : liftOf(mine.rows.get(scene) ?? [], floor.rows.get(scene) ?? [], { level, over: mine.over });
}

function liftOf(mine: readonly ScoreRow[], floor: readonly ScoreRow[], { level, over }: Omit<Kind, 'unit'>): Lift | null {
  if (valuesOf(mine).length < 2 || valuesOf(floor).length < 2) return null;
  const { difference, interval } = contest({ name: 'agent', rows: mine }, { name: 'floor', rows: floor }, { level, over });
  return { value: difference, interval: [Math.min(interval[0], difference), Math.max(interval[1], difference)] };
}

function sceneStanding({
  scene,
  table,
  floor,
  lift,
}: {
  scene: string;
  table: Table;
  floor: Table | null;
  lift: Lift | null;
}): SceneStanding {
  const summary = table.summaries.get(scene) ?? null;
  return {
    scene,
    value: summary?.value ?? null,
    interval: summary?.interval ?? null,
    tasks: summary?.tasks ?? 0,
    episodes: summary?.episodes ?? 0,
    missing: (table.rows.get(scene) ?? []).filter((row) => row.value === null).length,
    floor: floor?.summaries.get(scene)?.value ?? null,
    lift,
  };
}

function missingIn(rows: readonly ScoreRow[]): Pick<Standing, 'missing' | 'reasons' | 'failures'> {
  const reasons: Partial<Record<ScoreStatus, number>> = {};
  const failures: Pick<Score, 'name' | 'status' | 'reason'>[] = [];
  let missing = 0;
  for (const { value, status, scene, reason } of rows) {
    if (reason !== undefined) failures.push({ name: scene, status, reason });
    if (value !== null) continue;
    missing++;
    reasons[status] = (reasons[status] ?? 0) + 1;
  }
  return { missing, reasons, failures: failuresIn(failures) };
}

/** Over tries of a task on a seat, averaged as the mean is: over scenes, tasks, and seats. None where passing is not defined. */
function passOf(rows: readonly ScoreRow[], k: readonly number[]): Record<string, number> {
  const tried = rows.filter(({ passed }) => passed !== null);
  const scenes = [...Map.groupBy(tried, ({ scene }) => scene).values()].map((inScene) =>
    [...Map.groupBy(inScene, ({ task }) => task).values()].map((ofTask) =>
      [...Map.groupBy(ofTask, ({ seat }) => seat).values()].map(
        (tries): Tries => ({ tries: tries.length, successes: tries.filter(({ passed }) => passed).length }),
      ),
    ),
  );
  const most = Math.min(...scenes.flat(2).map(({ tries }) => tries));
  const passAll = (wanted: number) => mean(scenes.map((tasks) => mean(tasks.map((seats) => passHat(seats, wanted)))));
  return Object.fromEntries(tried.length === 0 ? [] : k.filter((value) => value <= most).map((value) => [value, passAll(value)]));
}
