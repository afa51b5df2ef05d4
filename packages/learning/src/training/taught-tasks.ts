/** @file A curriculum of tasks for a training: the menu of the environment's parameters, and the teacher that chooses from it, by name or by file. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { TaughtTasks } from '../curricula/seed-pool.ts';
import { taskMenu } from '../curricula/task-menu.ts';
import { TaskTeacher } from '../curricula/teachers/index.ts';
import { loadTeacher } from '../loaders.ts';
import type { Recipe } from '../rl/recipe.ts';

/** The default number of tasks to choose from. */
const usualTasks = 64;

export async function taughtTasks(
  { name, curriculum, training }: Recipe,
  { environment, cwd, trust }: { readonly environment: AnyEnvironment; readonly cwd: string; readonly trust: Trust },
): Promise<TaughtTasks | undefined> {
  if (curriculum.kind !== 'teacher') return undefined;
  if (training.environments !== undefined || training.tasks !== undefined)
    throw new Fault(
      'input',
      `${name} has a teacher, which chooses tasks of one environment. Remove training.tasks and training.environments.`,
    );
  const { parameters, tasks: count = usualTasks, even } = curriculum;
  const { tasks, points } = taskMenu(environment, {
    ...{ count, seed: 0, task: training.task ?? {} },
    ...(parameters !== undefined && { parameters }),
  });
  const teacher = await loadTeacher(curriculum.teacher, points, { cwd, trust });
  return { tasks, teacher: new TaskTeacher(tasks.length, teacher, { ...(even !== undefined && { uniform: even }) }) };
}

/** The recipe with each of several teachers, named after both, for comparison at equal games. */
export function withTeachers(recipe: Recipe, teachers: readonly string[]): readonly Recipe[] {
  return teachers.map((teacher) => {
    const before = recipe.curriculum.kind === 'teacher' ? recipe.curriculum : { kind: 'teacher' as const };
    const called = teacher
      .replace(/^.*[\\/]/, '')
      .replace(linear(/\.[cm]?[jt]s(#.*)?$/), '')
      .replace(/[^\w.-]/g, '-');
    return { ...recipe, name: `${recipe.name}-${called}`, curriculum: { ...before, teacher } };
  });
}
