/** @file Who brings lessons to the updates of a recipe besides its play: kept episodes, teachers, forks. */

import { type AnyEnvironment, Fault, type JsonObject, type Learner, type Policy, type Seed, type Store } from '../core/index.ts';
import { CorrectionGuide, RefinementGuide } from '../learning/rl/guidance/error-lessons.ts';
import { ExperienceGuide, expertEpisodes } from '../learning/rl/guidance/experience.ts';
import { FeedbackGuide, RationaleGuide } from '../learning/rl/guidance/reflection.ts';
import { ShunGuide } from '../learning/rl/guidance/shun.ts';
import { TeacherGuide } from '../learning/rl/guidance/teacher-guide.ts';
import { KeptGuide } from '../learning/rl/kept-guide.ts';
import { keptRows } from '../learning/rl/kept-lessons.ts';
import type { LessonGuide } from '../learning/rl/lesson-guide.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { policyFor } from '../workspace/seat-policies.ts';
import { keptEpisodes } from './kept-source.ts';
import { beginsWithKept } from './kept-warm-up.ts';
import type { Seating } from './seating.ts';

export interface GuidePlace {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  readonly learner: Learner;
  /** How the learner plays. */
  readonly policy: Policy;
  readonly seed: Seed;
  readonly seating: Seating;
  readonly store: Store | undefined;
  readonly say: (sentence: string) => void;
}

export async function guidesOf(recipe: Recipe, place: GuidePlace): Promise<readonly LessonGuide[]> {
  return [...(await keptGuides(recipe, place)), ...(await teacherGuides(recipe, place))];
}

async function keptGuides(recipe: Recipe, { environment, cwd, learner, seed, seating, store, say }: GuidePlace) {
  const { kept, rounds, guidance } = recipe;
  // An expert's kept episodes are the business of the one who tries alternatives at them.
  if ((kept === undefined && rounds === undefined) || guidance?.kind === 'experience' || beginsWithKept(recipe)) return [];
  const episodes = kept === undefined ? [] : await keptEpisodes(kept, { environment, seats: seating.mine, cwd, store });
  const { turns, left } = keptRows(learner, episodes, kept?.weigh);
  const without = Object.entries(left).map(([why, count]) => `, ${count} left out (${why})`);
  if (kept !== undefined) say(`${turns} turns of ${episodes.length} kept episodes of ${kept.from} are learned from${without.join('')}.`);
  return [new KeptGuide({ learner, seed, base: episodes, weigh: kept?.weigh, rows: kept?.rows, rounds })];
}

async function teacherGuides({ guidance, name, kept, training }: Recipe, place: GuidePlace): Promise<readonly LessonGuide[]> {
  if (guidance === undefined) return [];
  const { environment, cwd, learner, policy, seed, seating, store } = place;
  const { mine, others } = seating;
  const [seat] = mine;
  if (seat === undefined) throw new Fault('input', `${name} helps a learner that has a seat of its own, and here it has none.`);
  const teachers = await Promise.all(guidance.teachers.map((teacher) => policyFor(teacher, { seat, environment, cwd })));
  const parts = { environment, learner, policy, others, guidance, teachers, seed };
  const [teacher] = teachers;
  if (guidance.kind === 'refine') return [new RefinementGuide(parts)];
  if (guidance.kind === 'rationale') return [new RationaleGuide(parts)];
  if (guidance.kind === 'feedback') return [new FeedbackGuide(parts)];
  if (guidance.kind === 'shun') return [new ShunGuide(parts)];
  if (guidance.kind === 'recall') return [new TeacherGuide(parts)];
  if (guidance.kind === 'experience' && kept !== undefined) {
    const episodes = await keptEpisodes(kept, { environment, seats: mine, cwd, store });
    return [new ExperienceGuide({ ...parts, seats: mine, experts: [...new Set(episodes.map(({ log }) => log))] })];
  }
  if (teacher === undefined) throw new Fault('input', `${name} has no teacher; name one: --set 'guidance.teachers=["AGENT"]'.`);
  if (guidance.kind === 'correct') return [new CorrectionGuide(parts)];
  if (guidance.kind !== 'experience') return [new TeacherGuide(parts)];
  const task = (training.tasks?.[0] ?? training.task ?? {}) as JsonObject;
  const experts = await expertEpisodes(parts, teacher, { task, seats: mine, games: guidance.games ?? 16, seed });
  return [new ExperienceGuide({ ...parts, seats: mine, experts })];
}
