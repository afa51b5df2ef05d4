/** @file Teachers by name, each created for a list of tasks. */

import { Fault, findEntry } from '@ludus-agents/kernel/internal/core/index';
import { adr } from './adr.ts';
import { alpGmm } from './alp-gmm.ts';
import { fromFailures } from './failures.ts';
import { covarGmm, goalGan, riac, selfPaced } from './neighbours.ts';
import type { Teacher } from './task-teacher.ts';
import { byChange, byLearnability, byProgress, byReplay, uniform } from './teachers.ts';

export { alpGmm } from './alp-gmm.ts';
export { type SyllabusOptions, type TaskHistory, TaskTeacher, type Teacher } from './task-teacher.ts';
export { byChange, byLearnability, byProgress, byReplay, uniform } from './teachers.ts';

/** Creates a teacher for tasks; `points` are their coordinates, for teachers that use neighborhood. */
export type TeacherFactory = (points: readonly (readonly number[])[]) => Teacher;

/** Each with a one-line description. */
export const teachers: Readonly<Record<string, { readonly about: string; load(): TeacherFactory }>> = {
  uniform: { about: 'every task equally often', load: () => () => uniform },
  learnability: { about: 'tasks that are solved about half of the time', load: () => () => byLearnability },
  alp: { about: 'tasks whose mean outcome moves most', load: () => () => byProgress },
  'nn-alp': { about: 'tasks whose outcomes differ most from one visit to the next', load: () => () => byChange },
  'alp-gmm': { about: 'regions of tasks with progress, found by a mixture of Gaussians', load: () => (points) => alpGmm({ points }) },
  adr: { about: 'a box of tasks whose bounds move out where they are solved', load: () => (points) => adr({ points }) },
  'covar-gmm': { about: 'regions in which outcomes rise with time', load: () => (points) => covarGmm({ points }) },
  riac: { about: 'regions that are cut where progress differs', load: () => (points) => riac({ points }) },
  'goal-gan': { about: 'neighbors of tasks that are solved now and then', load: () => (points) => goalGan({ points }) },
  'self-paced': { about: 'a Gaussian that widens to all tasks while it is solved', load: () => (points) => selfPaced({ points }) },
  failures: {
    about: 'neighbors of failed tasks, neither hopeless nor easy, phase by phase',
    load: () => (points) => fromFailures({ points }),
  },
  plr: { about: 'tasks that surprised lately, replayed by rank', load: () => () => byReplay() },
};

export const teacherNames: readonly string[] = Object.keys(teachers);

export function createTeacher(name: string, points: readonly (readonly number[])[]): Teacher {
  const entry = findEntry(teachers, name);
  if (entry === null)
    throw new Fault('input', `Unknown teacher "${name}". Available: ${teacherNames.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
  return entry.load()(points);
}
