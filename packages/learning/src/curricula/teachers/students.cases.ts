/** @file Simulated students for tests of teachers: skills in a chain, skills on their own, and tasks that are mere noise. */

import { type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { type SyllabusOptions, TaskTeacher, type Teacher } from './task-teacher.ts';

export interface ToyEnvironment {
  readonly skills: number;
  readonly noise: number;
  readonly practice: number;
  /** A skill grows only once the one before it is above .6. */
  readonly chain: boolean;
  /** Outcomes are won or lost instead of graded. */
  readonly binary?: boolean;
}

export const points = ({ skills, noise }: ToyEnvironment): readonly (readonly number[])[] =>
  Array.from({ length: skills + noise }, (_, i) => [i / (skills + noise - 1)]);

/** Mean real competence after so much practice, chosen by a teacher. */
export function taught(environment: ToyEnvironment, teacher: Teacher, options: SyllabusOptions & { readonly seed: Seed }): number {
  const dice = rng(options.seed, 'student');
  const skills = Array.from({ length: environment.skills }, () => 0);
  const taskTeacher = new TaskTeacher(environment.skills + environment.noise, teacher, options);
  for (let i = 0; i < environment.practice; i++) {
    const task = taskTeacher.next(dice);
    taskTeacher.learn(task, practised(skills, task, environment, dice), dice);
  }
  return skills.reduce((sum, value) => sum + value, 0) / skills.length;
}

/** What a teacher achieves on average over seeds. */
export function average(
  environment: ToyEnvironment,
  make: () => Teacher,
  { seeds, ...options }: SyllabusOptions & { readonly seeds: number },
): number {
  let sum = 0;
  for (let seed = 0; seed < seeds; seed++) sum += taught(environment, make(), { ...options, seed });
  return sum / seeds;
}

function practised(skills: number[], task: number, { chain, binary = false }: ToyEnvironment, dice: Rng): number {
  if (task >= skills.length) return binary ? dice.int(2) : dice.next();
  const competence = skills[task]!;
  const chance = Math.min(1, Math.max(0, competence + 0.05 * bell(dice)));
  if (!chain || task === 0 || skills[task - 1]! > 0.6) skills[task] = competence + 0.08 * (1 - competence);
  return binary ? (dice.next() < chance ? 1 : 0) : chance;
}

function bell(dice: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
}
