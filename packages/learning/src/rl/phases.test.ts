/** @file Stages of a run: each has its own rewards and ends by its own rule, and a resumed run is in the stage it was in. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import type { EpisodeJudge } from './judging.ts';
import type { LessonFigures } from './lessons.ts';
import { Phases } from './phases.ts';
import type { Phase, Recipe } from './recipe.ts';
import { override } from './recipe-overrides.ts';
import { builtInRecipe } from './recipes/index.ts';
import { TrainingLoop } from './training-loop.ts';

const spiral = builtInRecipe('spiral');
const figures = (returned: number) => ({ returned }) as LessonFigures;

describe('training phase', () => {
  const staged: Recipe = {
    ...spiral,
    phases: [
      { name: 'form', updates: 10, until: { figure: 'returned', least: 1, over: 2 }, rewards: { form: { weight: 1 } } },
      { name: 'task', updates: 3, turns: 5, tasks: [{ rounds: 2 }] },
    ],
  };

  it('ends by its stop rule or its number of updates, and the run ends with the last phase', () => {
    const phases = new Phases(staged);
    expect([phases.name, Object.keys(phases.recipe.rewards ?? {})]).toEqual(['form', ['form']]);
    expect([0, 1, 0.5].map((value) => phases.heard(figures(value)))).toEqual([null, null, null]);
    expect(phases.heard(figures(1.5))).toBe('Stage form ends after 4 updates: returned was 1.000 over 2 updates.');
    expect([phases.name, phases.recipe.rewards, phases.recipe.training.turns, phases.recipe.training.tasks]).toEqual([
      'task',
      undefined,
      5,
      [{ rounds: 2 }],
    ]);
    phases.heard(figures(0));
    const again = new Phases(staged);
    again.read(JSON.parse(JSON.stringify(phases.write())));
    for (const otherPhases of [phases, again]) {
      expect([otherPhases.heard(figures(9)), otherPhases.over]).toEqual([null, false]);
      expect(otherPhases.heard(figures(9))).toContain('it has had its updates');
      expect(otherPhases.over).toBe(true);
    }
  });

  it('does not exist in a recipe without phases', () => {
    const phases = new Phases(spiral);
    expect([phases.name, phases.heard(figures(9)), phases.over, phases.recipe]).toEqual([null, null, false, spiral]);
  });
});

describe('run in phases', async () => {
  const kuhn = await builtInEnvironment('kuhn-poker');
  const random = scriptedPolicy('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) }));
  /** Checking is paid in its own channel, whatever it wins. */
  const timid: EpisodeJudge = async ({ log, seat, sample }) => {
    const words = log.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text] : []));
    return sample.turns.map((_, i) => (words[i] === '[check]' ? 1 : 0));
  };
  const phase: Phase = { name: 'timid', updates: 20, rewards: { environment: { weight: 0 }, timid: { weight: 1 } } };
  const trained = async (phases: readonly Phase[], stop = 40) => {
    const recipe = { ...override(spiral, ['training.games=1280', 'training.batch=32', 'training.rate={"from":0.3,"to":0.3}']), phases };
    const statements: string[] = [];
    const learner = new Tabular();
    const parts = {
      environment: kuhn,
      learner,
      seed: 2,
      others: { second: random },
      judges: { timid },
      say: (item: string) => statements.push(item),
    };
    const loop = new TrainingLoop(recipe, parts);
    await loop.run(stop);
    return { loop, said: statements, recipe, parts, checks: checksOf(learner) };
  };
  const checksOf = (learner: Tabular) => {
    const first = learner.strategy().filter((_, set) => set < 3);
    return first.reduce((sum, mix) => sum + (mix[0] ?? 0), 0) / first.length;
  };

  it('uses the reward channels of its current phase and ends with the last one', async () => {
    const { loop, said, checks } = await trained([phase]);
    expect([loop.update, loop.updates]).toEqual([20, 20]);
    expect(said).toEqual(['Stage timid ends after 20 updates: it has had its updates.']);
    expect(checks).toBeGreaterThan(0.9);
    // The control: paid by the environment, the same run does not come to check on every card.
    expect((await trained([{ name: 'plain', updates: 20 }])).checks).toBeLessThan(0.6);
  });

  it('resumes from a checkpoint to an identical end', async () => {
    const phases = [phase, { name: 'plain', updates: 20 }];
    const whole = await trained(phases);
    const half = await trained(phases, 23);
    const again = new TrainingLoop(half.recipe, { ...half.parts, learner: new Tabular() });
    await again.load(JSON.parse(JSON.stringify(await half.loop.save())));
    await again.run();
    expect(await again.save()).toEqual(await whole.loop.save());
  });
});
