/** @file A population of instructions in a weights loop: what helps is found, what misleads goes, new ones are written, and weights learn meanwhile. */

import { lock } from '@ludus-agents/environments/internal/lock';
import { type JsonObject, type Policy, rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import type { Guidance, Recipe } from '../recipe.ts';
import { builtInRecipe } from '../recipes/index.ts';
import { TrainingLoop } from '../training-loop.ts';
import { heedInstructions, InstructionGuide, withInstructions } from './instructions.ts';

// The lock opens by c, c, a, a.
const task = { dials: 4 };

async function trained(changes: Partial<Guidance>, { games = 640, teachers = [] as readonly Policy[], seed = 1 } = {}) {
  const recipe: Recipe = builtInRecipe('inspo');
  const guidance = { ...recipe.guidance!, ...changes };
  const environment = withInstructions(lock, 'opener');
  const learner = new Tabular();
  const policy = heedInstructions(learner, learner.policy());
  const statements: string[] = [];
  const say = (item: string) => void statements.push(item);
  const guide = new InstructionGuide({ ...{ environment, learner, policy, others: {}, guidance, teachers, seed, task, say } });
  const read: string[] = [];
  const rewards: number[] = [];
  const loop = new TrainingLoop(
    { ...recipe, guidance, training: { ...recipe.training, task, games } },
    {
      ...{ environment, learner, policy, seed, guides: [guide], taught: { tasks: guide.tasks, teacher: guide } },
      tell: ({ returned }) => void rewards.push(returned),
    },
  );
  await loop.run();
  return {
    guide,
    said: statements,
    read,
    rewards,
    best: (guide.best[0] as JsonObject)['instruction'],
    left: guide.write()['pool'] as JsonObject,
  };
}

const planted = ['Turn [b], then [b].', 'Turn [c], then [c].', 'Turn [a], then [c].'];

describe('instruction population in training', () => {
  it('converges to the helpful instruction and drops misleading ones', async () => {
    for (const seed of [1, 2, 3]) {
      const { best, said, rewards } = await trained({ instructions: planted }, { seed });
      expect(best).toBe('Turn [c], then [c].');
      expect(said.filter((item) => /leaves/.test(item)).join()).not.toContain('[c], then [c]');
      const alone = await trained({ share: 0 }, { seed });
      const end = (list: readonly number[]) => list.slice(-3).reduce((sum, value) => sum + value, 0);
      expect(end(rewards)).toBeGreaterThan(end(alone.rewards));
    }
  });

  it('drops hardly any instruction if all are equally good', async () => {
    const { said } = await trained({ instructions: ['Be calm.', 'Be quick.', 'Be kind.'] }, { games: 320 });
    expect(said.length).toBeLessThanOrEqual(1);
  });

  it('adds an instruction written by a teacher from a failure, which can become the best', async () => {
    const writer = scriptedPolicy('writer', ({ view }) => {
      const last = view.seen.at(-1);
      return { text: last?.kind === 'message' && /Write a better instruction/.test(last.text) ? 'Turn [c], then [c], then [a].' : '' };
    });
    const { best, said } = await trained({ instructions: ['Turn [b].'] }, { teachers: [writer] });
    expect(said.join('\n')).toContain('A new instruction joins the population: "Turn [c], then [c], then [a].".');
    expect(best).toBe('Turn [c], then [c], then [a].');
  });

  it('shows the instruction first and only to its seat, as part of the task', () => {
    const environment = withInstructions(lock, 'opener');
    const shown = (input: JsonObject) =>
      environment.start(environment.task(input), rng(1)).messages.map(({ text }: { text: string }) => text);
    expect(shown({ instruction: 'Turn [a].' })[0]).toBe('Instruction: Turn [a].');
    expect(shown({ instruction: '' })).toEqual(shown({}));
    expect(() => environment.task({ instruction: 'x', dial: 3 })).toThrow(/dial/);
  });

  it('resumes from a checkpoint with the credit of each instruction', async () => {
    const { guide } = await trained({ instructions: planted }, { games: 320 });
    const { guide: other } = await trained({ instructions: planted }, { games: 64, seed: 9 });
    other.read(JSON.parse(JSON.stringify(guide.write())) as JsonObject);
    const draws = (instructionGuide: InstructionGuide) => Array.from({ length: 50 }, (_, i) => instructionGuide.next(rng(i)));
    expect(draws(other)).toEqual(draws(guide));
    expect(other.best).toEqual(guide.best);
  });
});
