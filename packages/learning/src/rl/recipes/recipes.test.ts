/** @file Every recipe either trains, on a tree or by rollout, or says in a sentence what it lacks. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import type { EpisodeJudge } from '../judging.ts';
import type { Recipe } from '../recipe.ts';
import { override } from '../recipe-overrides.ts';
import { beyondLoop, beyondTree, channelsOf } from '../recipe-support.ts';
import { TrainingLoop } from '../training-loop.ts';
import { builtInRecipe, published, recipes } from './index.ts';

const kuhn = await builtInEnvironment('kuhn-poker');
const game = flatten(gameTree(kuhn));
/** A recipe cut to three updates, with long schedules shortened to fit, and without the tasks of the environment it was written for. */
const briefly = ({ training: { optimiser, rate }, ...method }: Recipe): Recipe => ({
  ...method,
  ...(method.phases !== undefined && { phases: method.phases.map(({ tasks: _, ...phase }) => phase) }),
  ...(method.replay.kind === 'route' && { replay: { ...method.replay, updates: 1 } }),
  ...(method.curriculum.kind === 'first-pass' && { curriculum: { ...method.curriculum, tasks: 3, tries: 4 } }),
  training: { environment: 'kuhn-poker', optimiser, rate, games: 96, batch: 32 },
});
/** Someone who always takes the first move there is. */
const shownBy = (learner: Tabular) => async () =>
  game.choices.length === 0
    ? []
    : [0, 1, 2, 3].map((set) =>
        learner.rowOf({ view: game.view(set), ask: { seat: 'first', choices: ['[check]', '[bet]'] }, rng: rng(1) }, '[check]'),
      );

/** The same judge for every channel that someone must pay. */
const channels = (recipe: Recipe, judge: EpisodeJudge) =>
  Object.fromEntries(Object.entries(channelsOf(recipe)).flatMap(([name, { by }]) => (by === undefined ? [] : [[name, judge]])));

/** All that a recipe may ask for: a judge, demonstrations, and someone for each channel of its rewards. */
const handed = (recipe: Recipe) => ({ judge: true, shown: true, judges: channelsOf(recipe) });

describe('built-in recipes', () => {
  it('have unique names, sources, and stated differences', () => {
    expect(published.length).toBeGreaterThanOrEqual(30);
    expect(new Set(recipes.map(({ name }) => name)).size).toBe(recipes.length);
    for (const { source, differs } of recipes) expect([source.length > 8, differs.length > 8]).toEqual([true, true]);
    expect(published.filter((recipe) => beyondTree(recipe) === null || beyondLoop(recipe, handed(recipe)) === null).length).toBe(
      published.length,
    );
    expect(() => builtInRecipe('grpoo')).toThrow(/Unknown recipe "grpoo"/);
  });

  it.each(published.filter((recipe) => beyondTree(recipe) === null))('include $name, which changes a policy on a tree', async (method) => {
    const learner = new Tabular({ game });
    await new TrainingLoop(briefly(method), { environment: kuhn, game, learner, seed: 1 }).run();
    expect(learner.strategy()).not.toEqual(new Tabular({ game }).strategy());
  });

  it.each(published.filter((recipe) => beyondLoop(recipe, handed(recipe)) === null))(
    'include $name, which changes a policy by rollout and resumes identically',
    async (method) => {
      const loop = () => {
        const learner = new Tabular({ game });
        const judge: EpisodeJudge = async ({ sample }) => sample.turns.map(({ reward }) => reward);
        return new TrainingLoop(briefly(method), {
          environment: kuhn,
          learner,
          seed: 1,
          judge,
          judges: channels(method, judge),
          shown: shownBy(learner),
        });
      };
      const whole = loop();
      expect(await whole.run()).toBeNull();
      const broken = loop();
      await broken.run(1);
      const again = loop();
      await again.load(JSON.parse(JSON.stringify(await broken.save())));
      await again.run();
      expect(await again.save()).toEqual(await whole.save());
      expect((await again.save()).learner).not.toBe(await new Tabular({ game }).save());
    },
  );

  it('can be overridden', () => {
    expect(override(builtInRecipe('kuhn-tabular'), ['loss.kl.weight=0.2', 'training.environment=leduc']).loss.kl?.weight).toBe(0.2);
    // A task belongs to its environment.
    const rules = builtInRecipe('rules-tabular');
    expect(override(rules, ['training.environment=rules']).training.task).toEqual(rules.training.task);
    expect(override(rules, ['training.environment=blocks']).training.task).toBeUndefined();
    expect(override(rules, ['training.task={"size":2}', 'training.environment=blocks']).training.task).toEqual({ size: 2 });
    expect(() => override(builtInRecipe('kuhn-tabular'), ['loss.kll=1'])).toThrow(/has no "kll"/);
    expect(() => override(builtInRecipe('kuhn-tabular'), ['loss.kl.weight=much'])).toThrow(/should be a number/);
    expect(() => override(builtInRecipe('kuhn-tabular'), ['games'])).toThrow(/Expected a setting such as loss\.kl\.weight=0\.3,/);
  });
});
