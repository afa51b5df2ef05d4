/**
 * @file The arena: the agent that tries out proposed tasks. It checks a task, lets the solver play it, and reports how often it was solved.
 */

import {
  type AnyEnvironment,
  type EndEvent,
  type EpisodeEvent,
  type Json,
  type Policy,
  type Reply,
  rng,
  type Seat,
  type Seed,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { lastWords } from './checks.ts';
import type { Attempted } from './shapes.ts';
import { type InspectorParts, TaskChecker } from './task-checker.ts';

export interface ArenaParts extends Omit<InspectorParts, 'environment'> {
  readonly environment: AnyEnvironment;
  /** The agents of the task: the solver on its seat, scripts on the others. */
  readonly policies: Readonly<Record<Seat, Policy>>;
  readonly solver: Seat;
  readonly seed: Seed;
  readonly attempts?: number;
  /** Whether the task was solved; by default, if the solver's return is above 0. */
  readonly solved?: (log: readonly EpisodeEvent[]) => boolean;
  /** Uses the share of attempts with the most common final message instead of the success rate, which needs no ground truth. */
  readonly majority?: boolean;
  /** The answer of an attempt, for agreement; its final message by default. */
  readonly answer?: (log: readonly EpisodeEvent[]) => string;
  /** A judge's opinion of a task, from 0 to 1. */
  readonly judge?: (task: Json) => number | Promise<number>;
  /** Verbs of moves that count as tool calls, besides actions with data. */
  readonly tools?: readonly string[];
  /** Receives every task and its attempts, as training data for the solver. */
  readonly hear?: (tried: TriedTask) => void;
  /** Receives every refused task. */
  readonly refuse?: (refused: RefusedTask) => void;
}

export interface RefusedTask {
  readonly task: Json;
  readonly words?: string;
  readonly moves?: readonly string[];
  readonly problem: string;
  readonly check: string;
}

export interface TriedTask {
  readonly task: Json;
  /** The writer's description, and its moves if the task was written move by move. */
  readonly words?: string;
  readonly moves?: readonly string[];
  readonly found: Attempted;
  readonly logs: readonly (readonly EpisodeEvent[])[];
}

/** A policy for the seat `arena` of a workshop. */
export function createSolverPolicy(parts: ArenaParts): Policy {
  const inspector = new TaskChecker(parts);
  let outcomeCount = 0;
  return {
    name: 'arena',
    async act(turns: readonly Turn[]): Promise<readonly Reply[]> {
      const replies: Reply[] = [];
      // In sequence, because earlier proposals decide what counts as a repetition.
      for (const { ask } of turns) {
        const { task, ...about } = ask.data as Pick<TriedTask, 'task' | 'words' | 'moves'>;
        const attempted = await tryTask(task, { ...parts, inspector, number: outcomeCount++, about });
        replies.push({ action: { text: attempted.valid ? `rate ${attempted.rate}` : 'not valid', data: attempted as unknown as Json } });
      }
      return replies;
    },
  };
}

interface Trial extends ArenaParts {
  readonly inspector: TaskChecker;
  readonly number: number;
  readonly about: Pick<TriedTask, 'words' | 'moves'>;
}

async function tryTask(task: Json, parts: Trial): Promise<Attempted> {
  const { environment, policies, solver, seed, attempts = 8, judge, majority = false, tools = [] } = parts;
  const inspection = await parts.inspector.inspect(task);
  const { diversity, likeness } = inspection;
  const quality = judge === undefined ? null : await judge(task);
  const none = { valid: false, rate: 0, attempts: 0, diversity, likeness, calls: 0, quality };
  if (!inspection.ok) {
    const { problem, check } = inspection;
    parts.refuse?.({ task, problem, check, ...parts.about });
    return { ...none, problem, check };
  }
  const dice = rng(seed, 'arena', parts.number);
  const logs = await rollout(environment, policies, {
    seeds: Array.from({ length: attempts }, () => dice.int(2 ** 32)),
    task: inspection.task,
  });
  const ended = logs.filter((log) => endOf(log)?.reason !== 'error');
  if (ended.length === 0)
    return { ...none, problem: `No attempt could be played: ${endOf(logs[0] ?? [])?.fault?.message ?? 'nothing was tried'}` };
  const solved = parts.solved ?? ((log) => (endOf(log)?.returns[solver] ?? 0) > 0);
  const rate = majority
    ? agreement(ended.map(parts.answer ?? ((log) => lastWords(log, solver))))
    : ended.filter(solved).length / ended.length;
  const calls = ended.reduce((sum, log) => sum + callsOf(log, solver, tools), 0) / ended.length;
  const attempted: Attempted = { valid: true, problem: null, rate, attempts: ended.length, diversity, likeness, calls, quality };
  parts.hear?.({ task: inspection.task, found: attempted, logs: ended, ...parts.about });
  return attempted;
}

/** The share of the most common answer. */
export function agreement(answers: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return Math.max(0, ...counts.values()) / Math.max(1, answers.length);
}

function endOf(log: readonly EpisodeEvent[]): EndEvent | null {
  const last = log.at(-1);
  return last?.kind === 'end' ? last : null;
}

/** The number of tool calls in the log: actions with data, and moves whose verb is a tool's. */
function callsOf(log: readonly EpisodeEvent[], seat: Seat, tools: readonly string[]): number {
  const isCall = (text: string) => tools.includes(/^\[(\w+)/.exec(text.trim())?.[1]?.toLowerCase() ?? '');
  return log.filter(
    (event) => event.kind === 'action' && event.seat === seat && (event.action.data !== undefined || isCall(event.action.text)),
  ).length;
}
