/**
 * @file Simulated students whose skills depend on each other, among tasks that are pure noise: the competence that a teacher of tasks
 * achieves. Options: teacher, seed.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { teachers } from '@ludus-agents/learning/internal/curricula/teachers/index';
import { points, taught } from '@ludus-agents/learning/internal/curricula/teachers/students.cases';
import type { ProgramOptions } from '../arms.ts';

const student = { skills: 10, noise: 10, practice: 1500, chain: true };

export default function run({ teacher = 'uniform', seed = 1 }: ProgramOptions): Json {
  return { competence: taught(student, teachers[String(teacher)].load()(points(student)), { seed: Number(seed) }) };
}
