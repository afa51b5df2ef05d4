/** @file Teachers by name, each made for a list of tasks. */

import { Fault } from '../../core/index.ts';
import { alpGmm } from './alp-gmm.ts';
import type { Teacher } from './syllabus.ts';
import { byChange, byLearnability, byProgress, byReplay, uniform } from './teachers.ts';

export { alpGmm } from './alp-gmm.ts';
export { type Progress, Syllabus, type SyllabusOptions, type Teacher } from './syllabus.ts';
export { byChange, byLearnability, byProgress, byReplay, uniform } from './teachers.ts';

/** One line a teacher; `points` says where the tasks lie, for teachers that look at their neighbourhood. */
const teachers: Readonly<Record<string, (points: readonly (readonly number[])[]) => Teacher>> = {
  uniform: () => uniform,
  learnability: () => byLearnability,
  alp: () => byProgress,
  'nn-alp': () => byChange,
  'alp-gmm': (points) => alpGmm({ points }),
  plr: () => byReplay(),
};

export const teacherNames: readonly string[] = Object.keys(teachers);

export function teacher(name: string, points: readonly (readonly number[])[]): Teacher {
  const make = Object.hasOwn(teachers, name) ? teachers[name] : undefined;
  if (make === undefined) throw new Fault('input', `There is no teacher "${name}"; there are ${teacherNames.join(', ')}.`);
  return make(points);
}
