/** @file A guided training that was stopped goes on to the identical next update, anyone who guides it. */

import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import { KeptGuide } from '../kept-guide.ts';
import type { LessonGuide } from '../lesson-guide.ts';
import { locks } from '../locks.cases.ts';
import type { Recipe } from '../recipe.ts';
import { builtInRecipe } from '../recipes/index.ts';
import { TrainingLoop } from '../training-loop.ts';
import { CorrectionGuide, RefinementGuide } from './error-lessons.ts';
import { ExperienceGuide, expertEpisodes } from './experience.ts';
import { TeacherGuide } from './teacher-guide.ts';

const keyholder = scriptedPolicy('keyholder', locks.scripts!['keyholder']!);
const task = { digits: 2 };
const experts = await expertEpisodes({ environment: locks, others: {} }, keyholder, { task, seats: ['opener'], games: 4, seed: 1 });

function guideOf({ guidance, rounds }: Recipe, learner: Tabular): LessonGuide {
  if (guidance === undefined) return new KeptGuide({ learner, seed: 1, base: [], rounds });
  const parts = { environment: locks, learner, policy: learner.policy(), others: {}, guidance, teachers: [keyholder], seed: 1 };
  if (guidance.kind === 'experience') return new ExperienceGuide({ ...parts, seats: ['opener'], experts });
  if (guidance.kind === 'correct') return new CorrectionGuide(parts);
  return guidance.kind === 'refine' ? new RefinementGuide(parts) : new TeacherGuide(parts);
}

it.each(['agent-rlvr', 'bepa', 'ampo', 'rpd', 'agent-refine', 'rise', 'early-experience', 'agent-evol', 'bfs-prover'])(
  '%s resumes with an identical next update',
  async (name) => {
    const { rounds, ...method } = builtInRecipe(name);
    const training = { environment: 'locks', task, optimiser: 'adam', rate: { from: 0.3, to: 0.3 }, games: 6 * 16, batch: 16 } as const;
    const recipe: Recipe = { ...method, training, ...(rounds !== undefined && { rounds: { ...rounds, updates: 2 } }) };
    const loop = () => {
      const learner = new Tabular();
      return new TrainingLoop(recipe, { environment: locks, learner, seed: 1, guides: [guideOf(recipe, learner)] });
    };
    const whole = loop();
    await whole.run();
    for (const update of [1, 3, 5]) {
      const broken = loop();
      await broken.run(update);
      const again = loop();
      await again.load(JSON.parse(JSON.stringify(await broken.save())));
      await again.run();
      expect(await again.save()).toEqual(await whole.save());
    }
    expect((await whole.save()).learner).not.toBe(await new Tabular().save());
  },
);
