/** @file Counters of mechanisms: what acted is counted, what never acted is said, and a resumed run goes on counting. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { countMechanism } from '../training/counter-table.ts';
import { countersOf, mechanismOf, mechanismText } from './counters.ts';
import type { Recipe } from './recipe.ts';
import { dapo, grpo, scalingInter } from './recipes/group-relative.ts';
import { recipes } from './recipes/index.ts';
import { filteredCloning } from './recipes/kept.ts';
import { marshal, selfRedTeam } from './recipes/league.ts';
import { archer, arpo } from './recipes/turn-level.ts';
import { type Metrics, TrainingLoop } from './training-loop.ts';

async function actsOf(recipe: Recipe, environment: string, change: Partial<Recipe> = {}) {
  let acts: Readonly<Record<string, number>> = {};
  const { task: _task, ...training } = recipe.training;
  const short = { ...recipe, ...change, training: { ...training, environment, games: 128, batch: 32 } };
  const tell = (metrics: Metrics) => {
    acts = metrics.acts ?? {};
  };
  const parts = { environment: await builtInEnvironment(environment), learner: new Tabular(), seed: 3 };
  const loop = new TrainingLoop(short, { ...parts, tell });
  await loop.run();
  return { mechanism: mechanismOf(short, acts), loop, short, parts };
}

describe('mechanism counters', () => {
  it('are declared by the components of a recipe', () => {
    expect(countersOf(grpo)).toEqual(['groups that differ', 'updates that clipped']);
    expect(countersOf(arpo)).toContain('branches');
    expect(countersOf(scalingInter)).toContain('episodes cut');
    expect(countersOf({ ...grpo, training: { ...grpo.training, opponents: 'league' } })).toContain('past selves met');
  });

  it('report that a horizon never cut a poker hand but did on a lake', async () => {
    const { mechanism: idle } = await actsOf(scalingInter, 'kuhn-poker');
    expect(idle).toMatchObject({ acted: false, idle: ['episodes cut'] });
    expect(mechanismText(idle)).toMatch(/never acted/);
    const { mechanism } = await actsOf(scalingInter, 'frozen-lake');
    expect(mechanism.acted).toBe(true);
    expect(mechanism.counts['episodes cut']).toBeGreaterThan(0);
  });

  it('count branches, which are 0 if the branch chance is 0', async () => {
    expect((await actsOf(arpo, 'kuhn-poker')).mechanism.counts['branches']).toBeGreaterThan(0);
    const rollout = { kind: 'branch', size: 16, trunk: 8, chance: 0, slope: 0 } as const;
    expect((await actsOf(arpo, 'kuhn-poker', { rollout })).mechanism).toMatchObject({ acted: false });
  });

  it('continue from a checkpoint', async () => {
    const { loop, short, parts } = await actsOf(arpo, 'kuhn-poker');
    const saved = (await loop.save()).lessons['acts'] as Record<string, number>;
    const again = new TrainingLoop({ ...short, training: { ...short.training, games: 160 } }, { ...parts, learner: new Tabular() });
    await again.load(await loop.save());
    await again.run();
    expect(((await again.save()).lessons['acts'] as Record<string, number>)['branches']).toBeGreaterThan(saved['branches']!);
  });

  it('count different attacks of a learner that attacks, also after a resume', async () => {
    const recipe = { ...selfRedTeam, training: { ...selfRedTeam.training, games: 128, batch: 64 } };
    const parts = { environment: await builtInEnvironment('jailbreak'), learner: new Tabular(), seed: 3 };
    const loop = new TrainingLoop(recipe, parts);
    await loop.run();
    const saved = await loop.save();
    const attacks = (saved.lessons['acts'] as Record<string, number>)['different attacks']!;
    expect(attacks).toBeGreaterThan(10);
    const again = new TrainingLoop(recipe, { ...parts, learner: new Tabular() });
    await again.load(saved);
    expect((await again.save()).lessons['acts']).toMatchObject({
      'different attacks': attacks,
      texts: { 'different attacks': expect.any(Array) },
    });
    // Where it only defends, it finds no attacks.
    expect(countersOf({ ...recipe, training: { ...recipe.training, seats: { keeper: 'learner' } } })).toEqual(['turns that taught']);
  });

  it.each([marshal, archer])('count the turns that teach under $name, and none where all games pay the same', async (recipe) => {
    const { mechanism } = await actsOf(recipe, 'kuhn-poker');
    expect(mechanism.counts).toEqual({ 'turns that taught': expect.any(Number) });
    expect(mechanism.acted).toBe(true);
    const rewards = { environment: { weight: 0 } };
    expect((await actsOf(recipe, 'kuhn-poker', { rewards })).mechanism).toMatchObject({ acted: false, idle: ['turns that taught'] });
  });

  it('are declared by every recipe', () => {
    const silent = recipes.filter((recipe) => countersOf(recipe).length === 0 && recipe.coevolution === undefined);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('end the stages of a recipe in the few updates of a table of counters', async () => {
    const counting = { updates: 2, seed: 1, cwd: '.', trust: Trust.commandLine };
    const phases = [
      { name: 'long', updates: 1000 },
      { name: 'longer', updates: 2000 },
    ];
    const { mechanism } = await countMechanism({ ...marshal, phases }, counting);
    expect(mechanism!.counts['stages ended']).toBeGreaterThan(0);
  });

  it('of a recipe that learns from a run are counted over random episodes', async () => {
    const counting = { updates: 1, seed: 1, cwd: '.', trust: Trust.commandLine };
    const { mechanism, refused } = await countMechanism(filteredCloning, counting);
    expect([refused, mechanism!.counts['rows imitated']! > 0]).toEqual([null, true]);
  });

  it('allow an update of several steps without a usable group', async () => {
    const { mechanism } = await actsOf(dapo, 'frozen-lake');
    expect(mechanism.counts['episodes left out']).toBeGreaterThan(0);
  });
});
