/** @file Small proposers for a menu of tasks: one learns what each is paid, one asks a teacher. */

import { canonical, type EpisodeEvent, type Json, type Policy, rng, type Seed, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { TaskTeacher } from '../teachers/task-teacher.ts';
import type { LearnedProposer } from './selfplay.ts';
import type { Attempted } from './shapes.ts';

export interface MenuOptions {
  /** How far a task's value moves towards what it was paid. */
  readonly rate?: number;
  readonly temperature?: number;
  /** The share of proposals that are drawn evenly. */
  readonly even?: number;
}

/** Remembers what each task of a menu last paid, and takes the better ones more often. */
export function menuProposer({ rate = 0.1, temperature = 0.15, even = 0.1 }: MenuOptions = {}): LearnedProposer & {
  readonly values: ReadonlyMap<string, number>;
} {
  const values = new Map<string, number>();
  const act = ({ ask, rng: dice }: Turn) => {
    const choices = ask.choices ?? ['{}'];
    if (dice.next() < even) return { action: { text: dice.pick(choices) } };
    const weights = choices.map((choice) => Math.exp((values.get(choice) ?? 0) / temperature));
    return { action: { text: choices[dice.weighted(weights)]! } };
  };
  const policy: Policy = { name: 'menu', act: (turns) => turns.map(act) };
  return {
    policy,
    values,
    learn(episodes) {
      for (const { log, reward } of episodes) {
        const choice = proposalIn(log);
        const before = values.get(choice) ?? 0;
        values.set(choice, before + rate * (reward - before));
      }
    },
  };
}

function proposalIn(log: readonly EpisodeEvent[]): string {
  const event = log.find((one) => one.kind === 'action' && one.seat === 'proposer');
  return event?.kind === 'action' ? event.action.text : '';
}

/** Asks a task teacher which task of the menu comes next, and reports how often it was solved: a teacher on the seat of a proposer. */
export function taughtProposer(taskTeacher: TaskTeacher, menu: readonly Json[], seed: Seed): LearnedProposer {
  const places = new Map(menu.map((task, i) => [canonical(task), i]));
  let heard = 0;
  return {
    policy: {
      name: taskTeacher.teacher.name,
      act: (turns) => turns.map(({ rng: dice }) => ({ action: { text: JSON.stringify(menu[taskTeacher.next(dice)]) } })),
    },
    learn(episodes) {
      for (const { log } of episodes) {
        const task = places.get(canonical(JSON.parse(proposalIn(log)) as Json));
        if (task === undefined) continue;
        const found = attemptIn(log);
        taskTeacher.learn(task, found?.valid === true ? found.rate : null, rng(seed, 'syllabus', heard++));
      }
    },
  };
}

/** What the arena found out about the task of an episode. */
function attemptIn(log: readonly EpisodeEvent[]): Attempted | null {
  const event = log.findLast((one) => one.kind === 'action' && one.seat === 'arena');
  return event?.kind === 'action' ? ((event.action.data ?? null) as Attempted | null) : null;
}
