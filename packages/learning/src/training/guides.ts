/** @file Sets up the guides of a recipe, which provide lessons besides its play: kept episodes, teachers, forks. */

import { basename, join } from 'node:path';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import type { AnyEnvironment, JsonObject, Learner, Policy, Seed } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isFault, rng } from '@ludus-agents/kernel/internal/core/index';
import { readBound, within } from '@ludus-agents/store/internal/exports/bounds';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { CorrectionGuide, RefinementGuide } from '../rl/guidance/error-lessons.ts';
import { ExperienceGuide, expertEpisodes } from '../rl/guidance/experience.ts';
import { InstructionGuide } from '../rl/guidance/instructions.ts';
import { FeedbackGuide, RationaleGuide } from '../rl/guidance/reflection.ts';
import { RevisionGuide } from '../rl/guidance/revision.ts';
import { ShunGuide } from '../rl/guidance/shun.ts';
import { TeacherGuide } from '../rl/guidance/teacher-guide.ts';
import { KeptGuide } from '../rl/kept-guide.ts';
import { type KeptEpisode, keptRows } from '../rl/kept-lessons.ts';
import { comparesKept, KeptPairs } from '../rl/kept-pairs.ts';
import type { LessonGuide } from '../rl/lesson-guide.ts';
import type { Recipe } from '../rl/recipe.ts';
import { beginsWithKept } from './kept-warm-up.ts';
import { reviewerFor } from './reviewer.ts';
import { RewardGuide } from './reward-guide.ts';
import { policyFor } from './seat-policies.ts';
import type { Seating } from './seating.ts';

export interface GuidePlace {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  readonly learner: Learner;
  /** How the learner plays. */
  readonly policy: Policy;
  readonly seed: Seed;
  readonly seating: Seating;
  /** Stored episodes to train on, if the recipe names any. */
  readonly stored: readonly KeptEpisode[] | undefined;
  readonly say: (sentence: string) => void;
  /** The folder of the run's files; null if it has none. */
  readonly folder: string | null;
}

export async function guidesOf(recipe: Recipe, place: GuidePlace): Promise<readonly LessonGuide[]> {
  // Reward guides come first, because the others depend on rewards.
  return [...(await rewardGuides(recipe, place)), ...keptGuides(recipe, place), ...(await teacherGuides(recipe, place))];
}

async function rewardGuides({ name, rewardModel: settings }: Recipe, place: GuidePlace): Promise<readonly RewardGuide[]> {
  if (settings === undefined) return [];
  const { environment, cwd, trust, seed, seating, say, folder } = place;
  const [seat, ...more] = seating.mine;
  if (seat === undefined || more.length > 0)
    throw new Fault(
      'input',
      `${name} has a reward model for one seat, but the learner plays ${seating.mine.join(', ') || 'none'}. Assign the other seats in training.seats.`,
    );
  const bound = readBound(settings.rule, 'rewardModel.rule');
  const scorer = bound.score === 'return' ? null : await loadScorer(bound.score, cwd, trust);
  const called = folder === null ? name : basename(folder);
  return [
    new RewardGuide({
      ...{ settings, name: called, environment: environment.id, seat, seed, say },
      async rule({ log, sample }) {
        const end = log.at(-1);
        if (scorer === null) return within(end?.kind === 'end' ? (end.returns[seat] ?? 0) : null, bound);
        const scores = await scorer.score({ episodes: [{ id: 'training', events: log }], seat: sample.seat, rng: rng(0, 'rule') }, noEnd);
        const ownScore = scores.find((score) => score.turn === undefined && (score.seat ?? seat) === seat);
        return within(ownScore?.value ?? null, bound);
      },
      ...(folder !== null && { keep: (file) => writeFileAtomicSync(join(folder, 'reward.json'), `${JSON.stringify(file)}\n`) }),
    }),
  ];
}

const noEnd = new AbortController().signal;

function keptGuides(recipe: Recipe, { learner, seed, stored: episodes = [], say }: GuidePlace): readonly LessonGuide[] {
  const { kept, rounds, guidance } = recipe;
  // An expert's stored episodes are handled by the guide that tries alternatives to them.
  if ((kept === undefined && rounds === undefined) || guidance?.kind === 'experience' || beginsWithKept(recipe)) return [];
  const compares = comparesKept(recipe);
  if (compares && kept !== undefined) {
    const pairs = new KeptPairs({ learner, episodes, seed, groups: kept.rows, alone: recipe.loss.kind === 'desirability' });
    if (pairs.groups.length === 0)
      throw new Fault(
        'input',
        `${recipe.name} compares episodes, but no two of the ${episodes.length} of ${kept.from} have the same task and seed and differ in their return. Use a file with "chosen" and "rejected", or a recipe that imitates.`,
      );
    say(`${pairs.groups.length} groups of stored episodes from ${kept.from} are compared in place of games.`);
    return [pairs];
  }
  const { turns, left } = keptRows(learner, episodes, kept?.weigh);
  const without = Object.entries(left).map(([why, count]) => `, ${count} left out (${why})`);
  if (kept !== undefined)
    say(`${turns} turns of ${episodes.length} stored episodes from ${kept.from} are used for training${without.join('')}.`);
  return [new KeptGuide({ learner, seed, base: episodes, weigh: kept?.weigh, rows: kept?.rows, rounds })];
}

async function teacherGuides({ guidance, name, kept, training }: Recipe, place: GuidePlace): Promise<readonly LessonGuide[]> {
  if (guidance === undefined) return [];
  const { environment, cwd, trust, learner, policy, seed, seating, stored = [] } = place;
  const { mine, others } = seating;
  const [seat] = mine;
  if (seat === undefined) throw new Fault('input', `${name} helps a learner in another seat, but the learner has no seat here.`);
  // A reviewer is asked about moves outside of the game; a player is asked as a player.
  const teacherBy = ['rationale', 'feedback'].includes(guidance.kind) ? reviewerFor : policyFor;
  const teachers = await Promise.all(guidance.teachers.map((teacher) => teacherBy(teacher, { seat, environment, cwd, trust }))).catch(
    (thrown) => {
      // A recipe's teachers belong to its environment, and may not exist in another one.
      const what = isFault(thrown) ? `${name} cannot have its teacher: ${thrown.message}` : '';
      throw what === '' ? thrown : new Fault('input', `${what} Choose another: --set 'guidance.teachers=["AGENT"]'.`, { cause: thrown });
    },
  );
  const parts = { environment, learner, policy, others, guidance, teachers, seed };
  const [teacher] = teachers;
  if (guidance.kind === 'revise') return [new RevisionGuide(parts)];
  if (guidance.kind === 'refine') return [new RefinementGuide(parts)];
  if (guidance.kind === 'rationale') return [new RationaleGuide(parts)];
  if (guidance.kind === 'feedback') return [new FeedbackGuide(parts)];
  if (guidance.kind === 'shun') return [new ShunGuide(parts)];
  if (guidance.kind === 'recall') return [new TeacherGuide(parts)];
  if (guidance.kind === 'instruct') return [new InstructionGuide({ ...parts, task: training.task ?? {}, say: place.say })];
  if (guidance.kind === 'experience' && kept !== undefined) {
    return [new ExperienceGuide({ ...parts, seats: mine, experts: [...new Set(stored.map(({ log }) => log))] })];
  }
  if (teacher === undefined) throw new Fault('input', `${name} has no teacher. Set one: --set 'guidance.teachers=["AGENT"]'.`);
  if (guidance.kind === 'correct') return [new CorrectionGuide(parts)];
  if (guidance.kind !== 'experience') return [new TeacherGuide(parts)];
  const task = (training.tasks?.[0] ?? training.task ?? {}) as JsonObject;
  const experts = await expertEpisodes(parts, teacher, { task, seats: mine, games: guidance.games ?? 16, seed });
  return [new ExperienceGuide({ ...parts, seats: mine, experts })];
}
