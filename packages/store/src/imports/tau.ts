/** @file τ-bench results: trajectories of the first benchmark, and simulations of τ². A task's tries are one task here, too. */

import type { Json, JsonObject, Score } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { assistant, linesIn, talk, user } from './messages.ts';
import type { Transcript, TranscriptReader } from './transcript.ts';

export const tau1: TranscriptReader = {
  name: 'tau-bench',
  fits: ({ traj, task_id: task }) => Array.isArray(traj) && task !== undefined,
  read(item) {
    const info = isObject(item['info']) ? item['info'] : {};
    return {
      ...talk(linesIn(item['traj'], '"traj"'), []),
      cast: { [assistant]: assistant, [user]: user },
      task: { id: item['task_id']!, ...(info['task'] === undefined ? {} : { task: info['task'] }) },
      trial: numberIn(item['trial']) ?? 0,
      ...readReward(item['reward']),
    };
  },
};

/** A τ² file has the settings of a run and its simulations; each simulation is read together with these settings. */
export const tau2: TranscriptReader = {
  name: 'tau2-bench',
  fits: ({ messages, task_id: task, termination_reason: reason, reward_info: reward }) =>
    Array.isArray(messages) && task !== undefined && (reason !== undefined || reward !== undefined),
  read(item) {
    const info = isObject(item['info']) ? item['info'] : {};
    const reward = isObject(item['reward_info']) ? item['reward_info'] : {};
    const domain = isObject(info['environment_info']) ? info['environment_info']['domain_name'] : undefined;
    return {
      ...talk(linesIn(item['messages'], '"messages"'), []),
      cast: { [assistant]: llmIn(info['agent_info']) ?? assistant, [user]: llmIn(info['user_info']) ?? user },
      task: { id: item['task_id']!, ...(typeof domain === 'string' ? { domain } : {}) },
      trial: numberIn(item['trial']) ?? 0,
      ...readReward(reward['reward']),
      scores: breakdown(reward['reward_breakdown']),
    };
  },
};

/** Simulations of a τ² file as their own items, or null for any other. */
export function simulationsIn(document: JsonObject): readonly JsonObject[] | null {
  const { simulations, info } = document;
  if (!Array.isArray(simulations)) return null;
  return simulations.filter(isObject).map((simulation) => ({ ...simulation, info: info ?? null }));
}

/** A reward of 1 is a task done, any other is not. */
function readReward(reward: Json | undefined): Pick<Transcript, 'rewards' | 'pass'> {
  const value = numberIn(reward);
  return value === undefined ? {} : { rewards: { [assistant]: value }, pass: 1 };
}

function breakdown(value: Json | undefined): readonly Score[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([part, worth]): readonly Score[] => {
    const score = numberIn(worth);
    if (score === undefined) return [];
    const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: null };
    const name = `tau2.${part.toLowerCase()}`;
    return [{ name, value: score, status: 'ok', seat: assistant, evidence: [], cost, provenance: { source: 'tau2-bench' } }];
  });
}

function llmIn(info: Json | undefined): string | undefined {
  const llm = isObject(info) ? info['llm'] : undefined;
  return typeof llm === 'string' ? llm : undefined;
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
